package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"biketrip/oauth"
	"biketrip/store"
)

// An exchange is a request for tokens, and what came of it.
type exchange struct {
	form   url.Values
	status int // 0: no answer came
	tokens struct {
		Access  string `json:"access_token"`
		Refresh string `json:"refresh_token"`
		Error   string
	}
}

// send sends it from an address of its own, so that no limit is met.
func (e *exchange) send(server, from string) {
	e.status = 0
	r, err := http.NewRequest(http.MethodPost, server+"/oauth/token", strings.NewReader(e.form.Encode()))
	if err != nil {
		return
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("X-Forwarded-For", from)
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return
	}
	defer res.Body.Close()
	if body, err := io.ReadAll(res.Body); err == nil && json.Unmarshal(body, &e.tokens) == nil {
		e.status = res.StatusCode
	}
}

// TestKillBesideTokens takes the power from a server that exchanges codes and
// renews tokens. What it has answered holds; who got no answer and asks again is
// told so or gets tokens, as the file has it; and no grant has two refresh tokens.
func TestKillBesideTokens(t *testing.T) {
	const grants, callers = 40, 16
	dir := t.TempDir()
	args := []string{"--trusted-proxy", "127.0.0.1/32"}
	s := startServer(t, dir, nil, args...)
	file, err := store.OpenBeside(t.Context(), store.Options{Path: dbIn(dir)})
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var user store.User
	if err := file.Update(t.Context(), func(tx *store.Tx) (err error) {
		user, err = tx.CreateUser("anna@example.org", "en")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	for round := range rounds(t) {
		asked := codesOf(t, file, user.ID, grants)
		for _, renew := range []bool{false, true} {
			var all sync.WaitGroup
			queue, address := make(chan int, grants), s.address
			for i := range asked {
				queue <- i
			}
			close(queue)
			for range callers {
				all.Go(func() {
					for i := range queue {
						asked[i].send(address, fmt.Sprintf("10.%d.%d.%d", round, i, rand.IntN(250)))
					}
				})
			}
			time.Sleep(rand.N(250 * time.Millisecond))
			s.kill()
			all.Wait()
			s = startServer(t, dir, nil, args...)
			next := settleTokens(t, file, s.address, asked, renew)
			t.Logf("round %d: of %d, %d were answered before the end", round, len(asked), next.answered)
			asked = next.renewals
		}
	}
}

// rounds is how often the power is taken.
func rounds(t *testing.T) int {
	if testing.Short() {
		return 1
	}
	return 4
}

// codesOf are exchanges of new codes, each of a grant of its own.
func codesOf(t *testing.T, file *store.Store, userID string, n int) []*exchange {
	t.Helper()
	var out []*exchange
	err := file.Update(t.Context(), func(tx *store.Tx) error {
		for i := range n {
			g := store.Grant{UserID: userID, ClientID: "agent", ClientName: "Agent", RedirectHost: "127.0.0.1", Scopes: []string{"trips:read"}}
			if err := tx.CreateGrant(&g); err != nil {
				return err
			}
			code := fmt.Sprintf("code-%s-%d", g.ID, i)
			err := tx.CreateCode(store.AuthorizationCode{Hash: oauth.HashOf(code), GrantID: g.ID, RedirectURI: "http://127.0.0.1/cb", Challenge: pkceChallenge, ExpiresAt: tx.Now.Add(2 * time.Minute)})
			if err != nil {
				return err
			}
			out = append(out, &exchange{form: url.Values{"grant_type": {"authorization_code"}, "client_id": {"agent"}, "code": {code}, "code_verifier": {pkceVerifier}}})
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// settled is what is left of exchanges after the server was taken away.
type settledTokens struct {
	answered int
	renewals []*exchange // of those that got tokens in the end
}

// settleTokens asks again where no answer came, and looks at what all have.
func settleTokens(t *testing.T, file *store.Store, server string, asked []*exchange, renewed bool) (out settledTokens) {
	t.Helper()
	for i, e := range asked {
		switch e.status {
		case http.StatusOK:
			out.answered++
		case 0:
			e.send(server, fmt.Sprintf("10.200.%d.1", i))
			if e.status != http.StatusOK && (e.status != http.StatusBadRequest || e.tokens.Error != "invalid_grant") {
				t.Errorf("asked again: %d %s", e.status, e.tokens.Error)
			}
		default:
			t.Errorf("it answered %d %s", e.status, e.tokens.Error)
		}
		if e.status == http.StatusOK {
			out.renewals = append(out.renewals, &exchange{form: url.Values{"grant_type": {"refresh_token"}, "client_id": {"agent"}, "refresh_token": {e.tokens.Refresh}}})
		}
	}
	if renewed {
		for i, e := range out.renewals {
			if e.send(server, fmt.Sprintf("10.201.%d.1", i)); e.status != http.StatusOK {
				t.Errorf("a refresh token that was given is not good: %d %s", e.status, e.tokens.Error)
			}
		}
	}
	err := file.View(t.Context(), func(tx *store.Tx) error {
		ctx, sqlTx := tx.SQL()
		var most int
		err := sqlTx.QueryRowContext(ctx, `SELECT coalesce(max(n), 0) FROM (SELECT count(*) AS n FROM refresh_token WHERE rotated_at IS NULL GROUP BY grant_id)`).Scan(&most)
		if most > 1 {
			t.Errorf("a grant has %d refresh tokens", most)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
