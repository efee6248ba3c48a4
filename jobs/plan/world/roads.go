package world

import (
	"slices"

	"biketrip/store/track"
)

// Road is a road from one town, pass or junction to another.
type Road struct {
	ID      int64
	Highway string        // value of the OpenStreetMap key highway
	Name    string        // empty for none
	Ref     string        // its number, empty for none
	Surface string        // value of the OpenStreetMap key surface
	Nodes   []int64       // of its points; roads that meet share the node
	Points  []track.Point // every 20 to 60 m, with heights
}

// Tags are the tags of its way in OpenStreetMap.
func (r Road) Tags() map[string]string {
	tags := map[string]string{"highway": r.Highway, "surface": r.Surface}
	if r.Name != "" {
		tags["name"] = r.Name
	}
	if r.Ref != "" {
		tags["ref"] = r.Ref
	}
	return tags
}

// Roads are the roads of the region. They meet only at their ends. Their nodes
// and points must not be changed.
func (w *World) Roads() []Road { return slices.Clone(w.roads) }

// plan is a road to be laid. It follows the valley where one is named, else a
// curve from its first site through the places to its last one. It bends to
// either side by so many kilometres.
type plan struct {
	highway, ref, name string
	from, to           string
	valley             string
	bendsKM            float64
	through            []at
}

// surface is what the road is made of.
func (p plan) surface() string {
	if p.highway == "track" {
		return "gravel"
	}
	return "asphalt"
}

// plans are all roads, each with its number and name.
func plans() []plan {
	return slices.Concat(plainRoads(), mountainRoads(), lakeRoads(), northernRoads())
}

func plainRoads() []plan {
	return []plan{
		{"primary", "N 1", "Route du Sud", "Éloncourbe", "Castrelle", "", 0.04, nil},
		{"primary", "N 1", "Route du Sud", "Castrelle", "Belmora", "", 0.04, []at{{48, 15.6}}},
		{"primary", "N 1", "Route du Sud", "Belmora", "Mirandeau", "", 0.04, []at{{72, 16}}},
		{"primary", "N 1", "Route du Sud", "Mirandeau", "Rochebrise", "", 0.04, nil},
		{"primary", "N 2", "Route de la Vierne", "Castrelle", "Aubréval", "", 0.04, nil},
		{"primary", "N 3", "Route d'Ombrel", "Mirandeau", "Valdorée", "", 0.04, nil},
		{"secondary", "D 12", "", "Castrelle", "Saint-Aurèze", "", 0.06, nil},
		{"secondary", "D 12", "", "Saint-Aurèze", "Aubréval", "", 0.08, []at{{28, 26}}},
		{"secondary", "D 14", "", "Éloncourbe", "Saint-Aurèze", "", 0.08, []at{{14, 18}}},
		{"tertiary", "D 14", "", "Éloncourbe", "Hautgrain", "", 0.08, nil},
		{"tertiary", "D 16", "", "Hautgrain", "Castrelle", "", 0.08, nil},
		{"secondary", "D 3", "", "Hautgrain", "Fontmirel", "", 0.06, []at{{33, 5}}},
		{"tertiary", "D 17", "", "Fontmirel", "Castrelle", "", 0.08, nil},
		{"secondary", "D 3", "", "Fontmirel", "Belmora", "", 0.06, nil},
		{"tertiary", "D 18", "", "Fontmirel", "Sablonne", "", 0.08, []at{{57, 3}}},
		{"secondary", "D 5", "", "Belmora", "Sablonne", "", 0.06, nil},
		{"unclassified", "", "Chemin des Saules", "Sablonne", "Mirandeau", "", 0.1, nil},
		{"tertiary", "D 18", "", "Sablonne", "Rochebrise", "", 0.08, []at{{87, 5}}},
		{"secondary", "D 20", "", "Belmora", "Pont-d'Ambre", "", 0.06, nil},
		{"tertiary", "D 21", "", "Pont-d'Ambre", "Castrelle", "", 0.08, nil},
		{"secondary", "D 30", "", "Rochebrise", "L'Orméraie", "", 0.06, []at{{109, 15}}},
		{"secondary", "D 30", "", "L'Orméraie", "Valdorée", "", 0.06, []at{{100, 28}}},
		{"tertiary", "D 31", "", "L'Orméraie", "Mirandeau", "", 0.08, []at{{98, 19}}},
		{"cycleway", "", "Voie verte des Moissons", "Castrelle", "Belmora", "", 0.03, []at{{47, 12.6}}},
		{"cycleway", "", "Voie verte des Moissons", "Belmora", "Mirandeau", "", 0.03, []at{{72, 11.6}}},
	}
}

