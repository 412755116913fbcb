package store

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// AddressInfo is what is known of an executor's address.
type AddressInfo struct {
	Address string
	Dialect string // the protocol that it speaks, in the words of the package that asked; at most 16 characters
	Native  bool   // it is our own executor
	SeenMs  int64  // when that was found out, Unix milliseconds
}

// SaveAddressInfo writes what is known of addresses, over what was known
// before. Of two for one address the last counts.
func (s *Store) SaveAddressInfo(ctx context.Context, infos []AddressInfo) error {
	for _, a := range infos {
		if err := checkFields(field{name: "address", value: a.Address, max: maxAddress},
			field{name: "dialect", value: a.Dialect, max: 16}); err != nil {
			return fmt.Errorf("save address: %w", err)
		}
	}
	infos = slices.Clone(infos)
	// One order for all nodes.
	slices.SortStableFunc(infos, func(a, b AddressInfo) int { return cmp.Compare(a.Address, b.Address) })
	for chunk := range slices.Chunk(infos, sqldb.IDBatch) {
		err := s.db.InTx(ctx, func(q sqldb.Querier) error {
			for _, a := range chunk {
				_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_address (address, dialect, native, seen_ms) "+
					"VALUES (?,?,?,?)"+s.db.Upsert("address", "dialect", "native", "seen_ms")),
					a.Address, a.Dialect, bit(a.Native), a.SeenMs)
				if err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return fmt.Errorf("save addresses: %w", err)
		}
	}
	return nil
}

// AddressInfos returns what is known of all addresses, by address.
func (s *Store) AddressInfos(ctx context.Context) ([]AddressInfo, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (AddressInfo, error) {
		var a AddressInfo
		var native int
		err := row.Scan(&a.Address, &a.Dialect, &native, &a.SeenMs)
		a.Native = native == 1
		return a, err
	}, s.db.SQL("SELECT address, dialect, native, seen_ms FROM xxljob_address ORDER BY address"))
	if err != nil {
		return nil, fmt.Errorf("addresses: %w", err)
	}
	return list, nil
}

// ExpireAddressInfos forgets the addresses that were last written before the
// instant, and returns how many: containers leave theirs behind.
func (s *Store) ExpireAddressInfos(ctx context.Context, beforeMs int64) (int, error) {
	n, err := s.execCount(ctx, "DELETE FROM xxljob_address WHERE seen_ms < ?", beforeMs)
	if err != nil {
		return 0, fmt.Errorf("expire addresses: %w", err)
	}
	return n, nil
}

// execCount runs one statement in a transaction of its own, and returns how many
// rows it touched.
func (s *Store) execCount(ctx context.Context, text string, args ...any) (int, error) {
	var n int64
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		res, err := q.ExecContext(ctx, s.db.SQL(text), args...)
		if err != nil {
			return err
		}
		n, err = res.RowsAffected()
		return err
	})
	return int(n), err
}
