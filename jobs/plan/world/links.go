package world

import "slices"

// The links of the routes, as a rider pastes them.
const (
	// TourLink is a tour over two passes, the days of which pacing cuts.
	TourLink = "https://www.komoot.com/tour/990000000101"
	// LoopLink is a day around the lake that ends where it starts.
	LoopLink = "https://www.komoot.com/de-de/tour/990000000102?ref=wtd"
	// PlainLink is a ride across the plain, nearly flat.
	PlainLink = "https://ridewithgps.com/routes/990000201"
	// LongLink leads through the whole region, 700 km, some of it there and back.
	LongLink = "https://ridewithgps.com/routes/990000202"
	// CollectionLink is a collection of three tours, one a day. The first and
	// the second do not touch.
	CollectionLink = "https://www.komoot.com/collection/990000301/trois-jours-d-averlia"
	// UnlistedTourLink is a tour that its share token opens.
	UnlistedTourLink = "https://www.komoot.com/tour/990000000103?share_token=" + tourToken
	// UnlistedRouteLink is a route that its privacy code opens.
	UnlistedRouteLink = "https://ridewithgps.com/routes/990000203?privacy_code=" + routeCode
	// EmbedLink is a route that Strava shows on other sites.
	EmbedLink = "https://www.strava.com/routes/9900000000000000401"
	// LoginLink is a route that Strava shows to those only who have signed in.
	LoginLink = "https://www.strava.com/routes/9900000000000000402"
	// PrivateLink is a tour that its owner keeps to himself.
	PrivateLink = "https://www.komoot.com/tour/990000000104"
	// MissingLink is a tour that was deleted.
	MissingLink = "https://www.komoot.com/tour/990000000404"
	// EmptyLink is a route without a point.
	EmptyLink = "https://ridewithgps.com/routes/990000204"
	// HiccupLink is a route whose source is unavailable for Hiccup requests.
	HiccupLink = "https://ridewithgps.com/routes/990000205"
	// OutageLink is a route whose source is unavailable for Outage requests.
	OutageLink = "https://ridewithgps.com/routes/990000206"
	// DownLink is a route whose source never answers but with status 503.
	DownLink = "https://ridewithgps.com/routes/990000503"
	// HugeLink is the way of LongLink with HugePoints points.
	HugeLink = "https://ridewithgps.com/routes/990000207"
)

const (
	// Hiccup is how many requests are answered with status 503 before
	// HiccupLink opens: so few that a client that tries again does not notice.
	Hiccup = 2
	// Outage is the same of OutageLink: so many that a client gives up once.
	Outage = 5
	// HugePoints is how many points HugeLink has.
	HugePoints = 100_000
)

// The keys of the unlisted routes.
const (
	tourToken = "aVaKm2xw0RzQ7yJbN4cT"
	routeCode = "Hq3Lm8Zk5Vw1"
)

// Link is a link and what comes of it.
type Link struct {
	Name  string // a word or two
	URL   string
	Gives string // what comes of it, a sentence
}

// Links are all links of the world.
func Links() []Link {
	return []Link{
		{"tour", TourLink, "Five days over two passes and a border, from Komoot."},
		{"loop", LoopLink, "A day around the lake, from Komoot, by a link in German."},
		{"plain", PlainLink, "A flat ride across the plain, from RideWithGPS."},
		{"long", LongLink, "The whole region in 700 km, some of it there and back, from RideWithGPS."},
		{"collection", CollectionLink, "Three tours, a day each, from Komoot; some kilometres are missing between the first and the second."},
		{"unlisted tour", UnlistedTourLink, "A tour that opens with the share token of the link, from Komoot."},
		{"unlisted route", UnlistedRouteLink, "A route that opens with the privacy code of the link, from RideWithGPS."},
		{"embed", EmbedLink, "A route that Strava shows to everyone."},
		{"login", LoginLink, "A route that Strava shows only to those who sign in: needs a login."},
		{"private", PrivateLink, "A tour of Komoot that is private."},
		{"missing", MissingLink, "A tour that Komoot does not have: not found."},
		{"empty", EmptyLink, "A route of RideWithGPS without a point: no route in it."},
		{"hiccup", HiccupLink, "A route of RideWithGPS that comes after two answers with status 503."},
		{"outage", OutageLink, "A route of RideWithGPS that comes after five answers with status 503: the first attempt fails."},
		{"down", DownLink, "A route of RideWithGPS that never comes: always status 503."},
		{"huge", HugeLink, "The long route with 100,000 points, for measuring, from RideWithGPS."},
	}
}

