package oauth

import (
	"context"
	"time"

	"biketrip/store"
)

const (
	// writeEvery is the time between two writes of when grants were used.
	writeEvery = time.Minute
	// renewEvery is the time between two looks at whether the keys are due.
	renewEvery = time.Hour
	// codeMemory is how long a code is remembered after its end, so that one that
	// comes again is known to be stolen.
	codeMemory = 24 * time.Hour
	// leave is how long the last of them may take when the server stops.
	leave = 5 * time.Second
)

// use notes that a grant was used just now.
func (s *Server) use(grantID string) {
	now := s.now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.used[grantID] = now
}

// Run writes once a minute when grants were last used, and once more when ctx
// ends, renews the keys when their time is over, and forgets what has expired. It
// is called once; its error is nil.
func (s *Server) Run(ctx context.Context) error {
	tick, due := time.NewTicker(writeEvery), time.NewTicker(renewEvery)
	defer tick.Stop()
	defer due.Stop()
	for {
		select {
		case <-due.C:
			if err := s.keys.Renew(); err != nil {
				s.log.Warn("the keys of access tokens are not renewed", "error", err)
			}
			s.verified.sweep(s.now())
			if err := s.forget(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("what has expired is not forgotten yet", "error", err)
			}
		case <-tick.C:
			// One that fails because ctx ends is followed by the last one.
			if err := s.writeUses(ctx); err != nil && ctx.Err() == nil {
				s.log.Warn("when grants were last used is not written yet", "error", err)
			}
		case <-ctx.Done():
			last, cancel := context.WithTimeout(context.WithoutCancel(ctx), leave)
			defer cancel()
			if err := s.writeUses(last); err != nil {
				s.log.Warn("when grants were last used is not written", "error", err)
			}
			return nil
		}
	}
}

// forget forgets the requests, codes and refresh tokens that have expired, and a
// day later the clients that nobody knows any more.
func (s *Server) forget(ctx context.Context) error {
	return s.store.Update(ctx, func(tx *store.Tx) error {
		if err := tx.ForgetCodes(tx.Now.Add(-codeMemory)); err != nil {
			return err
		}
		if err := tx.ForgetRequests(tx.Now); err != nil {
			return err
		}
		if err := tx.ForgetClients(tx.Now.Add(-idleRegistration)); err != nil {
			return err
		}
		return tx.ForgetRefreshTokens(tx.Now)
	})
}

// writeUses writes when grants were last used, where any were. What cannot be
// written is kept for the next time.
func (s *Server) writeUses(ctx context.Context) error {
	s.mu.Lock()
	used := s.used
	s.used = map[string]time.Time{}
	s.mu.Unlock()
	if len(used) == 0 {
		return nil
	}
	err := s.store.Update(ctx, func(tx *store.Tx) error {
		for id, at := range used {
			if err := tx.TouchGrant(id, at); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, at := range used {
		if at.After(s.used[id]) {
			s.used[id] = at
		}
	}
	return err
}
