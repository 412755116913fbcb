package dispatch

import (
	"context"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Settling is bounded: what nobody could tell by then has failed.
const (
	settleLimit = 6500 * time.Millisecond
	// takeoverLimit bounds it for what another process may have sent: after a crash
	// executors have much to catch up on, and one that is busy with a job cannot
	// tell whether a further run of it waits in its queue.
	takeoverLimit = 30 * time.Second
	settleEvery   = 2 * time.Second
	// settleSlow is the pause once settleLimit is over: thousands may ask about one
	// executor.
	settleSlow = 8 * time.Second
)

// settle finds out what became of a run whose answer was lost, or which the
// process before may have sent.
//
// Our own executor runs a trigger once, so it is sent again as it was. A Java
// executor is asked: a log file means that it has the run; none and idle, that
// it has not, so it is sent once more; none and busy is asked again, for a
// COVER_EARLY resend would kill the very run.
func (d *Dispatcher) settle(ctx context.Context, e *entry) {
	d.noteStop(ctx, e) // it may have waited for seconds
	d.prepare(e)
	if e.Run.Address == "" || e.unnoted {
		d.settleUnaddressed(ctx, e)
		return
	}
	if e.call == nil {
		d.failUnknown(e, d.noAddress(e))
		return
	}
	if !d.allowed(e) {
		d.hold(e)
		return
	}
	limit := settleLimit
	if e.Settle && !d.stopped(e) {
		limit = takeoverLimit
	}
	bound, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	s := settling{d: d, e: e}
	last := execclient.Result{Kind: execclient.Unknown}
	begin, every := time.Now(), settleEvery
	for {
		r, again := s.once(bound)
		switch {
		case r.Kind == execclient.Accepted || r.Kind == execclient.Repeat:
			d.accepted(e, r)
			return
		case r.Kind == execclient.Refused && r.Err == nil:
			d.fail(e, r)
			return
		case ctx.Err() != nil:
			d.drop(e) // the next owner settles it
			return
		case r.Msg != "":
			last = r
		}
		if time.Since(begin) > settleLimit {
			every = settleSlow
		}
		if !again || !pause(bound, every) {
			break
		}
		if !d.allowed(e) {
			d.hold(e)
			return
		}
		d.noteStop(bound, e)
	}
	switch {
	case ctx.Err() != nil:
		d.drop(e)
	case !d.allowed(e):
		d.hold(e) // whoever has it now decides
	default:
		d.failUnknown(e, last)
	}
}

// noteStop marks a run whose job a person has stopped on another node, which is
// on record only.
func (d *Dispatcher) noteStop(ctx context.Context, e *entry) {
	if e.Run.PlannedMs == 0 || d.stopped(e) || !d.cfg.Stopped(ctx, e.Run.JobID) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	e.stopped = true
}

// settleUnaddressed handles a run that has no address on record. One is noted
// before anything is sent, so nothing was.
func (d *Dispatcher) settleUnaddressed(ctx context.Context, e *entry) {
	if d.stopped(e) {
		d.failStopped(e)
		return
	}
	d.mu.Lock()
	e.settles = false
	d.mu.Unlock()
	switch {
	case e.Run.Address != "":
		d.noteAndSend(e)
	case e.Job.Route.Probes() && !e.Run.Sharded:
		d.probe(ctx, e)
	default:
		d.unaddressed(e)
	}
}

// settling is the state of one settle.
type settling struct {
	d      *Dispatcher
	e      *entry
	resent bool
}

// once makes one attempt. again says whether another may help.
func (s *settling) once(ctx context.Context) (r execclient.Result, again bool) {
	d, e, text := s.d, s.e, s.d.cfg.Lang.Text
	mayResend := !d.stopped(e)
	if mayResend && d.cfg.Client.Native(e.Run.Address) {
		return d.sendAndWait(ctx, e), true
	}
	unknown := func(msg string) execclient.Result { return execclient.Result{Kind: execclient.Unknown, Msg: msg} }
	has, asked := d.hasLog(ctx, e)
	switch {
	case has:
		return execclient.Result{
			Kind: execclient.Repeat, AnsweredAt: d.cfg.Now(),
			Msg: text(i18n.JoblogAnswerLost),
		}, false
	case !asked.ok:
		return unknown(asked.msg), true
	case !mayResend:
		return unknown(text(i18n.JoblogNoLogFile) + "; " + text(i18n.JoblogStoppedUnsent)), true
	case s.resent:
		return unknown(text(i18n.JoblogSentTwice)), true
	}
	idle, msg, err := d.idle(ctx, e)
	switch {
	case err != nil:
		return unknown(err.Error()), true
	case !idle:
		return unknown(msg), true
	}
	d.noteStop(ctx, e) // the questions took a while
	if !d.allowed(e) || d.stopped(e) {
		return unknown(text(i18n.JoblogMayNotSend)), true
	}
	s.resent = true
	return d.sendAndWait(ctx, e), true
}

// stopped reports whether the job of a run was stopped after it was sent.
func (d *Dispatcher) stopped(e *entry) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return e.stopped
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
		return false, asked{msg: resp.Msg.Or(d.cfg.Lang.Text(i18n.JoblogLogNotShown))}
	case strings.Contains(log.LogContent, wire.TextLogMissing):
		return false, asked{ok: true}
	case log.FromLineNum == 0 && log.LogContent == "": // Java repeats the line that was asked for
		return false, asked{msg: d.cfg.Lang.Text(i18n.JoblogLogNotShown)}
	}
	return true, asked{ok: true}
}

func (d *Dispatcher) idle(ctx context.Context, e *entry) (bool, string, error) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	return d.cfg.Client.IdleBeat(ctx, d.target(e), e.Run.JobID)
}

// sendAndWait sends the run through its lane and waits for the answer, while it
// may be sent.
func (d *Dispatcher) sendAndWait(ctx context.Context, e *entry) execclient.Result {
	unknown := func(id i18n.Key) execclient.Result {
		return execclient.Result{Kind: execclient.Unknown, Msg: d.cfg.Lang.Text(id)}
	}
	if !d.awaitTurn(ctx, e) {
		return unknown(i18n.JoblogNoAnswer)
	}
	defer d.endTurn(e)
	call := d.cfg.Client.Prepare(d.target(e), request(e))
	call.Guard = func() bool { return d.allowed(e) && !d.stopped(e) }
	answer := make(chan execclient.Result, 1)
	d.cfg.Client.Send(call, func(r execclient.Result) { answer <- r })
	fence := time.NewTicker(maxNap)
	defer fence.Stop()
	for {
		select {
		case r := <-answer:
			d.sent(e, r)
			return r
		case <-fence.C:
			if (d.allowed(e) && !d.stopped(e)) || !d.cfg.Client.Cancel(call) {
				continue
			}
			return unknown(i18n.JoblogMayNotSend)
		case <-ctx.Done():
			d.cfg.Client.Cancel(call)
			return unknown(i18n.JoblogNoAnswer)
		}
	}
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
