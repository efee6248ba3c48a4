package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"biketrip/oauth"
	"biketrip/store"
)

// clientCmd are the verbs about the applications that may act for people.
type clientCmd struct {
	Add    clientAddCmd    `cmd:"" help:"Add an application, such as an agent."`
	List   clientListCmd   `cmd:"" help:"List the applications."`
	Pin    clientPinCmd    `cmd:"" help:"Keep the metadata document of an application, so that it is never fetched."`
	Unpin  clientUnpinCmd  `cmd:"" help:"Have a pinned document fetched again."`
	Remove clientRemoveCmd `cmd:"" help:"Remove an application, and revoke its access."`
}

// clientAddCmd adds a client.
type clientAddCmd struct {
	fileFlag
	replicaFlag
	Name        string   `required:"" help:"Name of the application, as people are shown it, up to 128 characters."`
	RedirectURI []string `name:"redirect-uri" sep:"none" placeholder:"URI" help:"Where the application is answered when it asks a person for access: https, http to this computer, or a scheme of its own; may be repeated."`
	JSON        bool     `help:"Print JSON for programs."`
}

func (c clientAddCmd) Run(s *streams) error {
	return c.make(s, c.replicaFlag, func(ctx context.Context, file *store.Store) error {
		client, err := oauth.AddClient(ctx, file, c.Name, c.RedirectURI)
		if err != nil {
			return err
		}
		if c.JSON {
			return writeJSON(s.out, struct {
				ID string `json:"id"`
			}{client.ID})
		}
		hint := ""
		if len(client.RedirectURIs) == 0 {
			hint = "it is given tokens, and cannot ask a person for access: that takes --redirect-uri\n"
		}
		_, err = fmt.Fprintf(s.out, "added %s, id %s\n%sa token for it: biketrip token --user EMAIL --client %s\n", printable(client.Name), client.ID, hint, client.ID)
		return err
	})
}

// clientListCmd lists the clients.
type clientListCmd struct {
	fileFlag
	JSON bool `help:"Print JSON for programs."`
}

// listedClient is a client as a program reads it.
type listedClient struct {
	ID           string           `json:"id"`
	Name         string           `json:"name"`
	Kind         store.ClientKind `json:"kind"`
	RedirectURIs []string         `json:"redirectUris"`
	Pinned       bool             `json:"pinned"` // its document is never fetched
	CreatedAt    time.Time        `json:"createdAt"`
}

func (c clientListCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		var clients []store.Client
		err := file.View(ctx, func(tx *store.Tx) (err error) {
			clients, err = tx.Clients()
			return err
		})
		if err != nil {
			return err
		}
		listed := []listedClient{}
		rows := [][]string{{"name", "kind", "since", "id", "redirect URIs"}}
		for _, c := range clients {
			pinned := c.Kind == store.ClientDocument && c.ExpiresAt.IsZero()
			listed = append(listed, listedClient{c.ID, c.Name, c.Kind, c.RedirectURIs, pinned, c.CreatedAt})
			kind := string(c.Kind)
			if pinned {
				kind += ", pinned"
			}
			uris := "-"
			if len(c.RedirectURIs) > 0 {
				uris = strings.Join(c.RedirectURIs, " ")
			}
			rows = append(rows, []string{printable(c.Name), kind, c.CreatedAt.Format(time.DateOnly), printable(c.ID), printable(uris)})
		}
		if c.JSON {
			return writeJSON(s.out, listed)
		}
		if len(clients) == 0 {
			_, err := fmt.Fprintln(s.out, "no application yet; add one with: biketrip client add --name NAME")
			return err
		}
		return writeRows(s.out, rows)
	})
}
