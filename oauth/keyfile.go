package oauth

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// maxKeyFile bounds the key file in bytes: a key takes about 300.
const maxKeyFile = 1 << 20

// readKeys reads the key file. Its errors name the file and what to do about it.
func readKeys(path string) (map[string]json.RawMessage, []key, error) {
	content, err := readKeyFile(path)
	if err != nil {
		return nil, nil, err
	}
	members, keys, err := parseKeys(content)
	if err != nil {
		return nil, nil, fmt.Errorf("the key file %s is damaged: %w; %s", path, err, removeIt)
	}
	return members, keys, nil
}

// removeIt is what helps where a key file cannot be used.
const removeIt = "put back a copy, or remove it: new keys are made then, and agents fetch new tokens"

// readKeyFile is the content of the key file, which nobody but its owner may
// read or write.
func readKeyFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	if !info.Mode().IsRegular() { // a pipe would be waited for
		return nil, fmt.Errorf("the key file %s is no regular file", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o066 != 0 {
		return nil, fmt.Errorf("the key file %s may be read or written by others than its owner (mode %#o): chmod 600 it, or, if others have seen it, remove it: new keys are made then, and agents fetch new tokens",
			path, info.Mode().Perm())
	}
	content, err := io.ReadAll(io.LimitReader(f, maxKeyFile+1))
	if err != nil {
		return nil, fmt.Errorf("read the key file: %w", err)
	}
	if len(content) > maxKeyFile {
		return nil, fmt.Errorf("the key file %s is larger than %d bytes; %s", path, maxKeyFile, removeIt)
	}
	return content, nil
}

// placeKeys makes the key file, unless another process has made it meanwhile.
func placeKeys(path string, keys []key) error {
	written, err := writeBeside(path, nil, keys)
	if err != nil {
		return err
	}
	return place(written, path, os.Link)
}

// place gives the file written the name path where nothing has it, which link
// settles. Where a file system knows no links, two processes may both make a
// file, and the later one stays.
func place(written, path string, link func(from, to string) error) error {
	err := link(written, path)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		if _, missing := os.Lstat(path); errors.Is(missing, fs.ErrNotExist) {
			err = os.Rename(written, path)
		}
	}
	os.Remove(written)
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// writeKeys writes the key file, over what is there.
func writeKeys(path string, members map[string]json.RawMessage, keys []key) error {
	written, err := writeBeside(path, members, keys)
	if err != nil {
		return err
	}
	if err := os.Rename(written, path); err != nil {
		os.Remove(written)
		return err
	}
	return syncDir(filepath.Dir(path))
}

// writeBeside writes the content of a key file to a new file beside it, which
// is its owner's alone, down to the disk.
func writeBeside(path string, members map[string]json.RawMessage, keys []key) (written string, err error) {
	content, err := formatKeys(members, keys)
	if err != nil {
		return "", err
	}
	f, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.new")
	if err != nil {
		return "", err
	}
	_, err = f.Write(content)
	err = errors.Join(err, f.Sync(), f.Close())
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// formatKeys is the content of a key file: members, with these keys of access
// tokens in place of others.
func formatKeys(members map[string]json.RawMessage, keys []key) ([]byte, error) {
	stored := []json.RawMessage{}
	for _, k := range keys {
		stored = append(stored, k.stored)
	}
	list, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	all := map[string]json.RawMessage{}
	for name, value := range members {
		all[name] = value
	}
	all[accessMember] = list
	content, err := json.MarshalIndent(all, "", "  ")
	return append(content, '\n'), err
}

// syncDir keeps the names in a folder through a power cut, where folders can be
// synced.
func syncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
