package cli

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"biketrip/store"
	"biketrip/store/trip"
)

// grantCmd are the verbs about what people have granted to applications.
type grantCmd struct {
	List   grantListCmd   `cmd:"" help:"List what people have granted to applications."`
	Revoke grantRevokeCmd `cmd:"" help:"Revoke a grant: the next call of the application is refused."`
}

// grantListCmd lists the grants that are alive.
type grantListCmd struct {
	fileFlag
	User string `placeholder:"EMAIL" help:"Only those of this user."`
	JSON bool   `help:"Print JSON for programs."`
}

// listedGrant is a grant as a program reads it.
type listedGrant struct {
	ID           string     `json:"id"`
	User         string     `json:"user"`
	Client       string     `json:"client"` // its name, as the person saw it
	ClientID     string     `json:"clientId"`
	Scopes       []string   `json:"scopes"`
	RedirectHost *string    `json:"redirectHost"` // where the answer went; null: the operator handed out a token
	CreatedAt    time.Time  `json:"createdAt"`
	LastUsedAt   *time.Time `json:"lastUsedAt"` // to the minute or so; null: never
}

func (c grantListCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		listed, err := c.grants(ctx, file)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, listed)
		}
		if len(listed) == 0 {
			_, err := fmt.Fprintln(s.out, "no application has access")
			return err
		}
		rows := [][]string{{"application", "user", "scopes", "since", "last used", "answers went to", "id"}}
		for _, g := range listed {
			used, host := "never", "-"
			if g.LastUsedAt != nil {
				used = g.LastUsedAt.Format(time.DateOnly)
			}
			if g.RedirectHost != nil {
				host = printable(*g.RedirectHost)
			}
			rows = append(rows, []string{printable(g.Client), g.User, strings.Join(g.Scopes, " "), g.CreatedAt.Format(time.DateOnly), used, host, g.ID})
		}
		return writeRows(s.out, rows)
	})
}

// grants are those that are asked for, by user, oldest first.
func (c grantListCmd) grants(ctx context.Context, file *store.Store) ([]listedGrant, error) {
	var one store.User
	if c.User != "" {
		var err error
		if one, err = userByEmail(ctx, file, c.User); err != nil {
			return nil, err
		}
	}
	listed := []listedGrant{}
	err := file.View(ctx, func(tx *store.Tx) error {
		users, err := tx.Users()
		if err != nil {
			return err
		}
		for _, u := range users {
			if c.User != "" && u.ID != one.ID {
				continue
			}
			grants, err := tx.LiveGrants(u.ID)
			if err != nil {
				return err
			}
			for _, g := range grants {
				listed = append(listed, listGrant(u, g))
			}
		}
		return nil
	})
	return listed, err
}

func listGrant(u store.User, g store.Grant) listedGrant {
	l := listedGrant{ID: g.ID, User: u.Email, Client: g.ClientName, ClientID: g.ClientID, Scopes: g.Scopes, CreatedAt: g.CreatedAt}
	if g.RedirectHost != "" {
		l.RedirectHost = &g.RedirectHost
	}
	if !g.LastUsedAt.IsZero() {
		l.LastUsedAt = &g.LastUsedAt
	}
	return l
}

// grantRevokeCmd revokes a grant.
type grantRevokeCmd struct {
	fileFlag
	yesFlag
	ID string `arg:"" help:"Id of the grant, from grant list."`
}

func (c grantRevokeCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		var g store.Grant
		others := -1 // besides g
		err := file.View(ctx, func(tx *store.Tx) (err error) {
			if g, err = tx.Grant(c.ID); err != nil {
				return err
			}
			all, err := tx.Grants(g.UserID, g.ClientID)
			for _, other := range all {
				if other.RevokedAt.IsZero() {
					others++
				}
			}
			return err
		})
		if errors.Is(err, store.ErrNotFound) || err == nil && !g.RevokedAt.IsZero() {
			return fmt.Errorf("no application has access by %s; biketrip grant list shows which have", printable(trip.Quoted(c.ID)))
		}
		if err != nil {
			return err
		}
		question := fmt.Sprintf("%s loses its access.", printable(g.ClientName))
		if others > 0 {
			question = fmt.Sprintf("%s loses what this grant gives it, and keeps %d more of this person's.", printable(g.ClientName), others)
		}
		if err := c.confirm(s, question); err != nil {
			return err
		}
		err = file.Update(ctx, func(tx *store.Tx) error { return tx.RevokeGrant(g.ID, "by the operator") })
		if err != nil && !errors.Is(err, store.ErrNotFound) { // revoked meanwhile
			return err
		}
		_, err = fmt.Fprintf(s.out, "revoked %s\n", g.ID)
		return err
	})
}
