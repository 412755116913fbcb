package xxljob

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// HandlerFunc does the work of one run. A nil error is success; Skip and
// NoRetry give errors with a special meaning, and every other error fails the
// run with its text. ctx ends when the run is to stop: context.Cause(ctx) says
// why. A handler that goes on all the same is reported 3 s later and left
// behind. Handlers of different jobs run concurrently; runs of one job do not,
// unless an earlier one was left behind.
type HandlerFunc func(ctx context.Context, run *Run) error

// Middleware wraps a handler, e.g. to trace or to time it.
type Middleware func(HandlerFunc) HandlerFunc

// HandlerOption changes how a handler is run, or declares a job for it. Options
// are made by MaxConcurrent, Repeatable, Init, Destroy and LenientParams; a Job
// is one too.
type HandlerOption interface{ apply(r *registration) }

// handlerOption is an option that is a function.
type handlerOption func(*registration)

func (o handlerOption) apply(r *registration) { o(r) }

// MaxConcurrent bounds the runs of this handler at one time in this process;
// others wait, and count as running meanwhile. The default 0 is no limit.
func MaxConcurrent(n int) HandlerOption {
	return handlerOption(func(r *registration) { r.maxConcurrent = n })
}

// Repeatable says that the handler may safely start again after a crash. A run
// that was waiting or cut off when the process died is then run again, if its
// trigger is younger than Config.RecoverMaxAge, instead of reported failed.
func Repeatable() HandlerOption {
	return handlerOption(func(r *registration) { r.repeatable = true })
}

// Init sets a hook that is called before the first run of each job that uses
// the handler, and again when the job starts anew after having been idle. An
// error fails the run; the next one tries again. ctx is that of the run.
func Init(init func(ctx context.Context) error) HandlerOption {
	return handlerOption(func(r *registration) { r.init = init })
}

// Destroy sets a hook that is called when a job that was initialised ends: by
// idling, a kill, a replacement or shutdown, and only after its last run has
// really returned.
func Destroy(destroy func()) HandlerOption {
	return handlerOption(func(r *registration) { r.destroy = destroy })
}

// LenientParams makes a handler of RegisterTyped ignore unknown fields of its
// parameters instead of failing the run.
func LenientParams() HandlerOption {
	return handlerOption(func(r *registration) { r.lenientParams = true })
}

// registration is a handler with its options. Its address is the identity that
// tells whether a job's handler was changed.
type registration struct {
	name          string
	handle        HandlerFunc
	maxConcurrent int
	repeatable    bool
	lenientParams bool
	init          func(context.Context) error
	destroy       func()
	jobs          []Job // declared for it, without defaults

	slots    chan struct{} // nil without a limit
	stranded atomic.Int64  // goroutines that go on although their run was reported
}

// callInit calls the Init hook, if there is one.
func (reg *registration) callInit(ctx context.Context) error {
	if reg.init == nil {
		return nil
	}
	if err := reg.init(ctx); err != nil {
		return fmt.Errorf("init of handler %s: %w", reg.name, err)
	}
	return nil
}

// handlerSet is the registry of handlers: filled before Run, read-only afterwards.
type handlerSet struct {
	mu         sync.Mutex
	byName     map[string]*registration
	middleware []Middleware
	faults     []error // of Register calls whose error may have been ignored
	jobNames   []string
	sealed     bool
}

// Register makes h the handler of BEAN jobs whose JobHandler is name. It
// returns an error for an empty name, a nil handler, a name that is taken and
// after Run has begun. Run returns the errors of Register too, so that
// ignoring them here hides nothing. It does not block and is safe for
// concurrent use.
func (e *Executor) Register(name string, h HandlerFunc, opts ...HandlerOption) error {
	return e.handlers.add(name, h, opts)
}

// Use adds middleware round every handler and script, the first given being
// the outermost. It returns ErrRunning after Run has begun.
func (e *Executor) Use(mw ...Middleware) error {
	s := &e.handlers
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return ErrRunning
	}
	s.middleware = append(s.middleware, mw...)
	return nil
}

