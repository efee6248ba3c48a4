package tool

import "context"

const searchPlacesText = "Finds where a place is: turns the name of a town, pass (col) or landmark into coordinates, in the map of this server, else through the public OpenStreetMap Nominatim service. Use it when the user names a place that edit_stages or add_waypoint needs as coordinates; never guess coordinates. Do not use it to look for beds or shops on a day: get_stage already lists them. Add the region or country when several places share the name."

type searchPlacesArguments struct {
	Q     string `json:"q"`
	Limit *int   `json:"limit"`
}

func (d desk) searchPlaces(ctx context.Context, c caller, _ searchPlacesArguments) (none, error) {
	return none{}, d.Planner.SearchPlaces(ctx, c.actor())
}
