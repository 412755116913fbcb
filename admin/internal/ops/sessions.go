package ops

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxSessions is how many sessions of a user are ended at a time.
const maxSessions = 1000

// Logins knows the sessions; package auth has it all. SessionByID returns
// auth.ErrNoSession for one that there is not.
type Logins interface {
	// Sessions returns sessions that count: of a user, or with 0 of everybody. The
	// times of f are not read.
	Sessions(ctx context.Context, f model.SessionFilter) ([]*model.Session, error)
	// SessionByID returns a session by its ID.
	SessionByID(ctx context.Context, id string) (*model.Session, error)
	// EndSession ends a session.
	EndSession(ctx context.Context, session *model.Session) error
}

// SessionView is a session without what its cookie could be found by.
type SessionView struct {
	ID       string
	UserID   int32
	Username string // "" of a user who is gone
	Created  time.Time
	Seen     time.Time // to the minute
	Expires  time.Time // at the latest
	Client   string    // address that it began from; "" is unknown
	Agent    string    // what the browser calls itself; anybody may have written it
}

// needLogins refuses where there are no sessions to be seen.
func (s *Service) needLogins() error {
	if s.cfg.Logins == nil {
		e := &Error{Kind: Unavailable, Parts: []Part{key(i18n.SystemNotFound)}, Detail: "there are no sessions here"}
		return e.own("refused.session.off")
	}
	return nil
}

// ListSessions returns sessions that count, those last used first unless f.Order
// says otherwise, at most f.Limit (1 to 1,000): those of a user, or with 0
// everybody's, which is for administrators, like those of others. The times of f
// are not read.
func (s *Service) ListSessions(ctx context.Context, p Principal, f model.SessionFilter) ([]SessionView, error) {
	if p.UserID == 0 || f.UserID != p.UserID {
		if err := s.needAdmin(ctx, p, "session.list", userObject(f.UserID)); err != nil {
			return nil, err
		}
	}
	if err := s.needLogins(); err != nil {
		return nil, err
	}
	list, err := s.cfg.Logins.Sessions(ctx, f)
	if err != nil {
		return nil, fmt.Errorf("read sessions: %w", err)
	}
	names := map[int32]string{}
	views := make([]SessionView, 0, len(list))
	for _, v := range list {
		name, known := names[v.UserID]
		if !known {
			if name, err = s.username(ctx, v.UserID); err != nil {
				return nil, err
			}
			names[v.UserID] = name
		}
		views = append(views, SessionView{
			ID: v.ID(), UserID: v.UserID, Username: name, Created: v.Created, Seen: v.Seen, Expires: v.Expires,
			Client: v.Client, Agent: v.Agent,
		})
	}
	return views, nil
}

// username returns the name of a user, "" of one who is gone.
func (s *Service) username(ctx context.Context, id int32) (string, error) {
	u, err := s.store.User(ctx, id)
	switch {
	case notFound(err):
		return "", nil
	case err != nil:
		return "", fmt.Errorf("read user %d: %w", id, err)
	}
	return u.Username, nil
}

// EndSession ends a session: one's own, or as an administrator anybody's. It
// counts no more from now on, on every node.
func (s *Service) EndSession(ctx context.Context, p Principal, id string) error {
	if !p.known() {
		return s.needLogin(ctx, p, "session.end")
	}
	if err := s.needLogins(); err != nil {
		return err
	}
	v, err := s.cfg.Logins.SessionByID(ctx, id)
	switch {
	case errors.Is(err, auth.ErrNoSession):
		return noSuchSession()
	case err != nil:
		return fmt.Errorf("read a session: %w", err)
	}
	if p.UserID == 0 || v.UserID != p.UserID {
		if p.UserID != 0 && !p.Admin { // whose it is, and that it is, is not told
			_ = s.deny(ctx, p, "session.end", userObject(v.UserID))
			return noSuchSession()
		}
		if err := s.needAdmin(ctx, p, "session.end", userObject(v.UserID)); err != nil {
			return err
		}
	}
	if err := s.cfg.Logins.EndSession(ctx, v); err != nil {
		return fmt.Errorf("end a session: %w", err)
	}
	s.record(ctx, p, "session.end", userObject(v.UserID), "session "+v.ID()+" from "+v.Client)
	return nil
}

func noSuchSession() *Error {
	e := &Error{
		Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)}, Detail: "there is no such session, or it has ended",
	}
	return e.own("refused.session.gone")
}

// EndUserSessions ends the sessions of a user but one, whose ID is keep ("" is
// none), and returns how many: one's own, or as an administrator anybody's.
func (s *Service) EndUserSessions(ctx context.Context, p Principal, userID int32, keep string) (int, error) {
	if p.UserID == 0 || userID != p.UserID {
		if err := s.needAdmin(ctx, p, "session.end", userObject(userID)); err != nil {
			return 0, err
		}
	}
	if err := s.needLogins(); err != nil {
		return 0, err
	}
	if _, err := s.user(ctx, userID); err != nil {
		return 0, err
	}
	list, err := s.cfg.Logins.Sessions(ctx, model.SessionFilter{UserID: userID, Limit: maxSessions})
	if err != nil {
		return 0, fmt.Errorf("read the sessions of user %d: %w", userID, err)
	}
	n := 0
	for _, v := range list {
		if v.ID() == keep {
			continue
		}
		if err := s.cfg.Logins.EndSession(ctx, v); err != nil {
			return n, fmt.Errorf("end the sessions of user %d: %w", userID, err)
		}
		n++
	}
	if n > 0 {
		s.record(ctx, p, "session.end", userObject(userID), fmt.Sprintf("%d sessions", n))
	}
	return n, nil
}
