package dispatch

import (
	"cmp"
	"container/heap"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// start sends one run on its way.
func (d *Dispatcher) start(e *entry) {
	switch {
	case !d.allowed(e):
		d.hold(e)
	case e.settles:
		d.background(e, d.settle)
	case e.Stopped || d.overdue(e):
		d.failStopped(e)
	case e.Job.Route.Probes() && e.Run.Address == "":
		d.background(e, d.probe)
	default:
		if e.call == nil {
			d.prepare(e)
		}
		if e.unnoted {
			d.noteAndSend(e)
			return
		}
		d.send(e)
	}
}

// allowed is the fence.
func (d *Dispatcher) allowed(e *entry) bool {
	return d.cfg.MaySend(e.Run.JobID, e.Run.Token) && !d.forsaken(e)
}

// hold keeps a run that may not be sent just now, or leaves it to its next
// owner.
func (d *Dispatcher) hold(e *entry) {
	if d.cfg.Keeps(e.Run.JobID, e.Run.Token) && !d.forsaken(e) {
		d.later(e, holdStep)
		return
	}
	d.drop(e)
}

// later puts a run back to those that wait.
func (d *Dispatcher) later(e *entry, pause time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[e.Run.LogID] != e || e.at >= 0 {
		return
	}
	e.next = d.cfg.Now().Add(pause).Round(0)
	heap.Push(&d.queue, e)
}

// background runs f for e in a goroutine of its own, a bounded number at once.
func (d *Dispatcher) background(e *entry, f func(ctx context.Context, e *entry)) {
	started := d.group.Go(func(ctx context.Context) {
		select {
		case d.probing <- struct{}{}:
		case <-ctx.Done():
			d.drop(e)
			return
		}
		defer func() { <-d.probing }()
		f(ctx, e)
	})
	if !started {
		d.drop(e)
	}
}

// unaddressed deals with a run that nobody can be given to. Another node may
// have seen its executor first: the registry is asked before the run fails.
func (d *Dispatcher) unaddressed(e *entry) {
	now := time.Now()
	if e.missing.IsZero() {
		e.missing = now
	}
	routed := len(e.addrs) > 0 && !e.Job.Route.Valid() // no news of executors helps
	if d.cfg.Missing == nil || routed || now.Sub(e.missing) >= missingWait {
		d.fail(e, d.noAddress(e))
		return
	}
	d.cfg.Missing()
	d.later(e, missingStep)
}

// send hands a run to the lane of its address.
func (d *Dispatcher) send(e *entry) {
	if e.call == nil {
		d.prepare(e)
	}
	if e.call == nil {
		d.unaddressed(e)
		return
	}
	if d.overdue(e) {
		d.failStopped(e)
		return
	}
	d.mu.Lock()
	if d.open[e.Run.LogID] != e { // taken back meanwhile
		d.mu.Unlock()
		return
	}
	if !d.takeTurnLocked(e) {
		d.mu.Unlock()
		return
	}
	d.lanes[e.Run.LogID] = e
	d.mu.Unlock()
	d.inLanes.Add(1)
	d.cfg.Client.Send(e.call, func(r execclient.Result) {
		d.inLanes.Add(-1)
		d.mu.Lock()
		delete(d.lanes, e.Run.LogID)
		d.endTurnLocked(e)
		d.mu.Unlock()
		d.answered(e, r)
	})
}

// sent tells how late a trigger was written.
func (d *Dispatcher) sent(e *entry, r execclient.Result) {
	if r.SentAt.IsZero() {
		return
	}
	late := time.Duration(0)
	if e.Run.PlannedMs != 0 {
		late = r.SentAt.Sub(time.UnixMilli(e.Run.PlannedMs))
	}
	d.cfg.Sent(e.Run.Type, late)
}

// answered takes the end of a send, from the goroutine of a lane.
func (d *Dispatcher) answered(e *entry, r execclient.Result) {
	d.sent(e, r)
	switch r.Kind {
	case execclient.Accepted, execclient.Repeat:
		d.accepted(e, r)
	case execclient.Refused, execclient.NotSent:
		d.unsent(e, r)
	default:
		e.lost = r.Msg
		d.mu.Lock()
		e.settles = true
		d.mu.Unlock()
		d.background(e, d.settle)
	}
}

// unsent takes the end of a send that no executor has acted upon.
func (d *Dispatcher) unsent(e *entry, r execclient.Result) {
	switch {
	case errors.Is(r.Err, execclient.ErrClosed): // this node stops: the next one sends it
		d.drop(e)
	case errors.Is(r.Err, execclient.ErrFenced) && d.overdue(e):
		d.failStopped(e)
	case errors.Is(r.Err, execclient.ErrFenced):
		d.hold(e)
	default:
		d.fail(e, r)
	}
}

func (d *Dispatcher) accepted(e *entry, r execclient.Result) {
	d.report(e, model.CodeSuccess, r, false)
}

// fail ends the run: its trigger is known to have failed.
func (d *Dispatcher) fail(e *entry, r execclient.Result) {
	code := r.Code
	if code == model.CodeSuccess || code == 0 {
		code = model.CodeFail
	}
	d.report(e, code, r, false)
}

// failStopped ends a run that was not sent before its job was stopped.
func (d *Dispatcher) failStopped(e *entry) {
	d.report(e, model.CodeFail, execclient.Result{
		Kind: execclient.NotSent, Msg: d.cfg.Lang.Text(i18n.JoblogStoppedUnsent),
	}, true)
}

// failUnknown ends a run of which nobody could tell whether an executor has
// it. It is not retried: that could run it twice.
func (d *Dispatcher) failUnknown(e *entry, r execclient.Result) {
	msg := d.cfg.Lang.Text(i18n.JoblogInDoubt)
	if text := cmp.Or(r.Msg, e.lost); text != "" {
		msg += ": " + text
	}
	d.report(e, model.CodeFail, execclient.Result{Kind: execclient.Unknown, Msg: msg}, true)
}

// report passes on what became of a run, and forgets it. Of a run that was
// taken back nobody wants to know any more.
func (d *Dispatcher) report(e *entry, code int32, r execclient.Result, noRetry bool) {
	d.mu.Lock()
	mine := d.open[e.Run.LogID] == e
	d.mu.Unlock()
	if !mine {
		return
	}
	at := r.AnsweredAt
	if at.IsZero() {
		at = d.cfg.Now()
	}
	e.call = nil // what it holds is not needed for the message
	d.cfg.Report(model.Outcome{LogID: e.Run.LogID, Trigger: &model.TriggerResult{
		Code: code, Write: func() string { return d.message(e, code, r) },
		Address: e.Run.Address, AtMs: at.UnixMilli(), NoRetry: noRetry, End: endOf(code, r),
	}})
	d.drop(e)
}

// endOf says how a run has ended that was not accepted, where its code does not
// tell: nobody knows what became of it, or its job has no use for it.
func endOf(code int32, r execclient.Result) model.EndKind {
	switch {
	case code == model.CodeSuccess:
	case r.Kind == execclient.Unknown:
		return model.EndLost
	case strings.HasPrefix(r.Msg, wire.TextDiscardLater):
		return model.EndSkipped
	}
	return model.EndOpen
}

// drop forgets a run that this node has nothing more to do for.
func (d *Dispatcher) drop(e *entry) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.dropLocked(e)
}

func (d *Dispatcher) dropLocked(e *entry) {
	if d.open[e.Run.LogID] != e {
		return
	}
	delete(d.open, e.Run.LogID)
	delete(d.lanes, e.Run.LogID)
	d.endTurnLocked(e)
	jobs := d.byJob[e.Run.JobID]
	delete(jobs, e.Run.LogID)
	if len(jobs) == 0 {
		delete(d.byJob, e.Run.JobID)
	}
	if e.at >= 0 {
		heap.Remove(&d.queue, e.at)
	}
}
