package oauth

import (
	"fmt"
	"testing"

	"biketrip/store"
)

// BenchmarkVerify is the cost of the bearer check of every call, in a file with
// 20,000 grants.
func BenchmarkVerify(b *testing.B) {
	o := newOffice(b)
	o.update(func(tx *store.Tx) error {
		for i := range 20_000 {
			g := store.Grant{UserID: o.user.ID, ClientID: fmt.Sprint("https://client.example/", i), ClientName: "x", Scopes: []string{testRead}}
			if err := tx.CreateGrant(&g); err != nil {
				return err
			}
		}
		return nil
	})
	token := o.issue(testRead, testWrite).Token
	b.ReportAllocs()
	for b.Loop() {
		if _, err := o.server.Verify(b.Context(), token); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSignature is what the first call with a token costs on top.
func BenchmarkSignature(b *testing.B) {
	o := newOffice(b)
	token := o.issue(testRead, testWrite).Token
	b.ReportAllocs()
	for b.Loop() {
		o.server.verified.forget(hashOf(token))
		if _, err := o.server.read(token); err != nil {
			b.Fatal(err)
		}
	}
}
