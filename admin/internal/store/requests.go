package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// BeginRequest puts a POST with an idempotency key on record as under way, and
// returns nil. Where the owner has used the key before, it returns that request
// as it stands, and changes nothing: of several that begin at once, exactly one
// gets nil.
func (s *Store) BeginRequest(ctx context.Context, r *model.Request) (*model.Request, error) {
	err := checkFields(
		field{name: "owner of the request", value: r.Owner, max: maxOwner},
		field{name: "idempotency key", value: r.Key, max: maxRequestKey},
		field{name: "fingerprint", value: r.Fingerprint, max: maxHash},
	)
	if err != nil {
		return nil, fmt.Errorf("begin request: %w", err)
	}
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_idempotency (owner, request_key, fingerprint, "+
			"created_ms, status, headers, body) VALUES (?,?,?,?,0,'','')"),
			r.Owner, r.Key, r.Fingerprint, r.Created.UnixMilli())
		return s.dupError(err)
	})
	if err == nil {
		return nil, nil
	}
	if !errors.Is(err, ErrDuplicate) {
		return nil, fmt.Errorf("begin request: %w", err)
	}
	old := model.Request{Owner: r.Owner, Key: r.Key}
	var created int64
	err = s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT fingerprint, created_ms, status, headers, body "+
		"FROM xxljob_idempotency WHERE owner = ? AND request_key = ?"), r.Owner, r.Key).
		Scan(&old.Fingerprint, &created, &old.Status, &old.Headers, &old.Body)
	if err != nil {
		return nil, fmt.Errorf("read request: %w", notFound(err))
	}
	old.Created = s.instant(created)
	return &old, nil
}

// EndRequest keeps what a request was answered.
func (s *Store) EndRequest(ctx context.Context, r *model.Request) error {
	_, err := s.execCount(ctx, "UPDATE xxljob_idempotency SET status = ?, headers = ?, body = ? "+
		"WHERE owner = ? AND request_key = ?", r.Status, r.Headers, r.Body, r.Owner, r.Key)
	if err != nil {
		return fmt.Errorf("end request: %w", err)
	}
	return nil
}

// DropRequest forgets a request that was not carried out, so that it can be
// sent again.
func (s *Store) DropRequest(ctx context.Context, owner, key string) error {
	_, err := s.execCount(ctx, "DELETE FROM xxljob_idempotency WHERE owner = ? AND request_key = ?", owner, key)
	if err != nil {
		return fmt.Errorf("drop request: %w", err)
	}
	return nil
}

// ExpireRequests forgets the requests that began before then, and returns how
// many.
func (s *Store) ExpireRequests(ctx context.Context, before time.Time) (int, error) {
	n, err := s.execCount(ctx, "DELETE FROM xxljob_idempotency WHERE created_ms < ?", before.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("expire requests: %w", err)
	}
	return n, nil
}
