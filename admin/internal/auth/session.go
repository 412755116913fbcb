package auth

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"log/slog"
	"net/netip"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Errors of logins and sessions.
var (
	ErrBadLogin  = errors.New("auth: wrong user name or password")
	ErrNoSession = errors.New("auth: not logged in") // none, unknown, expired, or of a user who is gone
)

// LoginRequest is an attempt to log in.
type LoginRequest struct {
	Name     string
	Password string
	Remember bool
	Source   netip.Addr // of the client, for the throttle
	// Setup takes the printed password of a new database too. The session is
	// good for the setup alone then, see Login.Setup.
	Setup bool
	Agent string // what the client calls itself, for the list of logins
}

// Login is a session that has begun.
type Login struct {
	ID      string // for the cookie; it is nowhere else
	User    *model.User
	Expires time.Time // latest end
	Setup   bool      // Authenticate returns ErrSetup for it, and SetupUser the user
}

// maxPassword bounds what is hashed, in bytes.
const maxPassword = 1024

// Login checks name and password and begins a session. It returns ErrBadLogin,
// a *ThrottledError, ErrBusy, ErrSetup for the printed password of a new
// database unless req takes it, or an error of the store.
func (s *Service) Login(ctx context.Context, req LoginRequest) (*Login, error) {
	u, err := s.cfg.Users.UserByName(ctx, req.Name)
	if err != nil {
		if !s.cfg.NotFound(err) {
			return nil, err
		}
		u = nil
	}
	account := accountOf(u, req.Name)
	if err := s.throttle.take(account, req.Source, s.now()); err != nil {
		s.log.WarnContext(ctx, "login throttled", slog.String("user", clip(req.Name)), slog.Any("client", req.Source))
		return nil, err
	}
	ok, err := s.check(ctx, u, req.Password)
	if err != nil {
		s.throttle.giveBack(account, req.Source, false, s.now())
		return nil, err
	}
	if !ok {
		s.log.WarnContext(ctx, "login refused", slog.String("user", clip(req.Name)), slog.Any("client", req.Source))
		return nil, ErrBadLogin
	}
	s.throttle.giveBack(account, req.Source, true, s.now())
	pending := s.pending(u)
	if pending && !req.Setup {
		return nil, ErrSetup
	}
	req.Remember = req.Remember && !pending
	login, err := s.begin(ctx, u, req)
	if err != nil {
		return nil, err
	}
	login.Setup = pending
	s.log.InfoContext(ctx, "user logged in", slog.String("user", u.Username), slog.Any("client", req.Source))
	return login, nil
}

// accountOf is what the throttle knows an account by: the user's id, because a
// database may take many spellings for one name, else the name.
func accountOf(u *model.User, name string) string {
	if u != nil {
		return "\x00" + strconv.Itoa(int(u.ID))
	}
	return name
}

// begin creates a session for a user.
func (s *Service) begin(ctx context.Context, u *model.User, req LoginRequest) (*Login, error) {
	raw := make([]byte, sessionBytes)
	_, _ = rand.Read(raw) // never fails
	id := base64.RawURLEncoding.EncodeToString(raw)
	now := s.now()
	age := s.cfg.MaxAge
	if req.Remember {
		age = s.cfg.RememberMaxAge
	}
	row := &model.Session{
		Key: sha256Hex(id), UserID: u.ID, Created: now, Seen: now, Expires: now.Add(age), Agent: req.Agent,
	}
	if req.Source.IsValid() {
		row.Client = req.Source.String()
	}
	if err := s.cfg.Sessions.CreateSession(ctx, row); err != nil {
		return nil, err
	}
	return &Login{ID: id, User: u, Expires: row.Expires}, nil
}

// sessionBytes is the length of a session id before it is encoded.
const sessionBytes = 32

// touchEvery bounds how often the last request of a session is written down.
const touchEvery = time.Minute

// WellFormed reports whether a cookie value could be a session id of ours.
func WellFormed(id string) bool {
	raw, err := base64.RawURLEncoding.Strict().DecodeString(id)
	return err == nil && len(raw) == sessionBytes
}

// Authenticate returns the user of a session, as he is in the database now. It
// returns ErrNoSession, ErrSetup (which is an ErrNoSession too) for a user who
// has the printed password of a new database, or an error of the store.
func (s *Service) Authenticate(ctx context.Context, id string) (*model.User, error) {
	u, err := s.authenticate(ctx, id)
	if err == nil && s.pending(u) {
		return nil, ErrSetup
	}
	return u, err
}

