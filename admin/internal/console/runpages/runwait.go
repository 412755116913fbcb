package runpages

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// unheard is what a page says of the executor of a run that it has not reported
// while nobody hears of it.
type unheard struct {
	Text string // since when, and that the result may still come
	Then string // what the admin does
}

// beatExpiry is how long after the last sign of life an executor counts as there.
const beatExpiry = 90 * time.Second

// unheardOf looks whether the executor of an open run is still there. The log of
// the run was asked for, and noLog says whether nobody answered.
func (c *call) unheardOf(ctx context.Context, l *model.Log, noLog bool) (*unheard, error) {
	ask := c.Cfg.Executors.Addresses
	if ask == nil || !l.Taken() {
		return nil, nil
	}
	g, err := c.Cfg.Ops.Group(ctx, c.Who, l.GroupID)
	if err != nil {
		if _, ours := c.Why(err); ours {
			return nil, nil //nolint:nilerr // its group is gone, or not the user's to see
		}
		return nil, err
	}
	states, err := ask(ctx, g.AppName, []string{l.Address.S})
	if err != nil {
		return nil, err
	}
	st := states[l.Address.S]
	if !noLog && st.DeadSince.IsZero() {
		return nil, nil
	}
	return c.unheardWords(l, &st), nil
}

func (c *call) unheardWords(l *model.Log, st *model.AddressState) *unheard {
	beats := c.Now().Sub(st.LastBeat) <= beatExpiry
	since := st.LastBeat
	u := &unheard{Text: c.T("run.unheard", l.Address.S)}
	if !st.DeadSince.IsZero() {
		u.Text += " " + c.T("run.unheard.since", say.Stamp(st.DeadSince.In(c.Cfg.Location)))
	}
	if since.IsZero() {
		since = st.DeadSince
	} else if !beats {
		u.Text += " " + c.T("run.unheard.beat", say.Stamp(since.In(c.Cfg.Location)))
	}
	if beats {
		if st.DeadSince.IsZero() || st.LastBeat.After(st.DeadSince) {
			u.Then = c.T("run.unheard.waits")
			return u
		}
		u.Text += " " + c.T("run.unheard.runsout", say.Stamp(since.Add(beatExpiry).In(c.Cfg.Location)))
	}
	limits := c.Cfg.Executors
	lost := l.TriggerTime.Add(limits.LostAfter)
	if gone := since.Add(beatExpiry); gone.After(lost) {
		lost = gone
	}
	if lost = lost.Add(limits.GoneTwice); lost.Before(c.Now().Add(limits.GoneTwice)) {
		u.Then = c.T("run.unheard.soon")
	} else {
		u.Then = c.T("run.unheard.then", say.Stamp(lost.In(c.Cfg.Location)))
	}
	if l.RetriesLeft > 0 {
		u.Then += " " + c.T("run.unheard.retry", l.RetriesLeft)
	}
	return u
}
