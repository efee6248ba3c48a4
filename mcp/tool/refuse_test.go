package tool

import (
	"errors"
	"fmt"
	"testing"

	"biketrip/mcp"
	"biketrip/store/trip"
)

// TestProblem: a refusal goes out with its code, its message and hint, and its
// data in the published order; what is no refusal stays as it is.
func TestProblem(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int
		data string
	}{
		{trip.ErrLocked(), -32603, `{"code":"locked","hint":"It can be read, shared, unshared or deleted. To plan it again call create_trip with its sourceUrl and a later startDate."}`},
		{fmt.Errorf("edit: %w", trip.ErrStale("T", 3, 5)), -32603, `{"yourVersion":3,"currentVersion":5,"code":"stale_version","hint":"Call get_trip with id=\"T\", check that the change still fits the days, then send it once with version 5."}`},
		{trip.ErrTooManyTrips(12), -32000, `{"error":"rate_limited","retryAfter":12,"code":"rate_limited_create","hint":"Wait 12 seconds. If you repeat a creation, look at list_trips first."}`},
		{trip.ErrTooManySearches(7), -32000, `{"error":"rate_limited","retryAfter":7,"code":"rate_limited_geocode","hint":"Wait 7 seconds, or use coordinates you already have."}`},
		{errors.Join(trip.SettingError{Field: "a", Text: "is bad"}, trip.SettingError{Field: "b", Text: "is worse"}), -32602, `{"code":"invalid_parameters","hint":"Correct only the arguments named and call again."}`},
	} {
		p := refusal(t, problem("get_trip", c.err))
		if p.Code != c.code || string(p.Data) != c.data {
			t.Errorf("%v: %d %s\nwant %s", c.err, p.Code, p.Data, c.data)
		}
	}
	if p := refusal(t, problem("get_trip", trip.ErrLastDay())); p.Message != "A trip keeps at least one day. To remove the whole trip use delete_trip." {
		t.Error(p.Message)
	}
	if p := refusal(t, problem("x", errors.Join(trip.SettingError{Field: "a", Text: "is bad"}, trip.SettingError{Field: "b", Text: "is worse"}))); p.Message != `Invalid parameters for tool 'x': "a" is bad; "b" is worse. Correct only the arguments named and call again.` {
		t.Error(p.Message)
	}
	broken := errors.New("the disk is gone")
	if err := problem("x", broken); err != broken || errors.As(err, new(*mcp.Problem)) {
		t.Errorf("%v", err)
	}
}
