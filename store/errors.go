package store

import "errors"

// Why a file is not opened.
var (
	// ErrServerRunning says that another process holds the lock of the file.
	ErrServerRunning = errors.New("another biketrip server holds the file")

	// ErrNoFile says that there is no file and that none was to be made.
	ErrNoFile = errors.New("there is no database file yet")

	// ErrNotDatabase says that the file is something else than SQLite.
	ErrNotDatabase = errors.New("the file is not an SQLite database")

	// ErrForeign says that the file is a database of another program.
	ErrForeign = errors.New("the file belongs to another program")

	// ErrNewerFile says that the schema is newer than this program.
	ErrNewerFile = errors.New("the file was upgraded by a newer biketrip")

	// ErrOlderFile says that the schema is older than this program, which only
	// the server upgrades.
	ErrOlderFile = errors.New("the file is of an older biketrip")
)

// ErrMoved says that the file was removed or replaced while it was open.
var ErrMoved = errors.New("the database file was removed or replaced while the server runs")

// Why a row is not read or written.
var (
	// ErrNotFound says that there is no such row, or that it is somebody
	// else's. It is returned as it is, so that no answer tells one from the
	// other.
	ErrNotFound = errors.New("not found")

	// ErrEmailTaken says that the address is that of another user.
	ErrEmailTaken = errors.New("the e-mail address is already in use")

	// ErrEmailInvalid says that the text is no e-mail address.
	ErrEmailInvalid = errors.New("not an e-mail address")

	// ErrClientTaken says that there is a client of that id already.
	ErrClientTaken = errors.New("the client_id is already in use")

	// ErrLanguageUnknown says that pages and alerts are not written in that
	// language.
	ErrLanguageUnknown = errors.New("the language is neither en nor fr")
)
