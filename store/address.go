package store

const upsertAddress query = `
INSERT INTO server (id, address) VALUES (1, ?) ON CONFLICT (id) DO UPDATE SET address = excluded.address`

// SetAddress keeps where people and agents reach the server, scheme and host.
func (tx *Tx) SetAddress(address string) error {
	_, err := tx.exec(upsertAddress, address)
	return during("keep the address", err)
}

const selectAddress query = `
SELECT address FROM server WHERE id = 1`

// Address is where people and agents reached the server when it was last started.
// Before the first start it is ErrNotFound.
func (tx *Tx) Address() (string, error) {
	address, err := one(tx, func(row scanner) (address string, err error) {
		err = row.Scan(&address)
		return address, err
	}, selectAddress)
	return address, during("read the address", err)
}
