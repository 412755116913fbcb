package auth

import (
	"cmp"
	"context"
	"log/slog"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// users is what the package needs of the store's users.
type users interface {
	User(ctx context.Context, id int32) (*model.User, error)
	UserByName(ctx context.Context, name string) (*model.User, error)
	Users(ctx context.Context, f model.UserFilter) ([]*model.User, int, error)
	CreateUser(ctx context.Context, u *model.User) error
	UpdateUser(ctx context.Context, u *model.User) error
	passwords
}

// passwords is what the package needs of the store's password columns.
type passwords interface {
	// SetPassword writes Java's column and ours.
	SetPassword(ctx context.Context, id int32, javaHash, ownHash string) error
	// SetOwnHash writes ours.
	SetOwnHash(ctx context.Context, id int32, ownHash string) error
}

// sessions is what the package needs of the store's sessions.
type sessions interface {
	CreateSession(ctx context.Context, s *model.Session) error
	Session(ctx context.Context, key string) (*model.Session, error)
	TouchSession(ctx context.Context, key string, seen time.Time) error
	DeleteSession(ctx context.Context, key string) error
	DeleteUserSessions(ctx context.Context, userID int32) error
	Sessions(ctx context.Context, f model.SessionFilter) ([]*model.Session, error)
	SessionByID(ctx context.Context, id string) (*model.Session, error)
}

// javaTokens reads the column in which Java releases since 3.2.0 keep the
// signature of a user's login cookie.
type javaTokens interface {
	JavaToken(ctx context.Context, userID int32) (string, error)
}

// JavaHash says what becomes of Java's password column when a password is set
// here.
type JavaHash int

// The forms.
const (
	JavaUnusable JavaHash = iota // a random text that no password hashes to
	JavaMD5                      // shared with a Java node up to 3.1.1
	JavaSHA256                   // shared with a Java node since 3.2.0
)

// Config describes a Service.
type Config struct {
	Users    users
	Sessions sessions
	// Settings keeps how far the setup of a new database is. Nil is for commands
	// beside the admin: there a printed password is as good as another one.
	Settings settings
	// NotFound reports whether an error of Users or Sessions means that there
	// is no such row. Required.
	NotFound func(error) bool
	// JavaHash is what Java's column gets; JavaUnusable unless the database is
	// shared with a Java node.
	JavaHash JavaHash
	// JavaTokens, where set, switches on the login cookie of Java nodes since
	// 3.2.0 on the same database (Authenticate with FromJava). Off by default:
	// that cookie never expires, and outlives a change of password.
	JavaTokens javaTokens
	// IdleTimeout ends a session without requests. Default 12 h.
	IdleTimeout time.Duration
	// MaxAge ends a session in any case. Default 7 days.
	MaxAge time.Duration
	// RememberIdle and RememberMaxAge are the same for "remember me". Default 7
	// and 30 days; the latter is at least twice MaxAge, for it is what a
	// remembered session is known by.
	RememberIdle   time.Duration
	RememberMaxAge time.Duration
	Logger         *slog.Logger     // nil discards
	Now            func() time.Time // nil is time.Now
}

// Service checks passwords and sessions. It owns no goroutine and is safe for
// concurrent use.
type Service struct {
	cfg      Config
	hasher   *hasher
	throttle *throttle
	log      *slog.Logger
	now      func() time.Time

	printed  atomic.Pointer[string] // mark of the hash of the printed password; nil or "" without one
	choosing sync.Mutex             // of two who replace it only the first one does
}

// Limits of the hasher.
const (
	parallelHashes = 2
	waitingHashes  = 64
)

// New returns a Service.
func New(cfg Config) *Service {
	cfg.IdleTimeout = cmp.Or(cfg.IdleTimeout, 12*time.Hour)
	cfg.MaxAge = cmp.Or(cfg.MaxAge, 7*24*time.Hour)
	cfg.RememberIdle = cmp.Or(cfg.RememberIdle, 7*24*time.Hour)
	cfg.RememberMaxAge = cmp.Or(cfg.RememberMaxAge, 30*24*time.Hour)
	cfg.RememberMaxAge = max(cfg.RememberMaxAge, 2*cfg.MaxAge)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Service{
		cfg:      cfg,
		hasher:   newHasher(parallelHashes, waitingHashes),
		throttle: newThrottle(),
		log:      cfg.Logger.With(slog.String("part", "auth")),
		now:      cfg.Now,
	}
}

// HashPassword returns what the two password columns get for a password: Java's
// and our own. It returns ErrBusy when too many are being made.
func (s *Service) HashPassword(ctx context.Context, password string) (javaHash, ownHash string, err error) {
	switch s.cfg.JavaHash {
	case JavaMD5:
		javaHash = md5Hex(password)
	case JavaSHA256:
		javaHash = sha256Hex(password)
	default:
		javaHash = unusable()
	}
	encoded, err := s.hasher.hash(ctx, password)
	if err != nil {
		return "", "", err
	}
	return javaHash, bind(encoded, javaHash), nil
}

// CheckPassword reports whether the password is the user's, for the change of
// one's own password. Wrong ones count for the throttle of the account: it
// returns a *ThrottledError when there were too many, and ErrBusy when too many
// passwords are being checked.
func (s *Service) CheckPassword(ctx context.Context, u *model.User, password string) (bool, error) {
	account := accountOf(u, u.Username)
	if err := s.throttle.take(account, netip.Addr{}, s.now()); err != nil {
		return false, err
	}
	ok, err := s.check(ctx, u, password)
	if ok || err != nil {
		s.throttle.giveBack(account, netip.Addr{}, false, s.now())
	}
	return ok, err
}

// check is CheckPassword without the throttle. It takes as long for a nil user.
func (s *Service) check(ctx context.Context, u *model.User, password string) (bool, error) {
	if len(password) > maxPassword {
		u, password = nil, ""
	}
	if u == nil {
		return s.hasher.matches(ctx, "", password)
	}
	if encoded, ok := bound(u.Hash, u.JavaHash); ok {
		return s.hasher.matches(ctx, encoded, password)
	}
	if !javaMatches(u.JavaHash, password) {
		return s.hasher.matches(ctx, "", password)
	}
	return true, s.moveOver(ctx, u, password)
}

// moveOver stores our own hash of a password that Java's column has proven.
// That column stays as it is.
func (s *Service) moveOver(ctx context.Context, u *model.User, password string) error {
	encoded, err := s.hasher.hash(ctx, password)
	if err != nil {
		return err
	}
	own := bind(encoded, u.JavaHash)
	if err := s.cfg.Users.SetOwnHash(ctx, u.ID, own); err != nil {
		// The password is right; the next login moves it over.
		s.log.WarnContext(ctx, "password row not moved over", slog.Int64("user_id", int64(u.ID)), slog.Any("err", err))
		return nil
	}
	u.Hash = own
	s.log.InfoContext(ctx, "password row moved over", slog.Int64("user_id", int64(u.ID)))
	return nil
}

// CanLogIn reports whether the user exists and has a password with which a
// login is possible: the shipped one of a Java database is none.
func (s *Service) CanLogIn(ctx context.Context, userID int32) (bool, error) {
	u, err := s.cfg.Users.User(ctx, userID)
	if err != nil {
		if s.cfg.NotFound(err) {
			return false, nil
		}
		return false, err
	}
	return usable(u), nil
}

// usable reports whether a user can log in with some password.
func usable(u *model.User) bool {
	if encoded, ok := bound(u.Hash, u.JavaHash); ok {
		_, err := parsePHC(encoded)
		return err == nil
	}
	return javaUsable(u.JavaHash)
}
