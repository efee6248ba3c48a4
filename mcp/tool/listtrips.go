package tool

import (
	"context"
	"net/url"
	"strconv"

	"biketrip/jobs/plan"
	"biketrip/jobs/plan/view"
	"biketrip/store/trip"
)

const listTripsText = "Lists all the trips of the signed-in user, newest first, one line each. Use it to find a trip by its name or dates before any other tool, because every other tool needs its id. It does not show days or beds: call get_trip with the id for those. The status here is about the analysis (draft, analyzing, analyzed, failed) and differs from the status of get_trip."

// defaultItems is how many trips a page has unless the call says otherwise.
const defaultItems = 20

type listTripsArguments struct {
	Page         *int   `json:"page"`
	ItemsPerPage *int   `json:"itemsPerPage"`
	Title        string `json:"title"`
	StartDate    string `json:"startDate"`
	EndDate      string `json:"endDate"`
}

func (d desk) listTrips(ctx context.Context, c caller, a listTripsArguments) (view.TripList, error) {
	search := plan.Search{Title: a.Title}
	var err error
	if search.From, err = d.filterDate("startDate", a.StartDate); err != nil {
		return view.TripList{}, err
	}
	if search.Until, err = d.filterDate("endDate", a.EndDate); err != nil {
		return view.TripList{}, err
	}
	page, items := 1, defaultItems
	if a.Page != nil {
		page = *a.Page
	}
	if a.ItemsPerPage != nil {
		items = *a.ItemsPerPage
	}
	found, err := d.Planner.Trips(ctx, c.actor(), search, items, (page-1)*items)
	if err != nil {
		return view.TripList{}, err
	}
	return view.NewTripList(queryOf(search, page, items), found.Total, found.Trips), nil
}

// queryOf is what was asked for, without what it is anyway.
func queryOf(search plan.Search, page, items int) url.Values {
	query := url.Values{}
	for name, value := range map[string]string{
		"title": search.Title, "startDate": search.From.String(), "endDate": search.Until.String(),
	} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if page != 1 {
		query.Set("page", strconv.Itoa(page))
	}
	if items != defaultItems {
		query.Set("itemsPerPage", strconv.Itoa(items))
	}
	return query
}

// filterDate is a date that trips are looked for by, none for an empty text.
func (d desk) filterDate(field, text string) (trip.Date, error) {
	if text == "" {
		return 0, nil
	}
	date, err := trip.ParseDate(text)
	if err != nil {
		return 0, trip.ErrInvalidDate(field, text, "YYYY-MM-DD", trip.NextJuly(d.today()).String())
	}
	return date, nil
}
