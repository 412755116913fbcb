package auth

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Errors of the setup of a new database.
var (
	// ErrSetup is ErrNoSession for somebody whose password is still the printed
	// one: it is good for the setup alone.
	ErrSetup = fmt.Errorf("%w: the printed password is for the setup", ErrNoSession)
	// ErrNoSetup is returned for a step of the setup that is closed.
	ErrNoSetup = errors.New("auth: the setup is closed")

	// ErrPasswordLength, ErrPasswordName and ErrPasswordSame are returned for an
	// administrator's password that is not taken: because of its length, because
	// it is the user name, or because it is the printed one.
	ErrPasswordLength = fmt.Errorf("the administrator's password must have %d to %d bytes",
		minAdminPassword, maxAdminPassword)
	ErrPasswordName = errors.New("the administrator's password must not be the user name")
	ErrPasswordSame = errors.New("auth: this is the printed password")
)

// setupSetting is the setting that holds a setupRecord.
const setupSetting = "setup"

// setupOpen is how long the first executor is waited for.
const setupOpen = 24 * time.Hour

// settings is what the package needs of the store's settings.
type settings interface {
	Setting(ctx context.Context, key string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, key, value string) error
}

// setupRecord is what is known of the setup of a database whose administrator
// got a generated password.
type setupRecord struct {
	Name  string `json:"name"`  // of the administrator
	Mark  string `json:"mark"`  // of the hash of the generated password
	Since int64  `json:"since"` // Unix milliseconds of the last step
	Done  bool   `json:"done,omitempty"`
}

// Phase is how far a setup is.
type Phase int

// The phases, the last one first.
const (
	SetupClosed   Phase = iota // it is over, or there never was one
	SetupExecutor              // the first executor is awaited
	SetupPassword              // the administrator has to choose a password
)

// Setup is the state of the setup of a database.
type Setup struct {
	Phase Phase
	Name  string // of the administrator; "" where it is closed
	Alone bool   // nobody else has an account
}

// Setup returns how far the setup is. It begins where EnsureAdmin has generated
// a password, passes on when that password has been replaced in any way, and is
// closed for good by FinishSetup, or 24 h after its last step.
func (s *Service) Setup(ctx context.Context) (Setup, error) {
	rec, err := s.setupRecord(ctx)
	if err != nil || rec.Mark == "" || rec.Done {
		return Setup{}, err
	}
	u, err := s.cfg.Users.UserByName(ctx, rec.Name)
	if err != nil {
		if s.cfg.NotFound(err) {
			return Setup{}, nil
		}
		return Setup{}, err
	}
	_, total, err := s.cfg.Users.Users(ctx, model.UserFilter{Limit: 1})
	if err != nil {
		return Setup{}, err
	}
	state := Setup{Phase: SetupPassword, Name: u.Username, Alone: total == 1}
	if markOf(u.Hash) == rec.Mark {
		return state, nil
	}
	if s.now().Sub(time.UnixMilli(rec.Since)) > setupOpen {
		return Setup{}, nil
	}
	state.Phase = SetupExecutor
	return state, nil
}

func (s *Service) setupRecord(ctx context.Context) (rec setupRecord, err error) {
	if s.cfg.Settings == nil {
		return rec, nil
	}
	value, ok, err := s.cfg.Settings.Setting(ctx, setupSetting)
	if err != nil || !ok {
		return rec, err
	}
	if err := json.Unmarshal([]byte(value), &rec); err != nil {
		return setupRecord{}, fmt.Errorf("setting %s: %w", setupSetting, err)
	}
	return rec, nil
}

func (s *Service) saveSetup(ctx context.Context, rec setupRecord) error {
	value, err := json.Marshal(rec)
	if err != nil {
		return err
	}
	return s.cfg.Settings.SetSetting(ctx, setupSetting, string(value))
}

// openSetup begins a setup: the hash of the administrator is that of a password
// that was made here.
func (s *Service) openSetup(ctx context.Context, name, ownHash string) error {
	if s.cfg.Settings == nil {
		return nil
	}
	rec := setupRecord{Name: name, Mark: markOf(ownHash), Since: s.now().UnixMilli()}
	if err := s.saveSetup(ctx, rec); err != nil {
		return err
	}
	s.printed.Store(&rec.Mark)
	return nil
}

// rememberSetup reads which password was printed when the database was new.
func (s *Service) rememberSetup(ctx context.Context) error {
	rec, err := s.setupRecord(ctx)
	if err == nil {
		s.printed.Store(&rec.Mark)
	}
	return err
}

// pending reports whether the password of a user is still the printed one. The
// mark of a hash never comes back, so once it is not it never is again.
func (s *Service) pending(u *model.User) bool {
	mark := s.printed.Load()
	return mark != nil && *mark != "" && u.Hash != "" && markOf(u.Hash) == *mark
}

// markOf is what a stored hash is known by.
func markOf(hash string) string { return sha256Hex("xxljob setup\x00" + hash) }

// SetupUser returns the user of a session for which Authenticate has returned
// ErrSetup.
func (s *Service) SetupUser(ctx context.Context, id string) (*model.User, error) {
	u, err := s.authenticate(ctx, id)
	if err != nil {
		return nil, err
	}
	if !s.pending(u) {
		return nil, ErrNoSession
	}
	return u, nil
}

// ChoosePassword replaces the printed password of a user, whose sessions end.
// It returns ErrNoSetup where the password is another one already, an error of
// the new password, ErrBusy, or an error of the store.
func (s *Service) ChoosePassword(ctx context.Context, userID int32, password string) error {
	s.choosing.Lock()
	defer s.choosing.Unlock()
	u, err := s.cfg.Users.User(ctx, userID)
	if err != nil {
		return err
	}
	if !s.pending(u) {
		return ErrNoSetup
	}
	if err := checkAdminPassword(u.Username, password); err != nil {
		return err
	}
	same, err := s.check(ctx, u, password)
	if err != nil {
		return err
	}
	if same {
		return ErrPasswordSame
	}
	if err := s.SetPassword(ctx, userID, password); err != nil {
		return err
	}
	rec, err := s.setupRecord(ctx)
	if err != nil {
		return err
	}
	rec.Since = s.now().UnixMilli()
	s.log.InfoContext(ctx, "printed password replaced", slog.String("user", u.Username))
	return s.saveSetup(ctx, rec)
}

// FinishSetup closes the setup for good. It returns ErrNoSetup before the
// printed password has been replaced, and where it is closed already.
func (s *Service) FinishSetup(ctx context.Context) error {
	state, err := s.Setup(ctx)
	if err != nil {
		return err
	}
	if state.Phase != SetupExecutor {
		return ErrNoSetup
	}
	rec, err := s.setupRecord(ctx)
	if err != nil {
		return err
	}
	rec.Done = true
	return s.saveSetup(ctx, rec)
}

func checkAdminPassword(name, password string) error {
	switch {
	case len(password) < minAdminPassword || len(password) > maxAdminPassword:
		return ErrPasswordLength
	case strings.EqualFold(password, name):
		return ErrPasswordName
	}
	return nil
}
