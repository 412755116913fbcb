package alarm

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// passing is one pass, and what was read for it.
type passing struct {
	*Watcher
	now    time.Time
	groups map[int32]*model.Group
	jobs   map[int32]*model.Job
}

// kinds are the alarms that are sent for rules.
var kinds = map[model.AlarmWhat]Kind{
	model.AlarmOnLate: RunLate, model.AlarmOnLong: RunLong, model.AlarmOnNobody: NoExecutor,
}

// about returns an alarm of a key; ok is false when its job is gone.
func (p *passing) about(key model.AlarmKey, group int32) (a Alarm, ok bool) {
	a = Alarm{Kind: kinds[key.What], Job: &model.Job{GroupID: group}, At: p.now}
	if key.Kind == model.ChangeJob {
		if a.Job = p.jobs[key.ObjectID]; a.Job == nil {
			return a, false
		}
	}
	if g := p.groups[a.Job.GroupID]; g != nil {
		a.Group = g.Title
	}
	return a, true
}

// broken deals with a rule that is broken: it opens an alarm unless there is
// one, and tells it unless it is muted, or was told within the window.
func (p *passing) broken(ctx context.Context, key model.AlarmKey, b breach, open *model.AlarmRecord) error {
	a, ok := p.about(key, b.group)
	if !ok {
		return nil
	}
	muted := p.cfg.Muted(a.Job.GroupID, a.Job.ID)
	known := p.known(key, open)
	r := model.AlarmRecord{AlarmKey: key, GroupID: a.Job.GroupID, Last: p.now, Count: 1, LogID: b.logID}
	if muted {
		r.Muted = 1
	}
	// After a mute it is raised again, so that the record shows that it was told.
	if open == nil || !muted && open.Muted == open.Count {
		if err := p.cfg.Store.RaiseAlarms(ctx, []model.AlarmRecord{r}); err != nil {
			return err
		}
	}
	if open == nil {
		known.quiet = true
	}
	if !known.quiet || muted || !known.told.IsZero() && p.now.Sub(known.told) < p.cfg.Window {
		return nil
	}
	known.quiet, known.told = false, p.now
	a.LogID, a.Since, a.Limit = b.logID, b.since, b.limit
	p.cfg.Tell(a)
	return nil
}

// known returns what is remembered of a key, after a restart what the record
// says.
func (w *Watcher) known(key model.AlarmKey, open *model.AlarmRecord) *watched {
	known := w.watched[key]
	if known == nil {
		known = &watched{}
		if open != nil {
			if known.quiet = open.Muted == open.Count; !known.quiet {
				known.told = open.Last
			}
		}
		w.watched[key] = known
	}
	return known
}

// mended ends an alarm whose rule is not broken any more, or is gone, and tells
// so those who were told of it.
func (p *passing) mended(ctx context.Context, r *model.AlarmRecord) error {
	ended, err := p.cfg.Store.EndAlarm(ctx, r.ID, p.now)
	if err != nil || !ended {
		return err
	}
	known := p.known(r.AlarmKey, r)
	quiet := known.quiet
	known.quiet = true
	a, ok := p.about(r.AlarmKey, r.GroupID)
	if quiet || !ok {
		return nil
	}
	a.Kind, a.Of, a.Since, a.Count = Recovered, a.Kind, r.First, int(r.Count)
	p.cfg.Tell(a)
	return nil
}

// settle ends alarms of failures whose job is gone, or whose newest ended run
// went well. Whoever sent them sends the notice.
func (p *passing) settle(ctx context.Context, open map[model.AlarmKey]*model.AlarmRecord) error {
	var ids []int32
	for key, r := range open {
		if key.What != model.AlarmOnFailure {
			continue
		}
		if p.jobs[key.ObjectID] == nil {
			if _, err := p.cfg.Store.EndAlarm(ctx, r.ID, p.now); err != nil {
				return err
			}
			continue
		}
		if len(ids) < settleJobs { // the others in their turn: maps have no order
			ids = append(ids, key.ObjectID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	runs, err := p.cfg.Store.RecentRuns(ctx, ids, settleRuns)
	if err != nil {
		return err
	}
	for _, id := range ids {
		r := open[model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: id}]
		if !recovered(runs[id], r.LogID) {
			continue
		}
		if _, err := p.cfg.Store.EndAlarm(ctx, r.ID, p.now); err != nil {
			return err
		}
	}
	return nil
}

// recovered reports whether the newest run that has ended went well and came
// after the one that failed. The oldest run is the first.
func recovered(runs []model.Recent, failed int64) bool {
	for i := len(runs) - 1; i >= 0; i-- {
		switch kind := runs[i].Kind(); {
		case kind == model.EndOK:
			return runs[i].ID > failed
		case kind.Fault():
			return false
		}
	}
	return false
}
