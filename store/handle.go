package store

import (
	"context"
	"database/sql"
	"fmt"
	"sync"
)

// How connections are set up. Where the driver has a key of its own it is
// taken, since a wrong value then refuses to open instead of being ignored.
// FULL makes a commit outlive a power cut: a code that was consumed must not
// come back. 10000 pages of log, about 40 MB, bound the log while nobody else
// checkpoints it.
const (
	common = "mode=rw&_busy_timeout=5000&_journal_mode=wal&_synchronous=full" +
		"&_pragma=wal_autocheckpoint(10000)&_pragma=cache_size(-16000)&_pragma=temp_store(memory)" +
		"&_dqs=0&_defensive=1&_error_rc=1"
	writing   = common + "&_txlock=immediate&_foreign_keys=1"
	reading   = common + "&_foreign_keys=1&_query_only=1"
	migrating = common + "&_txlock=immediate&_foreign_keys=0"
)

// readers is the number of connections that read at the same time.
const readers = 8

// A query is one SQL statement, written beside the function that runs it.
type query string

// A handle is a pool of connections of one kind and the statements prepared on
// them. It is safe for concurrent use.
type handle struct {
	db *sql.DB

	mu       sync.Mutex
	prepared map[query]*sql.Stmt
	wanted   map[query]bool // used by a transaction, prepared before the next one
}

// selectJournalMode tells the journal mode SQLite has settled for, which need
// not be the one it was asked for.
const selectJournalMode query = `PRAGMA journal_mode`

// openHandle opens the file at path with one connection, to be joined by others
// up to the limit as they are needed.
func openHandle(ctx context.Context, path, parameters string, limit int) (*handle, error) {
	db, err := sql.Open(driver, fileURI(path, parameters))
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(limit)
	db.SetMaxIdleConns(limit)
	var mode string
	if err := db.QueryRowContext(ctx, string(selectJournalMode)).Scan(&mode); err != nil {
		db.Close()
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	if mode != "wal" {
		db.Close()
		return nil, fmt.Errorf("open %s: the file system allows no write-ahead log, journal mode is %s", path, mode)
	}
	return &handle{db: db, prepared: map[query]*sql.Stmt{}, wanted: map[query]bool{}}, nil
}

// statement is q prepared, nil where it is not yet. It cannot be prepared right
// then: that takes a connection, which a transaction would wait for while it
// holds the last one.
func (h *handle) statement(q query) *sql.Stmt {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.prepared[q] == nil {
		h.wanted[q] = true
	}
	return h.prepared[q]
}

// prepare prepares the statements that were wanted. The caller holds no
// connection.
func (h *handle) prepare(ctx context.Context) error {
	h.mu.Lock()
	wanted := h.wanted
	h.wanted = map[query]bool{}
	h.mu.Unlock()
	for q := range wanted {
		s, err := h.db.PrepareContext(ctx, string(q))
		if err != nil {
			return err
		}
		h.mu.Lock()
		if h.prepared[q] == nil {
			h.prepared[q], s = s, nil
		}
		h.mu.Unlock()
		if s != nil {
			s.Close()
		}
	}
	return nil
}
