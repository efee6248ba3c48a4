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

// errNoKeys says that nobody could be let into the bucket.
var errNoKeys = errors.New("replica: no keys for the bucket: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY")

// errLeftOver says that the log of a file that is gone is still there. SQLite
// would play it into a new one.
var errLeftOver = errors.New("half of a database")

// errIncomplete says that parts of the replica are gone that were there.
var errIncomplete = errors.New("parts of the replica are gone")

// errOtherHistory says that the replica is further than the file itself.
var errOtherHistory = errors.New("the replica holds more than this server has sent: does another one write to it?")
