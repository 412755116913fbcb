package xxljobtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// callTimeout limits one call to an executor.
const callTimeout = 10 * time.Second

// newClient returns a client that, like Java's, goes where the executor said and
// nowhere else.
func newClient() *http.Client {
	return &http.Client{
		Transport:     &http.Transport{DisableCompression: true},
		Timeout:       callTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// ErrUnknownRun is returned for a run that the Admin neither triggered nor got
// a result of.
var ErrUnknownRun = errors.New("xxljobtest: unknown run")

// RefusedError is the error of a call that an executor answered with another
// code than 200.
type RefusedError struct {
	Code int    // of the answer; 500 for a refusal
	Msg  string // why, for people
}

// Error quotes the answer.
func (e *RefusedError) Error() string {
	return fmt.Sprintf("xxljobtest: the executor answered code %d: %s", e.Code, e.Msg)
}

// Trigger sends a trigger to an executor that is registered, and blocks until
// one is; with Trigger.Address, to one that was registered there once, also if
// it has deregistered since. It returns the id of the run, for Result and Log, also with an error.
// The error is a *RefusedError if the executor did not take the trigger, the
// cause of ctx's end, ErrClosed, or that of a call without an answer.
func (a *Admin) Trigger(ctx context.Context, trigger Trigger) (logID int64, err error) {
	trigger = trigger.withDefaults()
	addr, err := a.target(ctx, trigger.AppName, trigger.Address)
	if err != nil {
		return trigger.LogID, err
	}
	a.mu.Lock()
	if trigger.LogID == 0 {
		trigger.LogID = a.nextLogID
	}
	a.nextLogID = max(a.nextLogID, trigger.LogID+1)
	if run := a.runs[trigger.LogID]; run != nil {
		run.address, run.at = addr.Address, trigger.Time
	} else {
		a.runs[trigger.LogID] = &sentRun{address: addr.Address, at: trigger.Time}
	}
	a.mu.Unlock()
	req := trigger.request()
	return trigger.LogID, a.ask(ctx, addr, a.opts.Dialect.triggerPath(), req.Append(nil))
}

// target returns where a trigger goes.
func (a *Admin) target(ctx context.Context, appName, address string) (Registration, error) {
	var found Registration
	err := a.wait(ctx, func() bool {
		if r := a.findLocked(appName, address); r != nil {
			found = *r
			return true
		}
		for _, beat := range a.beats {
			if address != "" && beat.Address == address {
				found = Registration{AppName: beat.AppName, Address: address}
				return true
			}
		}
		return false
	})
	return found, err
}

// Executor returns the first registered executor with this group and this
// address, where "" means any, and blocks until there is one. It returns the
// cause of ctx's end, or ErrClosed.
func (a *Admin) Executor(ctx context.Context, appName, address string) (Registration, error) {
	var found Registration
	err := a.wait(ctx, func() bool {
		r := a.findLocked(appName, address)
		if r != nil {
			found = *r
		}
		return r != nil
	})
	return found, err
}

// Beat asks the first registered executor whether it is alive, as the route
// strategy FAILOVER does. It blocks until one is registered. Errors are those
// of Trigger.
func (a *Admin) Beat(ctx context.Context) error {
	var body []byte
	if a.opts.Dialect == DialectLegacy {
		body = []byte(`""`) // as those releases send it
	}
	return a.askFirst(ctx, wire.PathBeat, body)
}

// IdleBeat asks the first registered executor whether a job is idle there, as
// the route strategy BUSYOVER does. A busy one answers with a *RefusedError.
func (a *Admin) IdleBeat(ctx context.Context, jobID int) error {
	req := wire.JobRequest{JobID: int32(jobID)}
	return a.askFirst(ctx, wire.PathIdleBeat, req.Append(nil))
}

// Kill tells the first registered executor to stop a job: its run at work and
// those that wait. It does not wait for their results.
func (a *Admin) Kill(ctx context.Context, jobID int) error {
	req := wire.JobRequest{JobID: int32(jobID)}
	return a.askFirst(ctx, wire.PathKill, req.Append(nil))
}

// LogPage is a page of a run's log.
type LogPage struct {
	From    int    // number of the first line asked for, from 1
	To      int    // number of the last line; below From if there is none yet
	Content string // the lines, each with its line end
	End     bool   // the executor says that nothing will follow
}

// LogPage reads a run's log from line from on, as the log page of an admin
// does. The executor is the one that the run was sent to. The error is
// ErrUnknownRun or one of those of Trigger.
func (a *Admin) LogPage(ctx context.Context, logID int64, from int) (LogPage, error) {
	a.mu.Lock()
	run, known := a.runs[logID]
	var addr Registration
	req := wire.LogRequest{LogID: logID, FromLineNum: int32(from)}
	if known {
		addr.Address, req.LogDateTime = run.address, run.at.UnixMilli()
		if r := a.findLocked("", run.address); r != nil {
			addr = *r
		}
	}
	a.mu.Unlock()
	if addr.Address == "" {
		return LogPage{}, fmt.Errorf("%w: %d", ErrUnknownRun, logID)
	}
	body, err := a.post(ctx, addr, wire.PathLog, req.Append(nil))
	if err != nil {
		return LogPage{}, err
	}
	res, page, err := wire.DecodeLogResponse(body)
	if err != nil {
		return LogPage{}, fmt.Errorf("xxljobtest: answer to /log: %w", err)
	}
	if res.Code != wire.CodeSuccess {
		return LogPage{}, &RefusedError{Code: int(res.Code), Msg: res.Msg.String}
	}
	return LogPage{From: int(page.FromLineNum), To: int(page.ToLineNum), Content: page.LogContent, End: page.IsEnd}, nil
}

// Log returns what is in a run's log so far, in as many calls of LogPage as it
// takes. After Result it holds all that the handler wrote.
func (a *Admin) Log(ctx context.Context, logID int64) (string, error) {
	var text strings.Builder
	for from := 1; ; {
		page, err := a.LogPage(ctx, logID, from)
		if err != nil {
			return "", err
		}
		text.WriteString(page.Content)
		if page.End || page.To < from {
			return text.String(), nil
		}
		from = page.To + 1
	}
}

// askFirst is ask for the first executor that is or will be registered.
func (a *Admin) askFirst(ctx context.Context, path string, body []byte) error {
	addr, err := a.Executor(ctx, "", "")
	if err != nil {
		return err
	}
	return a.ask(ctx, addr, path, body)
}

// ask calls an executor and judges its answer.
func (a *Admin) ask(ctx context.Context, to Registration, path string, body []byte) error {
	answer, err := a.post(ctx, to, path, body)
	if err != nil {
		return err
	}
	res, err := wire.DecodeResponse(answer)
	switch {
	case err != nil:
		return fmt.Errorf("xxljobtest: answer to %s: %w", path, err)
	case res.Code != wire.CodeSuccess:
		return &RefusedError{Code: int(res.Code), Msg: res.Msg.String}
	default:
		return nil
	}
}

// post makes one call, with the headers of the Admin's dialect.
func (a *Admin) post(ctx context.Context, to Registration, path string, body []byte) ([]byte, error) {
	url := strings.TrimSuffix(to.Address, "/") + path
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("xxljobtest: %w", err)
	}
	req.Header.Set("Content-Type", wire.ContentTypeJSON)
	req.Header[wire.HeaderToken] = []string{a.opts.Token}
	if a.opts.Dialect == DialectMaster {
		req.Header[wire.HeaderAppName] = []string{to.AppName}
	}
	res, err := a.client.Do(req)
	if err != nil {
		return nil, fmt.Errorf("xxljobtest: %w", err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, wire.MaxAnswer+1))
	if err != nil {
		return nil, fmt.Errorf("xxljobtest: read the answer to %s: %w", path, err)
	}
	if res.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("xxljobtest: %s was answered with HTTP status %d", path, res.StatusCode)
	}
	return answer, nil
}
