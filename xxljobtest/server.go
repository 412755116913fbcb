package xxljobtest

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Registration is an executor that has registered.
type Registration struct {
	AppName  string    // its group
	Address  string    // its URL, as announced
	Since    time.Time // when its first beat arrived
	LastBeat time.Time // when its last one arrived
}

// Beat is one call to register or to deregister.
type Beat struct {
	AppName string    // the executor's group
	Address string    // its URL, as announced
	Removed bool      // it has deregistered
	At      time.Time // when the call arrived
}

// Report is one result as an executor reported it.
type Report struct {
	LogID       int64     // the run
	TriggerTime time.Time // as the executor repeats it; milliseconds
	Code        int       // 200 success, 500 failure, 502 timeout
	Msg         string    // what an admin shows
	NoRetry     bool      // the handler's error was marked with xxljob.NoRetry
	At          time.Time // when it arrived
}

// serve answers an executor.
func (a *Admin) serve(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(io.LimitReader(r.Body, wire.MaxCallbackBody+1))
	if err != nil {
		panic(http.ErrAbortHandler) // the executor is gone
	}
	fault := a.arrived()
	if fault.before(w, r, a.closed) {
		a.write(w, fault.status, fault.code, fault.msg)
		return
	}
	path, ok := strings.CutPrefix(r.URL.Path, a.base+"/api/")
	if !ok {
		http.NotFound(w, r)
		return
	}
	text := a.opts.Dialect.refusal(r, body, a.opts.Token)
	if text == "" {
		text = a.handle(path, body)
	}
	if fault.kind == faultAnswer {
		panic(http.ErrAbortHandler) // what was taken is never acknowledged
	}
	if text != "" {
		a.write(w, http.StatusOK, wire.CodeFail, text)
		return
	}
	a.write(w, http.StatusOK, wire.CodeSuccess, "")
}

// handle does what a call asks for. It returns the text of a refusal, or "".
func (a *Admin) handle(path string, body []byte) string {
	a.calling.Lock()
	defer a.calling.Unlock()
	switch "/api/" + path {
	case wire.PathRegistry:
		return a.beat(body, false)
	case wire.PathRegistryRemove:
		return a.beat(body, true)
	case wire.PathCallback:
		return a.callback(body)
	default:
		return wire.NotFoundText(path)
	}
}

// write answers in the Admin's dialect.
func (a *Admin) write(w http.ResponseWriter, status int, code int32, msg string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(a.opts.Dialect.envelope(code, msg)) // the executor is gone
}

// beat takes a registration, or the end of one.
func (a *Admin) beat(body []byte, removed bool) string {
	req, err := wire.DecodeRegistry(body)
	if err != nil {
		return a.opts.Dialect.exception(err.Error())
	}
	for _, field := range []wire.NullString{req.Group, req.Key, req.Value} {
		if strings.TrimSpace(field.String) == "" {
			return wire.TextIllegal
		}
	}
	beat := Beat{AppName: req.Key.String, Address: req.Value.String, Removed: removed, At: time.Now()}
	a.mu.Lock()
	a.beats = append(a.beats, beat)
	a.registerLocked(beat)
	a.notifyLocked()
	a.mu.Unlock()
	if a.opts.OnBeat != nil {
		a.opts.OnBeat(beat)
	}
	return ""
}

// registerLocked keeps the list of executors.
func (a *Admin) registerLocked(beat Beat) {
	at := slices.IndexFunc(a.executors, func(r Registration) bool {
		return r.AppName == beat.AppName && r.Address == beat.Address
	})
	switch {
	case beat.Removed && at >= 0:
		a.executors = slices.Delete(a.executors, at, at+1)
	case beat.Removed:
	case at >= 0:
		a.executors[at].LastBeat = beat.At
	default:
		a.executors = append(a.executors, Registration{
			AppName: beat.AppName, Address: beat.Address, Since: beat.At, LastBeat: beat.At,
		})
	}
}

// callback takes results: all of a body, or none.
func (a *Admin) callback(body []byte) string {
	items, exception := a.opts.Dialect.callbacks(body)
	if exception != "" {
		return exception
	}
	if text := a.refuses(items); text != "" {
		return text
	}
	reports := make([]Report, 0, len(items))
	a.mu.Lock()
	for _, item := range items {
		report := Report{
			LogID: item.LogID, TriggerTime: time.UnixMilli(item.LogDateTime), Code: int(item.Code),
			Msg: item.Msg.String, NoRetry: item.NoRetry, At: time.Now(),
		}
		reports = append(reports, report)
		a.reports = append(a.reports, report)
		run := a.runLocked(report)
		if run.first == nil {
			run.first = &report
		}
	}
	a.notifyLocked()
	a.mu.Unlock()
	if a.opts.OnReport != nil {
		for _, report := range reports {
			a.opts.OnReport(report)
		}
	}
	return ""
}

// runLocked returns the run that a report is of. One that the Admin has not
// sent, because somebody triggered it by hand, is taken for the first
// executor's.
func (a *Admin) runLocked(report Report) *sentRun {
	run := a.runs[report.LogID]
	if run == nil {
		run = &sentRun{at: report.TriggerTime}
		if len(a.executors) > 0 {
			run.address = a.executors[0].Address
		}
		a.runs[report.LogID] = run
	}
	return run
}

// notifyLocked wakes everybody who waits for a change.
func (a *Admin) notifyLocked() {
	close(a.changed)
	a.changed = make(chan struct{})
}

// wait blocks until cond, which is called with the lock held, is true. It
// returns the cause of ctx's end, or ErrClosed.
func (a *Admin) wait(ctx context.Context, cond func() bool) error {
	for {
		a.mu.Lock()
		ok, changed := cond(), a.changed
		a.mu.Unlock()
		if ok {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-a.closed:
			return ErrClosed
		}
	}
}

// findLocked returns the first executor with this group and address, where ""
// means any, or nil.
func (a *Admin) findLocked(appName, address string) *Registration {
	for i := range a.executors {
		r := &a.executors[i]
		if (appName == "" || r.AppName == appName) && (address == "" || r.Address == address) {
			return r
		}
	}
	return nil
}

// Registered returns the executors that are registered, in the order in which
// they came. None expires: the Admin keeps an executor until it deregisters.
func (a *Admin) Registered() []Registration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.executors)
}

// Beats returns every call to register or deregister that was accepted, in the
// order of arrival.
func (a *Admin) Beats() []Beat {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.beats)
}

// Reports returns every result that was accepted, repeated ones included, in
// the order of arrival.
func (a *Admin) Reports() []Report {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Clone(a.reports)
}

// Result returns the first result of a run and blocks until it has arrived. It
// returns the cause of ctx's end, or ErrClosed.
func (a *Admin) Result(ctx context.Context, logID int64) (Report, error) {
	var report Report
	err := a.wait(ctx, func() bool {
		run := a.runs[logID]
		if run == nil || run.first == nil {
			return false
		}
		report = *run.first
		return true
	})
	return report, err
}
