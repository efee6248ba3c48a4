package oauth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
)

const (
	// keyLife is how long a key signs.
	keyLife = 90 * 24 * time.Hour
	// keyLinger is how long a key is kept once another one signs: as long as a
	// token of it may live, and a minute.
	keyLinger = tokenLife + time.Minute
	// maxKeyID is the longest kid in bytes that is looked for.
	maxKeyID = 64
)

// Keys are the keys that access tokens are signed with, out of their file. They
// are safe for concurrent use.
type Keys struct {
	path string
	now  func() time.Time

	mu     sync.Mutex
	keys   []key       // by age, the oldest first; the last one signs
	seen   fs.FileInfo // the file when it was read last
	failed error       // why it could not be, nil where it could
}

// A key signs access tokens and verifies them.
type key struct {
	id        string // kid: the thumbprint of the key (RFC 7638)
	private   *ecdsa.PrivateKey
	createdAt time.Time
	stored    json.RawMessage // as it stands in the file
}

// storedKey is a key as it stands in the file.
type storedKey struct {
	CreatedAt time.Time       `json:"createdAt"`
	Key       jose.JSONWebKey `json:"key"`
}

// accessMember is the member of the key file that holds the keys of access
// tokens. Others are left as they are.
const accessMember = "access"

// OpenKeys reads the key file at path and makes it, with a new key, where it is
// missing. However many processes do so at once, all end with the same keys. A
// nil now is time.Now. Its errors name the file and what to do about it.
func OpenKeys(path string, now func() time.Time) (*Keys, error) {
	if now == nil {
		now = time.Now
	}
	k := &Keys{path: path, now: now}
	if err := k.refresh(); err != nil {
		return nil, err
	}
	return k, nil
}

// Renew lets a new key sign where the present one is older than 90 days, and
// drops those that no living token is signed with. It is for the one server of
// the file. Its errors are those of OpenKeys.
func (k *Keys) Renew() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	members, keys, err := readKeys(k.path)
	if err != nil {
		return err
	}
	now := k.now()
	renewed := living(keys, now)
	if now.Sub(renewed[len(renewed)-1].createdAt) > keyLife {
		made, err := newKey(now)
		if err != nil {
			return fmt.Errorf("renew the keys: %w", err)
		}
		renewed = append(slices.Clip(renewed), made)
	}
	if renewed[0].id != keys[0].id || len(renewed) > len(keys) {
		if err := writeKeys(k.path, members, renewed); err != nil {
			return fmt.Errorf("renew the keys: %w", err)
		}
	}
	k.keys = renewed
	return nil
}

// living are the keys of which a token may still be alive: the one that signs,
// and those before it as long as they linger.
func living(keys []key, now time.Time) []key {
	dead := 0
	for dead < len(keys)-1 && now.Sub(keys[dead+1].createdAt) > keyLinger {
		dead++
	}
	return keys[dead:]
}

// make makes the file with a new key, unless another process does.
func (k *Keys) make() error {
	made, err := newKey(k.now())
	if err == nil {
		err = placeKeys(k.path, []key{made})
	}
	if err != nil {
		return fmt.Errorf("make the key file: %w", err)
	}
	return nil
}

// signing is the key that signs.
func (k *Keys) signing() key {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.refresh() // where it fails, the keys that are known go on
	return k.keys[len(k.keys)-1]
}

