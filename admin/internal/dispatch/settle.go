package dispatch

import (
	"context"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Settling is bounded: what nobody could tell by then has failed.
const (
	settleLimit = 6500 * time.Millisecond
	settleEvery = 2 * time.Second
)

// settle finds out what became of a run whose answer was lost, or which the
// process before may have sent.
//
// Our own executor runs a trigger once, so it is sent again as it was. A Java
// executor is asked: a log file means that it has the run; none and idle, that
// it has not, so it is sent once more; none and busy is asked again, for a
// COVER_EARLY resend would kill the very run.
func (d *Dispatcher) settle(ctx context.Context, e *entry) {
	d.prepare(e)
	if e.Run.Address == "" {
		d.settleUnaddressed(ctx, e)
		return
	}
	if e.call == nil {
		d.fail(e, d.noAddress(e))
		return
	}
	deadline := time.Now().Add(settleLimit)
	resent := false
	last := execclient.Result{Kind: execclient.Unknown, Msg: e.note}
	for {
		if ctx.Err() != nil || !d.allowed(e) {
			d.drop(e) // the next owner settles it
			return
		}
		r, again := d.settleOnce(ctx, e, &resent)
		switch r.Kind {
		case execclient.Accepted, execclient.Repeat:
			d.accepted(e, r)
			return
		case execclient.Refused:
			d.fail(e, r)
			return
		default:
			last = r
		}
		if !again || time.Now().Add(settleEvery).After(deadline) {
			break
		}
		if !pause(ctx, settleEvery) {
			d.drop(e)
			return
		}
	}
	d.failUnknown(e, last)
}

// settleUnaddressed handles a run that may never have been given an address:
// FAILOVER and BUSYOVER note it before they send, so nothing was sent.
func (d *Dispatcher) settleUnaddressed(ctx context.Context, e *entry) {
	if e.group == nil || !e.Job.Route.Probes() {
		d.fail(e, d.noAddress(e))
		return
	}
	d.probe(ctx, e)
}

// settleOnce makes one attempt. again says whether another may help.
func (d *Dispatcher) settleOnce(ctx context.Context, e *entry, resent *bool) (r execclient.Result, again bool) {
	if d.cfg.Client.Native(e.Run.Address) {
		return d.sendAndWait(ctx, e), true
	}
	has, asked := d.hasLog(ctx, e)
	switch {
	case has:
		return execclient.Result{Kind: execclient.Repeat, AnsweredAt: time.Now(),
			Msg: "the answer was lost; the executor has the run"}, false
	case !asked.ok:
		return execclient.Result{Kind: execclient.Unknown, Msg: asked.msg}, true
	case *resent:
		return execclient.Result{Kind: execclient.Unknown, Msg: "sent twice without an answer"}, true
	}
	idle, msg, err := d.idle(ctx, e)
	if err != nil {
		return execclient.Result{Kind: execclient.Unknown, Msg: err.Error()}, true
	}
	if !idle {
		return execclient.Result{Kind: execclient.Unknown, Msg: msg}, true
	}
	*resent = true
	return d.sendAndWait(ctx, e), true
}

// asked is the outcome of a question to an executor.
type asked struct {
	ok  bool
	msg string
}

// hasLog asks whether the executor has a log file of the run.
func (d *Dispatcher) hasLog(ctx context.Context, e *entry) (has bool, a asked) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	resp, log, err := d.cfg.Client.Log(ctx, d.target(e),
		wire.LogRequest{LogID: e.Run.LogID, LogDateTime: e.Run.TriggerMs, FromLineNum: 1})
	switch {
	case err != nil:
		return false, asked{msg: err.Error()}
	case resp.Code != model.CodeSuccess:
		return false, asked{msg: resp.Msg.Or("the executor does not show its log")}
	case strings.Contains(log.LogContent, wire.TextLogMissing):
		return false, asked{ok: true}
	}
	return true, asked{ok: true}
}

func (d *Dispatcher) idle(ctx context.Context, e *entry) (bool, string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return d.cfg.Client.IdleBeat(ctx, d.target(e), e.Run.JobID)
}

// sendAndWait sends the run through its lane and waits for the answer.
func (d *Dispatcher) sendAndWait(ctx context.Context, e *entry) execclient.Result {
	call := d.cfg.Client.Prepare(d.target(e), request(e))
	answer := make(chan execclient.Result, 1)
	d.cfg.Client.Send(call, func(r execclient.Result) { answer <- r })
	select {
	case r := <-answer:
		if !r.SentAt.IsZero() {
			late := time.Duration(0)
			if e.Run.PlannedMs != 0 {
				late = r.SentAt.Sub(time.UnixMilli(e.Run.PlannedMs))
			}
			d.cfg.Sent(e.Run.Type, late)
		}
		return r
	case <-ctx.Done():
		return execclient.Result{Kind: execclient.Unknown, Msg: context.Cause(ctx).Error()}
	}
}

// failUnknown ends a run of which nobody could tell whether an executor has
// it. It is not retried: that could run it twice.
func (d *Dispatcher) failUnknown(e *entry, r execclient.Result) {
	msg := "no answer, and it could not be found out whether the executor has the run"
	if r.Msg != "" {
		msg += ": " + r.Msg
	}
	r.Msg = msg
	out := model.Outcome{LogID: e.Run.LogID, Trigger: &model.TriggerResult{
		Code: model.CodeFail, Msg: d.message(e, model.CodeFail, r), Address: e.Run.Address,
		AtMs: time.Now().UnixMilli(), NoRetry: true,
	}}
	d.drop(e)
	d.cfg.Report(out)
}

// pause waits and reports whether it may go on.
func pause(ctx context.Context, t time.Duration) bool {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