func (s *handlerSet) add(name string, h HandlerFunc, opts []HandlerOption) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sealed {
		return fmt.Errorf("register handler %q: %w", name, ErrRunning)
	}
	err := s.addLocked(name, h, opts)
	if err != nil {
		s.faults = append(s.faults, err)
	}
	return err
}

func (s *handlerSet) addLocked(name string, h HandlerFunc, opts []HandlerOption) error {
	switch {
	case strings.TrimSpace(name) == "":
		return errors.New("register handler: the name is empty")
	case h == nil:
		return fmt.Errorf("register handler %q: the function is nil", name)
	case s.byName[name] != nil:
		return fmt.Errorf("register handler %q: the name is taken: xxl-job jobhandler[%[1]s] naming conflicts", name)
	}
	reg := &registration{name: name, handle: h}
	for _, opt := range opts {
		opt.apply(reg)
	}
	if reg.maxConcurrent < 0 {
		return fmt.Errorf("register handler %q: MaxConcurrent is negative", name)
	}
	for _, j := range reg.jobs {
		j = j.withDefaults(name, "app")
		if err := j.validate(); err != nil {
			return fmt.Errorf("register handler %q: job %q: %w", name, j.Name, err)
		}
		if slices.Contains(s.jobNames, j.Name) {
			return fmt.Errorf("register handler %q: job %q is declared twice", name, j.Name)
		}
		s.jobNames = append(s.jobNames, j.Name)
	}
	if len(s.jobNames) > wire.MaxDeclared {
		return fmt.Errorf("register handler %q: more than %d jobs are declared", name, wire.MaxDeclared)
	}
	if reg.maxConcurrent > 0 {
		reg.slots = make(chan struct{}, reg.maxConcurrent)
	}
	if s.byName == nil {
		s.byName = make(map[string]*registration)
	}
	s.byName[name] = reg
	return nil
}

// seal ends registration and wraps the handlers in the middleware. It returns
// the faults of earlier calls.
func (s *handlerSet) seal() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sealed = true
	for _, reg := range s.byName {
		reg.handle = s.wrap(reg.handle)
	}
	return errors.Join(s.faults...)
}

// jobs returns the jobs that are declared, by handler and in the order of
// declaration. Only after seal.
func (s *handlerSet) jobs(app string) []wire.DeclaredJob {
	var list []wire.DeclaredJob
	for _, name := range slices.Sorted(maps.Keys(s.byName)) {
		for _, j := range s.byName[name].jobs {
			j = j.withDefaults(name, app)
			list = append(list, j.declared(name))
		}
	}
	return list
}

// wrap puts the middleware round h.
func (s *handlerSet) wrap(h HandlerFunc) HandlerFunc {
	for i := len(s.middleware) - 1; i >= 0; i-- {
		h = s.middleware[i](h)
	}
	return h
}

// lookup returns the handler registered under name, or nil. Only after seal.
func (s *handlerSet) lookup(name string) *registration { return s.byName[name] }

// RegisterTyped registers a handler that takes its parameters as JSON. An
// empty parameter gives T's zero value; malformed JSON, trailing text and, but
// for LenientParams, unknown fields fail the run with an error that quotes the
// parser and is marked NoRetry. Otherwise it is Register.
func RegisterTyped[T any](
	e *Executor, name string, h func(ctx context.Context, run *Run, params T) error, opts ...HandlerOption,
) error {
	if h == nil {
		return e.Register(name, nil, opts...)
	}
	var probe registration
	for _, opt := range opts {
		opt.apply(&probe)
	}
	return e.Register(name, func(ctx context.Context, run *Run) error {
		var params T
		if err := decodeParams(run.Param(), &params, probe.lenientParams); err != nil {
			return NoRetry(fmt.Errorf("job parameter is not valid JSON for this handler: %w", err))
		}
		return h(ctx, run, params)
	}, opts...)
}

// decodeParams decodes one JSON value from param into v.
func decodeParams(param string, v any, lenient bool) error {
	if strings.TrimSpace(param) == "" {
		return nil
	}
	dec := json.NewDecoder(bytes.NewReader([]byte(param)))
	if !lenient {
		dec.DisallowUnknownFields()
	}
	if err := dec.Decode(v); err != nil {
		return err
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return errors.New("text after the JSON value")
	}
	return nil
}