// find is the key of that id, nil where there is none. It goes by the file as it
// is now, which another process may have made anew, or removed so that the tokens
// of its keys die. Where the file cannot be read, the keys that are known go on,
// and for any other the error says why.
func (k *Keys) find(id string) (*ecdsa.PublicKey, error) {
	if !isKeyID(id) {
		return nil, nil
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	err := k.refresh()
	if found := known(living(k.keys, k.now()), id); found != nil {
		return found, nil
	}
	return nil, err
}

// refresh reads the file again where it is not the one that was read last, and
// makes it where it is missing. Its error stays until the file changes.
func (k *Keys) refresh() error {
	info, err := os.Stat(k.path)
	if err == nil && k.seen != nil && os.SameFile(info, k.seen) && info.ModTime().Equal(k.seen.ModTime()) && info.Size() == k.seen.Size() && info.Mode() == k.seen.Mode() {
		return k.failed
	}
	if errors.Is(err, fs.ErrNotExist) {
		if err := k.make(); err != nil {
			return err
		}
		if info, err = os.Stat(k.path); err != nil {
			return err
		}
	}
	k.seen = info
	_, keys, err := readKeys(k.path)
	if k.failed = err; err == nil {
		k.keys = keys
	}
	return err
}

// known is the key of that id, nil where there is none.
func known(keys []key, id string) *ecdsa.PublicKey {
	i := slices.IndexFunc(keys, func(k key) bool { return k.id == id })
	if i < 0 {
		return nil
	}
	return &keys[i].private.PublicKey
}

// isKeyID says whether s may be the id of a key. What else a token names as its
// key is looked for nowhere.
func isKeyID(s string) bool {
	if s == "" || len(s) > maxKeyID {
		return false
	}
	for _, c := range []byte(s) {
		letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
		if !letter && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return true
}

// newKey is a new key for ES256 (RFC 7518, section 3.4).
func newKey(now time.Time) (key, error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return key{}, err
	}
	s := storedKey{now.UTC().Truncate(time.Millisecond), jose.JSONWebKey{Key: private, Algorithm: string(jose.ES256), Use: "sig"}}
	if s.Key.KeyID, err = thumbprint(s.Key); err != nil {
		return key{}, err
	}
	text, err := json.Marshal(s)
	if err != nil {
		return key{}, err
	}
	return key{id: s.Key.KeyID, private: private, createdAt: s.CreatedAt, stored: text}, nil
}

// thumbprint is the id of a key (RFC 7638).
func thumbprint(k jose.JSONWebKey) (string, error) {
	sum, err := k.Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

// parseKeys reads the content of a key file: its members and, by age, the keys
// of access tokens among them.
func parseKeys(content []byte) (members map[string]json.RawMessage, keys []key, err error) {
	if err := json.Unmarshal(content, &members); err != nil {
		return nil, nil, err
	}
	var stored []json.RawMessage
	if list, ok := members[accessMember]; ok {
		if err := json.Unmarshal(list, &stored); err != nil {
			return nil, nil, err
		}
	}
	if len(stored) == 0 {
		return nil, nil, errors.New("it holds no key of access tokens")
	}
	for i, text := range stored {
		k, err := parseKey(text)
		if err != nil {
			return nil, nil, fmt.Errorf("key %d: %w", i+1, err)
		}
		keys = append(keys, k)
	}
	slices.SortStableFunc(keys, func(a, b key) int { return a.createdAt.Compare(b.createdAt) })
	return members, keys, nil
}

// parseKey reads one key and checks that it is whole.
func parseKey(text json.RawMessage) (key, error) {
	var s storedKey
	if err := json.Unmarshal(text, &s); err != nil {
		return key{}, err
	}
	private, ok := s.Key.Key.(*ecdsa.PrivateKey)
	if !ok || private.Curve != elliptic.P256() {
		return key{}, errors.New("it is no private key on the curve P-256")
	}
	secret, err := private.ECDH()
	if err != nil {
		return key{}, err
	}
	public, err := private.PublicKey.ECDH()
	if err != nil || !secret.PublicKey().Equal(public) {
		return key{}, errors.New("its halves do not belong together")
	}
	id, err := thumbprint(s.Key)
	if err != nil || id != s.Key.KeyID {
		return key{}, errors.New("its kid is not its thumbprint")
	}
	if s.CreatedAt.IsZero() {
		return key{}, errors.New("it has no createdAt")
	}
	return key{id: id, private: private, createdAt: s.CreatedAt, stored: text}, nil
}
