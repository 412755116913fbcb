package execclient

import (
	"context"
	"errors"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// beatBody is what admins of 2.3.0 to 3.2.0 send; no executor reads it.
var beatBody = []byte(`""`)

// Beat asks whether the executor takes triggers. Nil means that it does; else
// the error is an *Error. It blocks until there is an answer or ctx is done.
func (c *Client) Beat(ctx context.Context, t Target) error {
	call := c.newCall(t, wire.PathBeat, beatBody)
	call.safe = true
	r := c.ask(ctx, call)
	if r.Kind != Accepted {
		return &Error{r}
	}
	return nil
}

// IdleBeat asks whether the executor is idle as far as a job is concerned. msg
// is what it says if it is not. It blocks until there is an answer or ctx is
// done; without an answer the error is an *Error.
func (c *Client) IdleBeat(ctx context.Context, t Target, jobID int32) (idle bool, msg string, err error) {
	req := wire.JobRequest{JobID: jobID}
	call := c.newCall(t, wire.PathIdleBeat, req.Append(nil))
	call.safe = true
	r := c.ask(ctx, call)
	if r.Err != nil {
		return false, r.Msg, &Error{r}
	}
	return r.Kind == Accepted, r.Msg, nil
}

// Kill asks the executor to end what runs for a job and what is queued behind
// it. The Response is its answer, whatever its code. It blocks until there is
// an answer or ctx is done; without an answer the error is an *Error, and the
// job may have been ended.
func (c *Client) Kill(ctx context.Context, t Target, jobID int32) (wire.Response, error) {
	req := wire.JobRequest{JobID: jobID}
	call := c.newCall(t, wire.PathKill, req.Append(nil))
	r := c.ask(ctx, call)
	if r.Err != nil {
		return wire.Response{}, &Error{r}
	}
	return call.answer, nil
}

// Log reads a part of a run's log. The Response is the executor's answer,
// whatever its code, without its payload, which is the LogResult. Answers of up
// to wire.MaxAnswer are read. It blocks until there is an answer or ctx is done;
// without an answer the error is an *Error.
func (c *Client) Log(ctx context.Context, t Target, req wire.LogRequest) (wire.Response, wire.LogResult, error) {
	call := c.newCall(t, wire.PathLog, req.Append(nil))
	call.safe, call.limit = true, wire.MaxAnswer
	var page wire.LogResult
	call.decode = func(body []byte) (resp wire.Response, err error) {
		resp, page, err = wire.DecodeLogResponse(body)
		return resp, err
	}
	r := c.ask(ctx, call)
	if r.Err != nil {
		return wire.Response{}, wire.LogResult{}, &Error{r}
	}
	return call.answer, page, nil
}

// ask sends the call and waits. When ctx is done first, the call must not be
// looked at any more: it may still be on its way.
func (c *Client) ask(ctx context.Context, call *Call) Result {
	if err := ctx.Err(); err != nil {
		return call.fail(NotSent, err)
	}
	call.until, _ = ctx.Deadline()
	ended := make(chan Result, 1)
	c.Send(call, func(r Result) { ended <- r })
	select {
	case r := <-ended:
		return r
	case <-ctx.Done():
	}
	if call.lane.abandon(call, ctx.Err()) {
		return <-ended
	}
	select {
	case r := <-ended:
		return r
	default:
		url := call.lane.ep.url + call.path
		return Result{Kind: Unknown, Code: wire.CodeFail, Msg: failText(url, ctx.Err()), Err: ctx.Err()}
	}
}

// Answered reports whether an error of this package carries an executor's own
// answer, and returns it: its code and message are what a person wants to read.
func Answered(err error) (Result, bool) {
	var e *Error
	if errors.As(err, &e) && e.Result.Err == nil {
		return e.Result, true
	}
	return Result{}, false
}
