package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"biketrip/oauth"
	"biketrip/store"
	"biketrip/store/trip"
)

// clientPinCmd pins the document of a client.
type clientPinCmd struct {
	fileFlag
	replicaFlag
	publicFlag
	URL  string `arg:"" name:"url" help:"Address by which the application names itself: its client_id."`
	File string `arg:"" name:"file" help:"Its metadata document; - for standard input."`
	JSON bool   `help:"Print JSON for programs."`
}

// Validate refuses a file or an address that cannot be.
func (c clientPinCmd) Validate() error {
	return errors.Join(c.fileFlag.Validate(), c.publicFlag.Validate())
}

func (c clientPinCmd) Run(s *streams) error {
	text, err := c.read(s)
	if err != nil {
		return err
	}
	return c.make(s, c.replicaFlag, func(ctx context.Context, file *store.Store) error {
		uri, err := c.reached(ctx, file)
		if err != nil {
			return err
		}
		client, err := oauth.Pin(ctx, file, uri, c.URL, text)
		if err != nil {
			return err
		}
		usual, err := clientsFlag{}.rules(uri)
		if err != nil {
			return err
		}
		if _, err := usual.localhost.Among(client.RedirectURIs); err != nil {
			fmt.Fprintf(s.err, "a server at %s refuses it unless a flag says otherwise: %v\n", uri, err)
		}
		if c.JSON {
			return writeJSON(s.out, struct {
				ID           string   `json:"id"`
				Name         string   `json:"name"`
				RedirectURIs []string `json:"redirectUris"`
			}{client.ID, client.Name, client.RedirectURIs})
		}
		_, err = fmt.Fprintf(s.out, "pinned %s, %s; its document is not fetched any more\n", printable(client.ID), printable(client.Name))
		return err
	})
}

// read is the document, or the beginning of one that is too long.
func (c clientPinCmd) read(s *streams) (text []byte, err error) {
	in := s.in
	if c.File != "-" {
		f, err := os.Open(c.File)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		in = f
	}
	return io.ReadAll(io.LimitReader(in, oauth.MaxDocument+1))
}

// clientUnpinCmd has a pinned document fetched again.
type clientUnpinCmd struct {
	fileFlag
	URL string `arg:"" name:"url" help:"Address by which the application names itself: its client_id."`
}

func (c clientUnpinCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		err := oauth.Unpin(ctx, file, c.URL)
		if errors.Is(err, oauth.ErrNotPinned) {
			return fmt.Errorf("%s is not pinned; biketrip client list shows what is", printable(trip.Quoted(c.URL)))
		}
		if err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "unpinned %s; its document is fetched when it is needed\n", printable(c.URL))
		return err
	})
}

// clientRemoveCmd removes a client.
type clientRemoveCmd struct {
	fileFlag
	yesFlag
	ID string `arg:"" help:"Id of the application, from client list."`
}

func (c clientRemoveCmd) Run(s *streams) error {
	return c.beside(func(ctx context.Context, file *store.Store) error {
		var client store.Client
		err := file.View(ctx, func(tx *store.Tx) (err error) {
			client, err = tx.Client(c.ID)
			return err
		})
		if errors.Is(err, store.ErrNotFound) {
			return fmt.Errorf("there is no application %s; biketrip client list shows which there are", printable(trip.Quoted(c.ID)))
		}
		if err != nil {
			return err
		}
		if err := c.confirm(s, fmt.Sprintf("%s goes, and loses all access.", printable(client.Name))); err != nil {
			return err
		}
		if err := file.Update(ctx, func(tx *store.Tx) error { return tx.DeleteClient(c.ID, "application removed") }); err != nil {
			return err
		}
		_, err = fmt.Fprintf(s.out, "removed %s, %s\n", printable(client.Name), printable(client.ID))
		return err
	})
}
