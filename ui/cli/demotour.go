package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"biketrip/jobs/plan/view"
	"biketrip/jobs/plan/world"
	"biketrip/store/trip"
)

// tour is what an agent does: it creates a trip from a link, waits for its days
// and reads them.
func (g guest) tour(ctx context.Context, s *streams) (err error) {
	ctx, cancel := context.WithTimeout(ctx, demoTime)
	defer cancel()
	began := time.Now()
	fmt.Fprintf(s.out, "The real server at %s, on a made-up region: no network, no account.\n\n", g.program.uri)
	token, _, err := g.token(ctx, trip.Scopes()...)
	if err != nil {
		return err
	}
	agent, err := connect(ctx, g.endpoint(), token)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, agent.close()) }()
	t := teller{s.out}
	t.step("connect", "", "MCP "+agent.client.ProtocolVersion()+", as "+demoEmail)
	tools, err := agent.tools(ctx)
	if err != nil {
		return err
	}
	if len(tools) == 0 {
		return errors.New("the server has no tools")
	}
	t.step("tools/list", "", fmt.Sprintf("%d tools, %s the first", len(tools), tools[0]))
	made, err := t.create(ctx, agent)
	if err != nil {
		return err
	}
	whole, days, err := t.read(ctx, agent, made.ID)
	if err != nil {
		return err
	}
	if err := writeDays(s.out, whole, days); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.out, "All of it in %.1f s, and nothing is left behind. A server of your own: biketrip serve\n", time.Since(began).Seconds())
	return err
}

// A teller tells what the agent does.
type teller struct{ out io.Writer }

// step tells of a call and what came of it.
func (t teller) step(what, with, outcome string) {
	if with != "" {
		what += " " + with
	}
	fmt.Fprintf(t.out, "> %s\n  %s\n", what, printable(outcome))
}

// create creates the trip, and finds it in the list.
func (t teller) create(ctx context.Context, a *agent) (view.TripCreation, error) {
	start := trip.NextJuly(trip.DateOf(time.Now().UTC())).String()
	made, err := call[view.TripCreation](ctx, a, "create_trip", map[string]any{"sourceUrl": world.TourLink, "startDate": start})
	if err != nil {
		return view.TripCreation{}, err
	}
	t.step("create_trip", "sourceUrl="+world.TourLink+" startDate="+start, made.Result)
	list, err := call[view.TripList](ctx, a, "list_trips", nil)
	if err != nil {
		return view.TripCreation{}, err
	}
	if list.TotalItems != 1 || list.Member[0].ID != made.ID {
		return view.TripCreation{}, fmt.Errorf("list_trips does not list the trip: %+v", list)
	}
	t.step("list_trips", "", fmt.Sprintf("1 trip, %s", list.Member[0].Status))
	return made, nil
}

// read reads the trip until it has days, and each of them.
func (t teller) read(ctx context.Context, a *agent, id string) (whole view.Trip, days []view.Stage, err error) {
	began, pause := time.Now(), 100*time.Millisecond
	for {
		whole, err = call[view.Trip](ctx, a, "get_trip", map[string]any{"id": id})
		if err != nil {
			return view.Trip{}, nil, err
		}
		if !whole.Partial {
			break
		}
		select {
		case <-ctx.Done():
			return view.Trip{}, nil, fmt.Errorf("the days do not come: %w", ctx.Err())
		case <-time.After(pause):
			pause = min(2*pause, 2*time.Second) // calls are limited
		}
	}
	if len(whole.Stages) == 0 {
		return view.Trip{}, nil, fmt.Errorf("the trip has no days: %+v", whole.CategoryStatus)
	}
	t.step("get_trip", "id="+id, fmt.Sprintf("%s after %.1f s: %s, version %d", whole.Status, time.Since(began).Seconds(), dayCount(whole.StageCount), whole.Version))
	for _, line := range whole.Stages {
		day, err := call[view.Stage](ctx, a, "get_stage", map[string]any{"tripId": id, "stageId": line.StageID})
		if err != nil {
			return view.Trip{}, nil, err
		}
		days = append(days, day)
	}
	t.step("get_stage", "", fmt.Sprintf("of each day, the last from %s to %s", place(days[len(days)-1].StartPoint), place(days[len(days)-1].EndPoint)))
	return whole, days, nil
}

func place(p view.Point) string { return fmt.Sprintf("%.3f,%.3f", p.Lat, p.Lon) }

// writeDays prints the days of a trip as an agent has read them.
func writeDays(w io.Writer, whole view.Trip, days []view.Stage) error {
	if whole.Title == nil || whole.StartDate == nil {
		return fmt.Errorf("the trip lacks a title or a start: %+v", whole)
	}
	start, err := time.Parse(time.RFC3339, *whole.StartDate)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "\n%s\n%s km, %s\n\n", printable(*whole.Title), kilometres(whole.TotalDistance), dayCount(len(days)))
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "day\tdate\tkm\tup m\tdown m\tfrom\tto\t")
	for i, d := range days {
		cells := []string{
			strconv.Itoa(d.DayNumber), start.AddDate(0, 0, i).Format("Mon 2 Jan 2006"), kilometres(d.Distance),
			metres(d.Elevation), metres(d.ElevationLoss), place(d.StartPoint), place(d.EndPoint),
		}
		fmt.Fprintln(t, strings.Join(cells, "\t")+"\t")
	}
	if err := t.Flush(); err != nil {
		return err
	}
	_, err = fmt.Fprintln(w)
	return err
}

// kilometres writes a distance to a tenth, a dash where there is none.
func kilometres(km *float64) string {
	if km == nil {
		return "-"
	}
	return fmt.Sprintf("%.1f", *km)
}
