package xxljob

import (
	"errors"
	"log/slog"
	"time"

	"github.com/xxljob-go/xxljob/internal/journal"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// Messages of runs that a former process of this executor left open.
const (
	textCutOff = "executor was stopped while the job was running: " +
		"its handler was cut off and may have done part of its work"
	textRunAgain = "<br>----------- the executor was restarted before this run had ended; " +
		"its handler is Repeatable and runs again"
)

// recover settles the runs that a former process accepted and did not report:
// those of Repeatable handlers run again if they are young enough, the others
// are reported failed with the reason.
func (e *Executor) recover(c *core, recovery *journal.Recovery) {
	log := e.part("recovery")
	for _, problem := range recovery.Problems {
		log.Warn("journal damaged, what is undamaged goes on", slog.String("problem", problem))
	}
	for _, dir := range recovery.Adopted {
		log.Info("journal of a former process adopted", slog.String("path", dir))
	}
	again := 0
	for _, open := range recovery.Open {
		if c.dispatch.runAgain(open) {
			again++
			continue
		}
		text := wire.TextNeverStarted
		if open.Started {
			text = textCutOff
		}
		res := failed(text)
		c.lateLine(open.ID, "<br>----------- ", text, wire.LogEndError)
		c.journal.Finish(open.Seq, open.ID, res)
		c.dispatch.counters.finished(res.Code)
		run := &Run{trigger: wire.TriggerRequest{JobID: open.ID.JobID, LogID: open.ID.LogID, LogDateTime: open.ID.At}}
		e.cfg.Hooks.runFinished(run, res, errors.New(text))
	}
	c.dispatch.counters.recovered.Add(int64(len(recovery.Open)))
	if n := len(recovery.Open); n > 0 || recovery.Unsent > 0 {
		log.Warn("a former process left work: open runs are reported failed or run again, results are sent",
			slog.Int("open", n), slog.Int("again", again), slog.Int("unsent", recovery.Unsent))
	}
}

// runAgain queues a run that a former process left open, if its handler is
// Repeatable and its trigger young enough.
func (d *dispatcher) runAgain(open journal.OpenRun) bool {
	if len(open.Payload) == 0 || d.cfg.RecoverMaxAge < 0 {
		return false
	}
	t, err := wire.DecodeTrigger(open.Payload)
	if err != nil || time.Since(time.UnixMilli(t.LogDateTime)) > d.cfg.RecoverMaxAge {
		return false
	}
	reg := d.handlers.lookup(t.ExecutorHandler.String)
	if reg == nil || !reg.repeatable {
		return false
	}
	j := d.acquire(t.JobID)
	defer d.release(j)
	j.mu.Lock()
	defer j.mu.Unlock()
	dec := decision{}
	if j.thread == nil {
		dec.reg = reg
	} else if j.thread.reg != reg {
		return false // the job's handler was changed between two triggers
	}
	d.applyLocked(j, &Run{trigger: t, seq: open.Seq, recovered: true}, &dec)
	return true
}

// lateLine adds an entry to the log of a run that has ended.
func (c *core) lateLine(id journal.ID, parts ...string) {
	formatEntry(siteCallback, callbackThread, parts, func(line []byte) {
		// The store counts and logs what a disk refuses.
		_ = c.logs.AppendAfter(id.LogID, time.UnixMilli(id.At), line)
	})
}

// stats returns a snapshot.
func (c *core) stats() Stats {
	d := c.dispatch
	js, ls := c.journal.Stats(), c.logs.Stats()
	s := Stats{
		Accepted: d.counters.accepted.Load(), Refused: d.counters.refused.Load(), Repeated: d.counters.repeated.Load(),
		Jobs: int(d.threads.Load()), Queued: int(d.queued.Load()), Running: int(d.running.Load()),
		Stranded:  len(d.stranded()),
		Succeeded: d.counters.succeeded.Load(), Failed: d.counters.failed.Load(),
		TimedOut: d.counters.timedOut.Load(), Recovered: d.counters.recovered.Load(),
		Unsent: js.Unsent, Delivered: c.sender.delivered.Load(), SetAside: js.SetAside,
		SendFailures: c.sender.failures.Load(),
		JournalBytes: js.Bytes, Remembered: js.Remembered, Damaged: int(js.Damaged),
		FromCode: c.declarer.snapshot(),
		LogBytes: ls.Bytes, LogDropped: ls.DroppedBytes + ls.LostBytes, LateLogEntries: d.lateEntries.Load(),
	}
	if ms := c.registrar.lastBeat.Load(); ms != 0 {
		s.LastBeat = time.UnixMilli(ms)
	}
	return s
}
