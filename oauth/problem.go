package oauth

import (
	"errors"
	"fmt"
)

// ErrInvalidToken says that a token allows nothing: it is malformed, expired,
// somebody else's, or its grant is revoked or gone. The reason is wrapped with
// it, for whoever runs the server; who sent the token is told nothing of it.
var ErrInvalidToken = errors.New("not a valid access token")

// Why no token is issued.
var (
	// ErrUnknownUser says that there is no such user.
	ErrUnknownUser = errors.New("there is no such user")

	// ErrUnknownClient says that there is no such client.
	ErrUnknownClient = errors.New("there is no such client")

	// ErrNoScope says that no scope was asked for.
	ErrNoScope = errors.New("no scope is named")

	// ErrUnknownScope says that there is no scope of that name.
	ErrUnknownScope = errors.New("there is no such scope")
)

// invalid is ErrInvalidToken for a reason, which quotes nothing of the token.
func invalid(reason string) error { return fmt.Errorf("%w: %s", ErrInvalidToken, reason) }