func (s *Service) authenticate(ctx context.Context, id string) (*model.User, error) {
	if !WellFormed(id) {
		return nil, ErrNoSession
	}
	key := sha256Hex(id)
	row, err := s.cfg.Sessions.Session(ctx, key)
	if err != nil {
		return nil, s.noSession(err)
	}
	now := s.now()
	if now.After(row.Expires) || now.Sub(row.Seen) > s.idle(row) {
		if err := s.cfg.Sessions.DeleteSession(ctx, key); err != nil {
			s.log.WarnContext(ctx, "expired session not deleted", slog.Any("err", err))
		}
		return nil, ErrNoSession
	}
	u, err := s.cfg.Users.User(ctx, row.UserID)
	if err != nil {
		return nil, s.noSession(err)
	}
	if now.Sub(row.Seen) >= touchEvery {
		if err := s.cfg.Sessions.TouchSession(ctx, key, now); err != nil {
			s.log.WarnContext(ctx, "session not touched", slog.Any("err", err))
		}
	}
	return u, nil
}

// idle is how long a session may be without requests. A remembered one lives
// longer than the others may.
func (s *Service) idle(row *model.Session) time.Duration {
	if row.Expires.Sub(row.Created) > s.cfg.MaxAge {
		return s.cfg.RememberIdle
	}
	return s.cfg.IdleTimeout
}

func (s *Service) noSession(err error) error {
	if s.cfg.NotFound(err) {
		return ErrNoSession
	}
	return err
}

// FromJava returns the user of a login cookie that a Java node since 3.2.0 has
// given, where Config.JavaTokens is set. Else it returns ErrNoSession.
func (s *Service) FromJava(ctx context.Context, cookie string) (*model.User, error) {
	if s.cfg.JavaTokens == nil {
		return nil, ErrNoSession
	}
	id, signature, ok := parseJavaToken(cookie)
	if !ok {
		return nil, ErrNoSession
	}
	token, err := s.cfg.JavaTokens.JavaToken(ctx, id)
	if err != nil {
		return nil, s.noSession(err)
	}
	if token == "" || subtle.ConstantTimeCompare([]byte(token), []byte(signature)) != 1 {
		return nil, ErrNoSession
	}
	u, err := s.cfg.Users.User(ctx, id)
	if err != nil {
		return nil, s.noSession(err)
	}
	if !usable(u) {
		return nil, ErrNoSession
	}
	return u, nil
}

// Logout ends a session. An unknown one is no error.
func (s *Service) Logout(ctx context.Context, id string) error {
	if !WellFormed(id) {
		return nil
	}
	return s.cfg.Sessions.DeleteSession(ctx, sha256Hex(id))
}

// SessionID is the ID of the session that a cookie holds.
func SessionID(cookie string) string { return (&model.Session{Key: sha256Hex(cookie)}).ID() }

// Sessions returns a page of the sessions that count, those last used first unless
// f.Order says otherwise. What counts is not for f to say: its times are not read.
func (s *Service) Sessions(ctx context.Context, f model.SessionFilter) ([]*model.Session, error) {
	f.Now, f.Idle, f.Long, f.LongIdle = s.now(), s.cfg.IdleTimeout, s.cfg.MaxAge, s.cfg.RememberIdle
	return s.cfg.Sessions.Sessions(ctx, f)
}

// SessionByID returns a session, or ErrNoSession.
func (s *Service) SessionByID(ctx context.Context, id string) (*model.Session, error) {
	row, err := s.cfg.Sessions.SessionByID(ctx, id)
	if err != nil {
		return nil, s.noSession(err)
	}
	return row, nil
}

// EndSession ends a session that SessionByID or Sessions has returned.
func (s *Service) EndSession(ctx context.Context, session *model.Session) error {
	return s.cfg.Sessions.DeleteSession(ctx, session.Key)
}

// EndSessions ends every session of a user: after a change of password or
// role, and when the user is removed.
func (s *Service) EndSessions(ctx context.Context, userID int32) error {
	return s.cfg.Sessions.DeleteUserSessions(ctx, userID)
}

// clip bounds a user name for the log.
func clip(name string) string {
	if len(name) > 64 {
		return name[:64] + "..."
	}
	return name
}
