package oauth

import (
	"testing"
	"time"
)

// TestPin: a document that the operator has pinned is never fetched, until it is
// not.
func TestPin(t *testing.T) {
	h := newHall(t)
	c, err := Pin(t.Context(), h.file, testURI, testDocument, []byte(metadataOf(testDocument, fields{"client_name": "Pinned"})))
	if err != nil || c.Name != "Pinned" {
		t.Fatalf("%+v, %v", c, err)
	}
	h.now = h.now.Add(365 * 24 * time.Hour)
	if err := h.server.forget(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !h.admitted(testDocument) || len(h.asked) != 0 {
		t.Errorf("asked for %v", h.asked)
	}
	if err := Unpin(t.Context(), h.file, testDocument); err != nil {
		t.Fatal(err)
	}
	if !h.admitted(testDocument) || len(h.asked) != 1 {
		t.Errorf("asked for %v", h.asked)
	}
	for _, id := range []string{testDocument, h.client.ID, "nobody"} {
		if err := Unpin(t.Context(), h.file, id); err != ErrNotPinned {
			t.Errorf("%s: %v", id, err)
		}
	}
	for id, text := range map[string]string{
		testURI + "/a":            metadataOf(testURI+"/a", nil),
		"http://client.example/a": metadataOf("http://client.example/a", nil),
		testDocument:              metadataOf("https://evil.example/a", nil),
	} {
		if _, err := Pin(t.Context(), h.file, testURI, id, []byte(text)); err == nil {
			t.Errorf("%s is pinned", id)
		}
	}
}
