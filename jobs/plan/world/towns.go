package world

import (
	"slices"
	"strconv"

	"biketrip/store/track"
)

// Country is one of the two countries of the region. Its code is one that ISO
// 3166-1 leaves to its users.
type Country struct{ Code, Name string }

// averlia is the country south of the crest.
func averlia() Country { return Country{"XA", "Averlia"} }

// tormark is the country north of it.
func tormark() Country { return Country{"XB", "Tormark"} }

// Town is a place where people live.
type Town struct {
	ID         int64 // of its node, which the roads that end there share
	Name       string
	Kind       string // value of the OpenStreetMap key place: city, town, village or hamlet
	Population int
	Country    Country
	Point      track.Point // with its height
}

// Tags are the tags of its node in OpenStreetMap.
func (t Town) Tags() map[string]string {
	return map[string]string{"name": t.Name, "place": t.Kind, "population": strconv.Itoa(t.Population)}
}

// Pass is where a road crosses a ridge.
type Pass struct {
	ID    int64 // of its node, which the roads that end there share
	Name  string
	Point track.Point // with its height
}

// Tags are the tags of its node in OpenStreetMap.
func (p Pass) Tags() map[string]string {
	return map[string]string{"name": p.Name, "mountain_pass": "yes", "ele": strconv.Itoa(int(p.Point.Ele + 0.5))}
}

// Towns are the towns of the region, the cities among them and the hamlets.
func (w *World) Towns() []Town { return slices.Clone(w.towns) }

// Passes are the passes that roads cross.
func (w *World) Passes() []Pass { return slices.Clone(w.passes) }

// CountryAt is the country at a position in degrees: the crest is the border.
func (w *World) CountryAt(lat, lon float64) Country {
	if p := planeOf(lat, lon); p.y > crestOf(p.x) {
		return tormark()
	}
	return averlia()
}

// Border is the border between the two countries from west to east, with a
// point every half kilometre, without heights.
func (w *World) Border() []track.Point {
	var line []track.Point
	for x := 0.0; x <= widthKM; x += 0.5 {
		line = append(line, at{x, crestOf(x)}.degrees())
	}
	return line
}

// site is a place where roads end: a town, a pass, or a junction, which has no
// kind. A site in a valley lies y kilometres along it.
type site struct {
	name       string
	kind       string
	population int
	place      at
	valley     string
	along      float64
}

// pass is the kind of the site of a pass.
const pass = "pass"

// sites are all places where roads end.
func sites() []site {
	in := func(name, kind string, population int, valley string, along float64) site {
		return site{name: name, kind: kind, population: population, valley: valley, along: along}
	}
	on := func(name, kind string, population int, x, y float64) site {
		return site{name: name, kind: kind, population: population, place: at{x, y}}
	}
	by := func(name, kind string, population int, bearing float64) site {
		return site{name: name, kind: kind, population: population, place: onShore(bearing)}
	}
	return []site{
		on("Belmora", "city", 148_000, 60, 14),
		on("Castrelle", "town", 21_300, 36, 16),
		on("Saint-Aurèze", "village", 1_900, 22, 22),
		on("Pont-d'Ambre", "town", 9_800, 48, 22),
		on("Éloncourbe", "village", 2_300, 10, 12),
		on("Hautgrain", "village", 1_400, 24, 8),
		on("Fontmirel", "village", 1_700, 42, 6),
		on("Sablonne", "village", 900, 72, 6),
		on("Mirandeau", "town", 15_500, 84, 16),
		on("Rochebrise", "village", 2_600, 102, 12),
		on("L'Orméraie", "village", 760, 112, 22),
		by("Lacmare", "town", 12_400, 180),
		by("Portelune", "village", 3_100, 0),
		by("Rive-Noire", "village", 640, 90),
		by("La Cale", "", 0, 270),
		in("Aubréval", "town", 8_700, "west", 28),
		in("Combe-Froide", "village", 1_250, "west", 42),
		in("Sainte-Ulphie", "village", 540, "west", 46),
		in("Les Granges-Hautes", "hamlet", 60, "west", 55),
		in("Col de la Vierne", pass, 0, "west", crestKM),
		in("Trébiolle", "hamlet", 120, "between", 48),
		in("Col des Trois-Bornes", pass, 0, "between", 60),
		in("Valdorée", "town", 11_200, "east", 28),
		in("Montérel", "village", 980, "east", 46),
		in("Hospelle", "hamlet", 35, "east", 56),
		in("Col d'Ombrel", pass, 0, "east", crestKM),
		in("Steinvarde", "village", 2_900, "west", 80),
		in("Grönbåkk", "village", 700, "east", 80),
		on("Kaldervik", "city", 61_000, 60, 82),
		on("Ødelund", "town", 9_400, 14, 84),
		on("Lindesø", "village", 600, 42, 88),
		on("Hvitstrøm", "village", 430, 80, 87),
		on("Верхолань", "village", 1_900, 108, 83),
	}
}