func mountainRoads() []plan {
	return []plan{
		{"primary", "N 2", "Route de la Vierne", "Aubréval", "Combe-Froide", "west", 0.08, nil},
		{"primary", "N 2", "Route de la Vierne", "Combe-Froide", "Sainte-Ulphie", "west", 0.12, nil},
		{"primary", "N 2", "Route de la Vierne", "Sainte-Ulphie", "Les Granges-Hautes", "west", 0.18, nil},
		{"primary", "N 2", "Route de la Vierne", "Les Granges-Hautes", "Col de la Vierne", "west", 0.26, nil},
		{"primary", "K 2", "Viernaveien", "Col de la Vierne", "Steinvarde", "west", 0.22, nil},
		{"primary", "N 3", "Route d'Ombrel", "Valdorée", "Montérel", "east", 0.08, nil},
		{"primary", "N 3", "Route d'Ombrel", "Montérel", "Hospelle", "east", 0.12, nil},
		{"primary", "N 3", "Route d'Ombrel", "Hospelle", "Col d'Ombrel", "east", 0.22, nil},
		{"primary", "K 3", "Ombrelveien", "Col d'Ombrel", "Grönbåkk", "east", 0.18, nil},
		{"secondary", "D 46", "Route des Balcons", "Sainte-Ulphie", "Trébiolle", "between", 0.12, nil},
		{"secondary", "D 46", "Route des Balcons", "Trébiolle", "Col des Trois-Bornes", "between", 0.12, nil},
		{"secondary", "D 46", "Route des Balcons", "Col des Trois-Bornes", "Montérel", "between", 0.12, nil},
		{"track", "", "Chemin des Bornes", "Rive-Noire", "Col des Trois-Bornes", "", 0.3, nil},
		{"track", "", "Chemin des Alpages", "Saint-Aurèze", "Combe-Froide", "", 0.2, []at{{25, 33}, {30, 39}}},
	}
}

func lakeRoads() []plan {
	return []plan{
		{"secondary", "D 22", "", "Pont-d'Ambre", "Lacmare", "", 0.06, nil},
		{"secondary", "D 22", "", "Lacmare", "Aubréval", "", 0.08, []at{{43, 30}}},
		{"secondary", "D 24", "", "Belmora", "Portelune", "", 0.06, []at{{71.5, 23}}},
		{"secondary", "D 24", "", "Portelune", "Valdorée", "", 0.08, []at{{79, 30}}},
		{"tertiary", "D 25", "", "Portelune", "Mirandeau", "", 0.08, nil},
		{"tertiary", "D 26", "Route du Lac", "Lacmare", "Rive-Noire", "", 0.04, []at{onShore(160), onShore(135), onShore(110)}},
		{"tertiary", "D 26", "Route du Lac", "Rive-Noire", "Portelune", "", 0.04, []at{onShore(70), onShore(45), onShore(20)}},
		{"cycleway", "", "Voie du Lac", "Lacmare", "La Cale", "", 0.03, []at{onShore(200), onShore(225), onShore(250)}},
		{"cycleway", "", "Voie du Lac", "La Cale", "Portelune", "", 0.03, []at{onShore(290), onShore(315), onShore(340)}},
		{"tertiary", "D 27", "", "Pont-d'Ambre", "La Cale", "", 0.08, nil},
		{"unclassified", "", "Chemin de la Cale", "Belmora", "La Cale", "", 0.1, nil},
	}
}

func northernRoads() []plan {
	return []plan{
		{"primary", "K 1", "Kongeveien", "Steinvarde", "Kaldervik", "", 0.05, []at{{47, 80.5}}},
		{"primary", "K 1", "Kongeveien", "Kaldervik", "Grönbåkk", "", 0.05, []at{{73, 82}}},
		{"secondary", "K 12", "", "Ødelund", "Steinvarde", "", 0.08, []at{{24, 83}}},
		{"tertiary", "K 14", "", "Ødelund", "Lindesø", "", 0.08, []at{{28, 88}}},
		{"secondary", "K 15", "", "Steinvarde", "Lindesø", "", 0.08, nil},
		{"tertiary", "K 14", "", "Lindesø", "Kaldervik", "", 0.08, nil},
		{"secondary", "K 16", "", "Kaldervik", "Hvitstrøm", "", 0.08, nil},
		{"tertiary", "K 17", "", "Hvitstrøm", "Grönbåkk", "", 0.08, nil},
		{"secondary", "K 18", "", "Hvitstrøm", "Верхолань", "", 0.08, []at{{95, 87}}},
		{"tertiary", "K 19", "", "Grönbåkk", "Верхолань", "", 0.08, nil},
	}
}
