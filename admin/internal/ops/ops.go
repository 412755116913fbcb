package ops

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// Config describes a Service. Store, Scheduler, Dispatcher, Executors,
// Registry, Completion and Passwords are required.
type Config struct {
	Store      Store
	Scheduler  Scheduler
	Dispatcher Dispatcher
	Executors  Executors
	Registry   Registry
	Completion Completion
	Passwords  Passwords

	// FirstStart is the setup of a new database. Nil: there is none to be asked
	// for.
	FirstStart FirstStart
	// Logins knows the sessions. nil: there are none.
	Logins Logins
	// System tells of the admin itself. nil: nothing is told.
	System System
	// Retention is how long rows are kept unless an administrator has said
	// otherwise. Default for ever.
	Retention Retention

	// Alarms sends alarms. nil: there are no channels.
	Alarms Alarms
	// Unknown tells of executors under app names that no group has, at most so many
	// names, and how many names there are. Default: of none.
	Unknown func(most int) (list []model.UnknownApp, names int)
	// States tells how the addresses of groups stand, by group and address, and
	// LastBeat when an executor of the app was last heard of. Default: nothing is known.
	States   func(ctx context.Context, groups []*model.Group) (map[int32]map[string]model.AddressState, error)
	LastBeat func(appName string) time.Time
	// Refused tells who has called as an executor with a wrong token, at most 100.
	// Default: of nobody.
	Refused func() []model.Refused
	// CodeEditing lets administrators and principals with the permission to do so
	// ([Principal].Code) write code (GLUE) that executors run. Default nobody may.
	CodeEditing bool
	// SharedWithJava is set where a Java admin works on the same database: a
	// started job then fires 5 s later than it could, as Java's do, and no job
	// has a time zone of its own, which Java would not know of.
	SharedWithJava bool
	// Location is the zone of schedules and dates. Default time.Local.
	Location *time.Location
	// Lang is the language of what is stored in a log row. The default is
	// simplified Chinese.
	Lang i18n.Lang
	// Links makes addresses of pages. Default: there are none.
	Links link.Base
	// ParamMax is what the column executor_param holds: characters, or bytes
	// from 60,000 on (it is a text column then). Default 65,535.
	ParamMax int
	// TitleMax is how many characters a group's title may have. Default 64.
	TitleMax int
	// PasswordMin and PasswordMax bound the length of new passwords, in
	// characters. Default 4 and 20, as in the Java admin.
	PasswordMin, PasswordMax int
	Logger                   *slog.Logger     // default: discards
	Now                      func() time.Time // default time.Now
}

// Service does what people, scripts and programs ask of the admin. All methods
// are safe for concurrent use and block on the database. It owns no goroutine.
type Service struct {
	cfg   Config
	store Store
	log   *slog.Logger
	now   func() time.Time

	// edits has one slot. Who holds it reads and writes in one step: the walk
	// over child jobs with the job that is then stored, so that two edits
	// cannot close a circle together, and the token of a group with its row.
	edits chan struct{}
	tests alarmTests
}

// New checks the configuration and returns a Service.
func New(cfg Config) (*Service, error) {
	for _, need := range []struct {
		name string
		ok   bool
	}{
		{"Store", cfg.Store != nil},
		{"Scheduler", cfg.Scheduler != nil},
		{"Dispatcher", cfg.Dispatcher != nil},
		{"Executors", cfg.Executors != nil},
		{"Registry", cfg.Registry != nil},
		{"Completion", cfg.Completion != nil},
		{"Passwords", cfg.Passwords != nil},
	} {
		if !need.ok {
			return nil, fmt.Errorf("ops: %s is required", need.name)
		}
	}
	cfg.Location = cmp.Or(cfg.Location, time.Local)
	cfg.ParamMax = cmp.Or(cfg.ParamMax, textColumn)
	cfg.TitleMax = cmp.Or(cfg.TitleMax, 64)
	cfg.PasswordMin = cmp.Or(cfg.PasswordMin, 4)
	cfg.PasswordMax = cmp.Or(cfg.PasswordMax, 20)
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Service{
		cfg: cfg, store: cfg.Store, now: cfg.Now, edits: make(chan struct{}, 1),
		log: cfg.Logger.With(slog.String("part", "ops")),
	}, nil
}

// lockEdits waits for the slot of edits, no longer than ctx.
func (s *Service) lockEdits(ctx context.Context) (unlock func(), err error) {
	select {
	case s.edits <- struct{}{}:
		return func() { <-s.edits }, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("wait for another edit: %w", context.Cause(ctx))
	}
}

// seconds is the present time as a DATETIME column keeps it.
func (s *Service) seconds() time.Time { return s.now().In(s.cfg.Location).Truncate(time.Second) }

// record writes an action that has been done to the audit log and to the log.
// The action stands, so a fault of the audit log is only reported.
func (s *Service) record(ctx context.Context, p Principal, action, object, detail string) {
	s.log.InfoContext(ctx, "action done", slog.String("user", p.Name), slog.String("source", p.Source),
		slog.String("action", action), slog.String("object", object))
	a := model.Audit{At: s.now(), User: p.Name, Action: action, Object: object, Detail: cut(detail, maxDetail)}
	if err := s.store.AddAudit(context.WithoutCancel(ctx), a); err != nil {
		s.log.ErrorContext(ctx, "audit record not written", slog.String("action", action),
			slog.String("object", object), slog.Any("err", err))
	}
}

// notFound reports whether a row does not exist.
func notFound(err error) bool { return errors.Is(err, store.ErrNotFound) }

// refused turns an error of a write that is the caller's fault into an Error.
func refused(err error) error {
	of := func(kind Kind, text i18n.Key) *Error {
		return &Error{Kind: kind, Parts: []Part{key(text)}, Detail: err.Error(), Err: err}
	}
	switch {
	case errors.Is(err, store.ErrNotFound):
		return of(NotFound, i18n.SystemNotFound).own("refused.gone")
	case errors.Is(err, store.ErrTooLong):
		return of(Invalid, i18n.SystemLengthLimit).own("refused.stored.long")
	case errors.Is(err, store.ErrBadText):
		return of(Invalid, i18n.SystemInvalid).own("refused.stored.text")
	case errors.Is(err, store.ErrDuplicate):
		return of(Conflict, i18n.SystemRepeat).own("refused.stored.twice")
	}
	return err
}

// id32 writes an id for messages.
func id32(id int32) string { return strconv.Itoa(int(id)) }
