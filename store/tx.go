package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/google/uuid"
	sqlite3 "modernc.org/sqlite/lib"
)

// A Tx is a transaction in progress. It belongs to the function it was handed
// to and to one goroutine.
type Tx struct {
	Now time.Time // when the transaction began: UTC, whole milliseconds

	ctx        context.Context
	handle     *handle
	sql        *sql.Tx
	statements map[query]*sql.Stmt // those used so far
}

func (s *Store) newTx(ctx context.Context, h *handle, sqlTx *sql.Tx) *Tx {
	return &Tx{
		Now:        s.now().UTC().Truncate(time.Millisecond),
		ctx:        ctx,
		handle:     h,
		sql:        sqlTx,
		statements: map[query]*sql.Stmt{},
	}
}

// NewID is a new UUID of version 7 (RFC 9562, section 5.7).
func (tx *Tx) NewID() string {
	return uuid.Must(uuid.NewV7()).String()
}

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