// trek is a route as it is drawn.
type trek struct {
	title   string
	lessM   float64  // what is left out at its start
	passing []string // sites in order
}

// long is the trek of LongLink and of HugeLink.
func long() trek {
	return trek{title: "Grand tour d'Averlie et retour", passing: slices.Concat(
		[]string{"Belmora", "Fontmirel", "Hautgrain", "Éloncourbe", "Saint-Aurèze", "Aubréval", "Sainte-Ulphie", "Col de la Vierne"},
		[]string{"Steinvarde", "Ødelund", "Lindesø", "Kaldervik", "Hvitstrøm", "Верхолань", "Grönbåkk", "Col d'Ombrel"},
		[]string{"Montérel", "Trébiolle", "Montérel", "Valdorée", "L'Orméraie", "Rochebrise", "Sablonne", "Mirandeau", "Portelune"},
		[]string{"Rive-Noire", "Portelune", "La Cale", "Lacmare", "Pont-d'Ambre", "Castrelle", "Hautgrain", "Castrelle", "Saint-Aurèze", "Castrelle", "Belmora"},
	)}
}

// treks are the routes that are drawn, by address. What a collection is made of
// has an address of its own each.
func treks() map[string]trek {
	return map[string]trek{
		addressOf(TourLink): {"Les deux cols: Vierne & Ombrel \"par l'ouest\"", 0, []string{
			"Belmora", "Pont-d'Ambre", "Lacmare", "Aubréval", "Sainte-Ulphie", "Col de la Vierne", "Steinvarde", "Kaldervik",
			"Grönbåkk", "Col d'Ombrel", "Montérel", "Valdorée", "Portelune", "Belmora"}},
		addressOf(LoopLink):          {"Tour du lac", 0, []string{"Lacmare", "Rive-Noire", "Portelune", "La Cale", "Pont-d'Ambre", "Lacmare"}},
		addressOf(PlainLink):         {"Route du Sud", 0, []string{"Éloncourbe", "Castrelle", "Belmora", "Mirandeau", "Rochebrise"}},
		addressOf(LongLink):          long(),
		addressOf(UnlistedTourLink):  {"Notre lune de miel", 0, []string{"Kaldervik", "Steinvarde", "Lindesø", "Kaldervik"}},
		addressOf(UnlistedRouteLink): {"До Верхолани и обратно", 0, []string{"Kaldervik", "Hvitstrøm", "Верхолань", "Grönbåkk", "Kaldervik"}},
		addressOf(EmbedLink):         {"Balcons d'Averlie </script>", 0, []string{"Aubréval", "Sainte-Ulphie", "Trébiolle", "Montérel", "Valdorée"}},
		addressOf(HiccupLink):        {"Voie verte des Moissons", 0, []string{"Castrelle", "Belmora", "Mirandeau"}},
		addressOf(OutageLink):        {"Autour de Belmora", 0, []string{"Belmora", "Pont-d'Ambre", "Lacmare", "Rive-Noire", "Portelune", "Belmora"}},
		tourAddress(301):             {"Jour 1: vers les montagnes", 0, []string{"Belmora", "Pont-d'Ambre", "Lacmare", "Aubréval"}},
		tourAddress(302):             {"Jour 2: les balcons", 4000, []string{"Aubréval", "Combe-Froide", "Sainte-Ulphie", "Trébiolle", "Montérel"}},
		tourAddress(303):             {"Jour 3: la descente", 0, []string{"Montérel", "Valdorée", "L'Orméraie", "Rochebrise"}},
	}
}
