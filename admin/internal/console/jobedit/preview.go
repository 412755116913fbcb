package jobedit

import (
	"context"
	"html/template"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/cron/words"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// preview is what a schedule comes to.
type preview struct {
	Problem  string
	Field    string // of Problem
	Words    string
	Times    []time.Time
	Clocks   []string // what happens where clocks change
	Calendar template.HTML
}

// preview shows what a schedule comes to, beside the editor.
func (c *call) preview(context.Context) error {
	return c.Part("edit", "preview", c.previewOf(c.Str("schedule"), c.Str("conf"), c.Str("zone")))
}

// previewOf computes what a schedule comes to.
func (c *call) previewOf(kind, conf, zone string) preview {
	loc, ok := c.Zone(zone)
	if !ok {
		return preview{Problem: c.T("edit.zone.bad", zone), Field: "zone"}
	}
	field := (&jobForm{Schedule: kind}).scheduleField()
	now := c.Now().In(loc)
	next, err := parts.Fires(model.ScheduleType(kind), conf, now.Truncate(time.Second))
	if err != nil {
		return preview{Problem: c.ScheduleProblem(err), Field: field}
	}
	text, err := words.Schedule(c.Lang, model.ScheduleType(kind), conf, zone)
	if err != nil {
		return preview{Problem: c.T("edit.choose"), Field: field}
	}
	p := preview{Words: text}
	if next == nil {
		return p
	}
	for at := now; len(p.Times) < parts.NextTimes; {
		if at = next(at); at.IsZero() {
			break
		}
		p.Times = append(p.Times, at)
	}
	if len(p.Times) == 0 {
		return preview{Problem: c.T("refused.schedule.never"), Field: field}
	}
	p.Clocks = c.clocks(next, now)
	p.Calendar = c.Year(next, now)
	return p
}

// clocks names the changes of the clocks within a year at which a schedule
// fires near by, where it is not one that fires all the time anyway.
func (c *call) clocks(next func(time.Time) time.Time, now time.Time) []string {
	const near = 2 * time.Hour
	var list []string
	for day := range 366 {
		a := now.AddDate(0, 0, day)
		change, ok := clockChange(a, a.AddDate(0, 0, 1))
		if !ok {
			continue
		}
		at := next(change.Add(-near))
		after := next(at)
		if at.IsZero() || at.After(change.Add(near)) || !after.IsZero() && after.Sub(at) < time.Hour {
			continue
		}
		_, before := change.Add(-time.Second).Zone()
		_, behind := change.Zone()
		key := "edit.clock.back"
		if behind > before {
			key = "edit.clock.forward"
		}
		list = append(list, c.T(key, change.Format(time.DateOnly)))
	}
	return list
}

// clockChange finds the instant between a and b from which on the clocks show
// another offset.
func clockChange(a, b time.Time) (time.Time, bool) {
	_, low := a.Zone()
	if _, high := b.Zone(); low == high {
		return time.Time{}, false
	}
	for b.Sub(a) > time.Second {
		mid := a.Add(b.Sub(a) / 2)
		if _, at := mid.Zone(); at == low {
			a = mid
		} else {
			b = mid
		}
	}
	return b.Truncate(time.Second), true
}
