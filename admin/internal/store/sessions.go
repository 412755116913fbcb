package store

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// How much is kept of where a login comes from; what is longer is cut.
const (
	sessionClient = 64
	sessionAgent  = 255
)

// CreateSession inserts a login. It returns ErrDuplicate when the key exists.
func (s *Store) CreateSession(ctx context.Context, v *model.Session) error {
	err := checkFields(field{name: "session key", value: v.Key, max: 64})
	if err == nil {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_session (session_key, user_id, created_ms, "+
				"expires_ms, seen_ms) VALUES (?,?,?,?,?)"),
				v.Key, v.UserID, v.Created.UnixMilli(), v.Expires.UnixMilli(), v.Seen.UnixMilli())
			if err != nil || v.Client == "" && v.Agent == "" {
				return s.dupError(err)
			}
			_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_session_client (session_key, client, agent) "+
				"VALUES (?,?,?)"+s.db.Upsert("session_key", "client", "agent")),
				v.Key, cutRunes(v.Client, sessionClient), cutRunes(v.Agent, sessionAgent))
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("create session: %w", err)
	}
	return nil
}

const sessionColumns = "s.session_key, s.user_id, s.created_ms, s.expires_ms, s.seen_ms, COALESCE(c.client, ''), " +
	"COALESCE(c.agent, '') FROM xxljob_session s LEFT JOIN xxljob_session_client c ON c.session_key = s.session_key"

func (s *Store) sessionRow(row sqldb.Scanner) (*model.Session, error) {
	var v model.Session
	var created, expires, seen int64
	err := row.Scan(&v.Key, &v.UserID, &created, &expires, &seen, &v.Client, &v.Agent)
	v.Created, v.Expires, v.Seen = s.instant(created), s.instant(expires), s.instant(seen)
	return &v, err
}

// Session returns a login, expired or not, without where it comes from, or
// ErrNotFound.
func (s *Store) Session(ctx context.Context, key string) (*model.Session, error) {
	v, err := s.sessionRow(s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT session_key, user_id, created_ms, "+
		"expires_ms, seen_ms, '', '' FROM xxljob_session WHERE session_key = ?"), key))
	if err != nil {
		return nil, fmt.Errorf("session: %w", notFound(err)) // its key is a secret's hash
	}
	return v, nil
}

// SessionByID returns the login with this ID, expired or not, or ErrNotFound.
func (s *Store) SessionByID(ctx context.Context, id string) (*model.Session, error) {
	if len(id) != model.SessionIDLen || strings.Trim(id, "0123456789abcdef") != "" {
		return nil, fmt.Errorf("session %.16q: %w", id, ErrNotFound)
	}
	v, err := s.sessionRow(s.db.Reader().QueryRowContext(ctx, s.db.SQL("SELECT "+sessionColumns+
		" WHERE s.session_key >= ? AND s.session_key < ? ORDER BY s.session_key LIMIT 1"), id, id+"g"))
	if err != nil {
		return nil, fmt.Errorf("session %s: %w", id, notFound(err))
	}
	return v, nil
}

// sessionOrders are the orders of logins, of which there are a few for each user.
var sessionOrders = map[string]string{
	model.OrderSeen: "s.seen_ms", model.OrderCreated: "s.created_ms", model.OrderExpires: "s.expires_ms",
	model.OrderUser: "COALESCE((SELECT u.username FROM xxl_job_user u WHERE u.id = s.user_id), '')",
}

// Sessions returns a page of the logins that count, those last used first unless
// f.Order says otherwise.
func (s *Store) Sessions(ctx context.Context, f model.SessionFilter) ([]*model.Session, error) {
	var w where
	if f.UserID != 0 {
		w.add("s.user_id = ?", f.UserID)
	}
	w.add("s.expires_ms > ?", f.Now.UnixMilli())
	w.add("(s.seen_ms >= ? OR s.expires_ms - s.created_ms > ? AND s.seen_ms >= ?)",
		f.Now.Add(-f.Idle).UnixMilli(), f.Long.Milliseconds(), f.Now.Add(-f.LongIdle).UnixMilli())
	by, direction := sessionOrders[f.Order.By], "DESC"
	if by == "" {
		by = sessionOrders[model.OrderSeen]
	} else if f.Order.Ascending {
		direction = "ASC"
	}
	offset, limit := page(f.Offset, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.sessionRow, s.db.SQL("SELECT "+sessionColumns+w.String()+
		" ORDER BY "+by+" "+direction+", s.session_key LIMIT ? OFFSET ?"), append(w.args, limit, offset)...)
	if err != nil {
		return nil, fmt.Errorf("sessions: %w", err)
	}
	return list, nil
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
	if err == nil { // those that have ended in another way too
		_, err = s.execCount(ctx, "DELETE FROM xxljob_session_client WHERE session_key NOT IN "+
			"(SELECT session_key FROM xxljob_session)")
	}
	if err != nil {
		return 0, fmt.Errorf("expire sessions: %w", err)
	}
	return n, nil
}
