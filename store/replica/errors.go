package replica

import "errors"

// Why there is no copy, or none from a copy.
var (
	// ErrOutOfReach says that the replica did not answer, so that nobody knows
	// what it holds.
	ErrOutOfReach = errors.New("the replica does not answer")

	// ErrDamaged says that the replica holds something from which no sound
	// database can be made.
	ErrDamaged = errors.New("the replica is damaged")

	// ErrBehind says that the replica may lack the last writes.
	ErrBehind = errors.New("the replica may lack the last writes")

	// ErrClosed says that replication has ended.
	ErrClosed = errors.New("replication is closed")
)

// errName says that Litestream takes a part of the name for something else.
var errName = errors.New("a database whose name has ?, # or % in it cannot be replicated")

// errOtherHistory says that the replica is further than the file itself.
var errOtherHistory = errors.New("the replica holds more than was sent to it")
