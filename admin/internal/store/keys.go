package store

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

const keyColumns = "id, name, prefix, secret_hash, verbs, group_ids, created_by, created_ms, expires_ms, " +
	"used_ms, revoked_ms"

func (s *Store) keyRow(row sqldb.Scanner) (*model.Key, error) {
	var k model.Key
	var verbs string
	var groups model.Text
	var created, expires, used, revoked int64
	err := row.Scan(&k.ID, &k.Name, &k.Prefix, &k.Hash, &verbs, scanText{&groups}, &k.CreatedBy,
		&created, &expires, &used, &revoked)
	k.Verbs, k.AllGroups, k.GroupIDs = model.SplitVerbs(verbs), !groups.Valid, splitIDs(groups.S)
	k.Created, k.Expires = s.instant(created), s.instantOrZero(expires)
	k.Used, k.Revoked = s.instantOrZero(used), s.instantOrZero(revoked)
	return &k, err
}

// instantOrZero reads a column in which 0 is never.
func (s *Store) instantOrZero(ms int64) time.Time {
	if ms == 0 {
		return time.Time{}
	}
	return s.instant(ms)
}

// msOrZero is the argument for such a column.
func msOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMilli()
}

func splitIDs(list string) []int32 {
	var ids []int32
	for item := range strings.SplitSeq(list, ",") {
		if n, err := strconv.ParseInt(item, 10, 32); err == nil {
			ids = append(ids, int32(n))
		}
	}
	return ids
}

// CreateKey inserts an API key and assigns its ID. It returns ErrDuplicate when
// the hash exists, and ErrTooLong for a text that does not fit.
func (s *Store) CreateKey(ctx context.Context, k *model.Key) error {
	groups := keyGroups(k)
	err := checkFields(
		field{name: "name of the key", value: k.Name, max: maxKeyName},
		field{name: "prefix of the key", value: k.Prefix, max: maxKeyPrefix},
		field{name: "hash of the key", value: k.Hash, max: maxHash},
		field{name: "maker of the key", value: k.CreatedBy, max: auditName},
		field{name: "groups of the key", value: groups.S, max: maxText, bytes: true},
	)
	if err != nil {
		return fmt.Errorf("create key: %w", err)
	}
	var id int64
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		var err error
		id, err = s.insertKey(ctx, q, k)
		return s.dupError(err)
	})
	if err != nil {
		return fmt.Errorf("create key: %w", err)
	}
	k.ID = id
	return nil
}

// keyGroups is the form in which the groups of a key are stored.
func keyGroups(k *model.Key) model.Text {
	if k.AllGroups {
		return model.Text{}
	}
	return model.T(sqldb.IntList(k.GroupIDs))
}

func (s *Store) insertKey(ctx context.Context, q sqldb.Querier, k *model.Key) (int64, error) {
	return s.db.InsertID(ctx, q, "INSERT INTO xxljob_key (name, prefix, secret_hash, verbs, group_ids, "+
		"created_by, created_ms, expires_ms, used_ms, revoked_ms) VALUES (?,?,?,?,?,?,?,?,?,?)",
		k.Name, k.Prefix, k.Hash, model.JoinVerbs(k.Verbs), textArg(keyGroups(k)), k.CreatedBy,
		k.Created.UnixMilli(), msOrZero(k.Expires), msOrZero(k.Used), msOrZero(k.Revoked))
}

// Key returns an API key, whether it counts or not, or ErrNotFound.
func (s *Store) Key(ctx context.Context, id int64) (*model.Key, error) {
	k, err := s.keyRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+keyColumns+" FROM xxljob_key WHERE id = ?"), id))
	if err != nil {
		return nil, fmt.Errorf("key %d: %w", id, notFound(err))
	}
	return k, nil
}

// KeyByHash returns the API key with this hash, whether it counts or not, or
// ErrNotFound.
func (s *Store) KeyByHash(ctx context.Context, hash string) (*model.Key, error) {
	k, err := s.keyRow(s.db.Reader().QueryRowContext(ctx,
		s.db.SQL("SELECT "+keyColumns+" FROM xxljob_key WHERE secret_hash = ?"), hash))
	if err != nil {
		return nil, fmt.Errorf("key: %w", notFound(err)) // the hash is a secret's
	}
	return k, nil
}

// keyOrders are the orders of API keys, which people have made one by one.
var keyOrders = map[string]orderBy{
	model.OrderID: {}, model.OrderName: {expr: "name", text: true}, model.OrderUsed: {expr: "used_ms"},
	model.OrderExpires: {expr: "expires_ms"},
}

// Keys returns API keys, newest first unless f.Order says otherwise.
func (s *Store) Keys(ctx context.Context, f model.KeyFilter) ([]*model.Key, error) {
	var w where
	order := w.ordered(f.Order, keyOrders, "id", false)
	_, limit := page(0, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.keyRow, s.db.SQL("SELECT "+keyColumns+" FROM xxljob_key"+
		w.String()+" ORDER BY "+order+" LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("keys: %w", err)
	}
	return list, nil
}

// TouchKey notes when an API key was last used; it never goes back. A key that
// is gone is no error.
func (s *Store) TouchKey(ctx context.Context, id int64, used time.Time) error {
	_, err := s.execCount(ctx, "UPDATE xxljob_key SET used_ms = ? WHERE id = ? AND used_ms < ?",
		used.UnixMilli(), id, used.UnixMilli())
	if err != nil {
		return fmt.Errorf("touch key %d: %w", id, err)
	}
	return nil
}

// RevokeKey makes an API key count no more from at on. One that is revoked
// stays as it is; ErrNotFound is returned when there is none.
func (s *Store) RevokeKey(ctx context.Context, id int64, at time.Time) error {
	n, err := s.execCount(ctx, "UPDATE xxljob_key SET revoked_ms = ? WHERE id = ? AND revoked_ms = 0",
		at.UnixMilli(), id)
	if err != nil {
		return fmt.Errorf("revoke key %d: %w", id, err)
	}
	if n == 0 {
		_, err = s.Key(ctx, id)
	}
	return err
}
