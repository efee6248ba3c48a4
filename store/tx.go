package store

import (
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/google/uuid"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Tx is a transaction in progress. It belongs to the function it was handed
// to and to one goroutine.
type Tx struct {
	Now time.Time // when the transaction began: UTC, whole milliseconds

	store      *Store
	ctx        context.Context
	handle     *handle
	sql        *sql.Tx
	statements map[query]*sql.Stmt // those used so far
	committed  []func()
}

func (s *Store) newTx(ctx context.Context, h *handle, sqlTx *sql.Tx) *Tx {
	return &Tx{
		Now:        s.now().UTC().Truncate(time.Millisecond),
		store:      s,
		ctx:        ctx,
		handle:     h,
		sql:        sqlTx,
		statements: map[query]*sql.Stmt{},
	}
}

// OnCommit calls fn once the transaction is committed, and not at all where it
// is undone or only reads.
func (tx *Tx) OnCommit(fn func()) { tx.committed = append(tx.committed, fn) }

// SQL is the transaction itself, for the messages of the queue: every other
// statement is a method of Tx. ctx bounds its statements.
func (tx *Tx) SQL() (ctx context.Context, sqlTx *sql.Tx) { return tx.ctx, tx.sql }

// NewID is a new UUID of version 7 (RFC 9562, section 5.7), of the time of the
// transaction, with a counter after it (section 6.2, method 1): the ids one
// store makes in a millisecond are in order unless the counter of 12 bits turns
// over among them. It panics where there is no randomness to be had.
func (tx *Tx) NewID() string {
	var id uuid.UUID
	if _, err := io.ReadFull(tx.store.random, id[8:]); err != nil {
		panic(fmt.Errorf("random bytes of an id: %w", err))
	}
	ms := uint64(tx.Now.UnixMilli())
	binary.BigEndian.PutUint16(id[0:], uint16(ms>>32))
	binary.BigEndian.PutUint32(id[2:], uint32(ms))
	binary.BigEndian.PutUint16(id[6:], 7<<12|uint16(tx.store.ids.Add(1)&0xfff))
	id[8] = 0x80 | id[8]&0x3f // variant
	return id.String()
}

// instant is a stored instant.
func instant(ms int64) time.Time { return time.UnixMilli(ms).UTC() }

// statement is q as a statement of this transaction.
func (tx *Tx) statement(q query) (*sql.Stmt, error) {
	if s := tx.statements[q]; s != nil {
		return s, nil
	}
	var s *sql.Stmt
	if prepared := tx.handle.statement(q); prepared != nil {
		s = tx.sql.StmtContext(tx.ctx, prepared)
	} else {
		var err error
		if s, err = tx.sql.PrepareContext(tx.ctx, string(q)); err != nil {
			return nil, err
		}
	}
	tx.statements[q] = s
	return s, nil
}

// exec runs a statement without rows and counts those it changed. A row that
// would hang on one that does not exist is ErrNotFound.
func (tx *Tx) exec(q query, args ...any) (changed int64, err error) {
	s, err := tx.statement(q)
	if err != nil {
		return 0, err
	}
	result, err := s.ExecContext(tx.ctx, args...)
	if hasCode(err, sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY) {
		return 0, ErrNotFound
	}
	if err != nil {
		return 0, err
	}
	return result.RowsAffected()
}

// change is exec for a statement that changes one row, ErrNotFound where there
// is none.
func (tx *Tx) change(q query, args ...any) error {
	changed, err := tx.exec(q, args...)
	if err == nil && changed == 0 {
		return ErrNotFound
	}
	return err
}

// A scanner is the row a scan function reads: *sql.Row or *sql.Rows.
type scanner interface {
	Scan(dest ...any) error
}

// one is the single row of q, ErrNotFound where there is none.
func one[T any](tx *Tx, scan func(scanner) (T, error), q query, args ...any) (T, error) {
	var none T
	s, err := tx.statement(q)
	if err != nil {
		return none, err
	}
	v, err := scan(s.QueryRowContext(tx.ctx, args...))
	if errors.Is(err, sql.ErrNoRows) {
		return none, ErrNotFound
	}
	return v, err
}

// many are the rows of q.
func many[T any](tx *Tx, scan func(scanner) (T, error), q query, args ...any) ([]T, error) {
	s, err := tx.statement(q)
	if err != nil {
		return nil, err
	}
	rows, err := s.QueryContext(tx.ctx, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []T
	for rows.Next() {
		v, err := scan(rows)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// during says what failed. ErrNotFound stays as it is.
func during(operation string, err error) error {
	if err == nil || errors.Is(err, ErrNotFound) {
		return err
	}
	return fmt.Errorf("%s: %w", operation, err)
}
