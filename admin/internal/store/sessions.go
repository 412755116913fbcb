package store

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// CreateSession inserts a login. It returns ErrDuplicate when the key exists.
func (s *Store) CreateSession(ctx context.Context, v *model.Session) error {
	err := checkFields(field{name: "session key", value: v.Key, max: 64})
	if err == nil {
		err = s.inTx(ctx, func(q querier) error {
			_, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_session (session_key, user_id, created_ms, "+
				"expires_ms, seen_ms) VALUES (?,?,?,?,?)"),
				v.Key, v.UserID, v.Created.UnixMilli(), v.Expires.UnixMilli(), v.Seen.UnixMilli())
			return s.dupError(err)
		})
	}
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	return nil
}

// Session returns a login, expired or not, or ErrNotFound.
func (s *Store) Session(ctx context.Context, key string) (*model.Session, error) {
	var v model.Session
	var created, expires, seen int64
	err := s.reader().QueryRowContext(ctx, s.sql("SELECT session_key, user_id, created_ms, expires_ms, seen_ms "+
		"FROM xxljob_session WHERE session_key = ?"), key).Scan(&v.Key, &v.UserID, &created, &expires, &seen)
	if err != nil {
		return nil, fmt.Errorf("session: %w", notFound(err)) // its key is a secret's hash
	}
	v.Created, v.Expires, v.Seen = s.instant(created), s.instant(expires), s.instant(seen)
	return &v, nil
}

func (s *Store) instant(ms int64) time.Time { return time.UnixMilli(ms).In(s.loc) }

// TouchSession notes when a login was last used; it never goes back. A login
// that has ended is no error.
func (s *Store) TouchSession(ctx context.Context, key string, seen time.Time) error {
	_, err := s.execCount(ctx, "UPDATE xxljob_session SET seen_ms = ? WHERE session_key = ? AND seen_ms < ?",
		seen.UnixMilli(), key, seen.UnixMilli())
	if err != nil {
		return fmt.Errorf("touch session: %w", err)
	}
	return nil
}

// DeleteSession ends a login. One that has ended is no error.
func (s *Store) DeleteSession(ctx context.Context, key string) error {
	if _, err := s.execCount(ctx, "DELETE FROM xxljob_session WHERE session_key = ?", key); err != nil {
		return fmt.Errorf("delete session: %w", err)
	}
	return nil
}

// DeleteUserSessions ends all logins of a user.
func (s *Store) DeleteUserSessions(ctx context.Context, userID int32) error {
	if _, err := s.execCount(ctx, "DELETE FROM xxljob_session WHERE user_id = ?", userID); err != nil {
		return fmt.Errorf("delete the sessions of user %d: %w", userID, err)
	}
	return nil
}

// ExpireSessions deletes the logins that have expired at now, and returns how
// many.
func (s *Store) ExpireSessions(ctx context.Context, now time.Time) (int, error) {
	n, err := s.execCount(ctx, "DELETE FROM xxljob_session WHERE expires_ms <= ?", now.UnixMilli())
	if err != nil {
		return 0, fmt.Errorf("expire sessions: %w", err)
	}
	return n, nil
}
