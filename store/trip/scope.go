package trip

// The scopes that a person grants to an application. They are independent: to
// change a trip is not to read it.
const (
	ScopeRead  = "trips:read"  // read the person's trips and their days, and search places
	ScopeWrite = "trips:write" // create, change, share and delete the person's trips
)

// Scopes are all scopes, in the published order.
func Scopes() []string { return []string{ScopeRead, ScopeWrite} }
