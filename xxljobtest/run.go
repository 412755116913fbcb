package xxljobtest

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/internal/testrun"
)

// Result is what the executor would report of a run, and what it kept.
type Result struct {
	// Code is the result code: 200 for success, 500 for a failure, 502 for a
	// run that hit its timeout.
	Code int
	// Msg is the message that the admin shows.
	Msg string
	// NoRetry says that the handler's error was marked with xxljob.NoRetry.
	NoRetry bool
	// Err is what the handler returned, a *xxljob.PanicError if it panicked,
	// and the cause of its context if it had not returned.
	Err error
	// Stranded says that the handler had not returned 3 s after it was told to
	// stop. It is then still at work; in a synctest bubble it must end before
	// the bubble does.
	Stranded bool
	// Duration is the time from the handler's begin to the report.
	Duration time.Duration
	// Log is the run's log as the admin shows it, the executor's own entries
	// included. Each entry begins with time, place in the code and thread.
	Log string
	// Entries are the texts that the handler wrote to the log with Logger and
	// Logf, without what stands before them.
	Entries []string
}

// Run calls a handler as an executor would and returns what would be reported.
// It blocks until the handler returns, or for 3 s after the run was told to
// stop. A panic of the handler becomes a result; so does runtime.Goexit, and
// with it t.FailNow, which fails the test all the same.
//
// The handler's context carries the values of ctx, and the trigger's timeout
// as its deadline. When ctx ends the run is told to stop, and reported, as the
// cause of ctx says: give xxljob.ErrKilled, ErrCovered, ErrReplaced or
// ErrShutdown to the function of context.WithCancelCause. Every other cause
// counts as a kill. Concurrent calls are independent.
func Run(ctx context.Context, handler xxljob.HandlerFunc, trigger Trigger) Result {
	if handler == nil {
		panic("xxljobtest: Run: the handler is nil")
	}
	trigger = trigger.withDefaults()
	if trigger.LogID == 0 {
		trigger.LogID = 1
	}
	start := time.Now()
	var log memoryLog
	out := testrun.Run(ctx, testrun.Call{
		Trigger: trigger.request(), Recovered: trigger.Recovered, Handler: handler, Log: &log,
	})
	result := Result{
		Code: int(out.Code), Msg: out.Msg, NoRetry: out.NoRetry, Err: out.Err, Stranded: out.Stranded,
		Duration: time.Since(start),
	}
	result.Log, result.Entries = log.contents()
	return result
}

// RunTyped is Run for a handler of xxljob.RegisterTyped: the trigger's Param is
// decoded as there, and opts may hold xxljob.LenientParams.
func RunTyped[T any](ctx context.Context, handler func(context.Context, *xxljob.Run, T) error, trigger Trigger,
	opts ...xxljob.HandlerOption,
) Result {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{"http://127.0.0.1"}, AppName: defaultAppName, AccessToken: DefaultToken,
	})
	if err == nil {
		err = xxljob.RegisterTyped(executor, typedName, handler, opts...)
	}
	if err != nil {
		panic("xxljobtest: RunTyped: " + err.Error())
	}
	return RunRegistered(ctx, executor, typedName, trigger)
}

const typedName = "typed"

// RunRegistered is Run for the handler that is registered with executor under
// name, with the executor's middleware round it and its Init and Destroy hooks
// called before and after. The executor need not be running. It panics if the
// name is not registered, as that is a mistake in the test.
func RunRegistered(ctx context.Context, executor *xxljob.Executor, name string, trigger Trigger) Result {
	handler, ok := testrun.Handler(executor, name).(xxljob.HandlerFunc)
	if !ok {
		panic("xxljobtest: RunRegistered: no handler is registered as " + name)
	}
	trigger.Handler = name
	return Run(ctx, handler, trigger)
}

// memoryLog keeps the log of a run in memory.
type memoryLog struct {
	mu     sync.Mutex
	text   strings.Builder
	texts  []string // of the handler's entries
	closed bool
}

// executorSite stands in the head of the entries that are the executor's own.
const executorSite = "[xxljob.jobThread#"

// AppendEnd takes one entry.
func (l *memoryLog) AppendEnd(entry []byte) bool { return l.Append(entry) }

// Append takes one entry.
func (l *memoryLog) Append(entry []byte) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	l.text.Write(entry)
	head, text := splitEntry(string(entry))
	if !strings.Contains(head, executorSite) {
		l.texts = append(l.texts, strings.TrimSuffix(text, "\n"))
	}
	return true
}

// Write takes raw text.
func (l *memoryLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, errors.New("the run's log is closed")
	}
	return l.text.Write(p)
}

// End ends the log.
func (l *memoryLog) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.closed = true
}

func (l *memoryLog) contents() (text string, entries []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String(), l.texts
}

// splitEntry cuts an entry behind its head, "time [place]-[line]-[thread] ".
// The name of a thread has no bracket in it.
func splitEntry(entry string) (head, text string) {
	rest := entry
	for range 2 {
		_, after, ok := strings.Cut(rest, "]-[")
		if !ok {
			return "", entry
		}
		rest = after
	}
	_, text, ok := strings.Cut(rest, "] ")
	if !ok {
		return "", entry
	}
	return entry[:len(entry)-len(text)], text
}
