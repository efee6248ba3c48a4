package oauth

import (
	"fmt"
	"os"
	"testing"
	"time"
)

// TestMemoryIsBounded holds a memory to its size, with the newest in it.
func TestMemoryIsBounded(t *testing.T) {
	var m memory
	for i := range maxRemembered + 100 {
		h := HashOf(fmt.Sprint(i))
		m.remember(h, signed{keyID: fmt.Sprint(i)})
		if got, ok := m.recall(h); !ok || got.keyID != fmt.Sprint(i) {
			t.Fatalf("%d is not remembered", i)
		}
	}
	if len(m.tokens) != maxRemembered {
		t.Errorf("%d remembered", len(m.tokens))
	}
}

// TestRememberedTokens remembers what is good, as long as it is.
func TestRememberedTokens(t *testing.T) {
	o := newOffice(t)
	issued := o.issue(testRead)
	h := HashOf(issued.Token)
	if o.verify(issued.Token + "x"); len(o.server.verified.tokens) != 0 {
		t.Error("remembers what is wrong")
	}
	o.verify(issued.Token)
	if _, ok := o.server.verified.recall(h); !ok {
		t.Error("is not remembered")
	}
	if o.verify(issued.Token) == nil {
		t.Error("refused the second time")
	}
	o.now = issued.ExpiresAt
	if o.verify(issued.Token) != nil || len(o.server.verified.tokens) != 0 {
		t.Error("is remembered although it has expired")
	}
}

// TestRememberedKey forgets a token whose key is known to be gone.
func TestRememberedKey(t *testing.T) {
	o := newOffice(t)
	old := o.issue(testRead).Token
	o.verify(old)
	if err := os.Remove(o.keys.path); err != nil {
		t.Fatal(err)
	}
	keys, err := OpenKeys(o.keys.path, o.keys.now)
	if err != nil {
		t.Fatal(err)
	}
	ours := o.keys
	o.server.keys = keys
	fresh := o.issue(testRead).Token
	o.server.keys = ours
	o.now = o.now.Add(time.Second)
	if o.verify(fresh) == nil {
		t.Error("a token of the new file is refused")
	}
	if o.verify(old) != nil {
		t.Error("a token of the old file is accepted")
	}
}
