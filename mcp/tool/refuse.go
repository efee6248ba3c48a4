package tool

import (
	"errors"

	"biketrip/mcp"
	"biketrip/store/trip"
)

// problem is an error of a call as the wire has it: a refusal with its code, and
// what is no refusal as it is.
func problem(tool string, err error) error {
	var refusal *trip.Refusal
	if settings := settingErrors(err); len(settings) > 0 {
		refusal = trip.ErrInvalidParameters(tool, settings)
	} else if !errors.As(err, &refusal) {
		return err
	}
	code := mcp.CodeRefusal
	var data []mcp.Datum
	switch refusal.Code {
	case "invalid_parameters":
		code = mcp.CodeParameters
	case "rate_limited_create", "rate_limited_geocode":
		code = mcp.CodeForbidden
		data = append(data, mcp.Text("error", "rate_limited"))
	}
	for _, d := range refusal.Data {
		data = append(data, mcp.Number(d.Key, int64(d.Value)))
	}
	return mcp.NewProblem(code, refusal.Message, refusal.Hint, append(data, mcp.Text("code", refusal.Code))...)
}

// nearMiss is the word that a refused one was probably meant for, empty for none.
func nearMiss(err error) string {
	var refusal *trip.Refusal
	if errors.As(err, &refusal) {
		return refusal.Near
	}
	return ""
}

// settingErrors are what is wrong with settings and dates, none where err is
// about something else as well.
func settingErrors(err error) []string {
	errs := []error{err}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		errs = joined.Unwrap()
	}
	var problems []string
	for _, e := range errs {
		var setting trip.SettingError
		if !errors.As(e, &setting) {
			return nil
		}
		problems = append(problems, setting.Error())
	}
	return problems
}
