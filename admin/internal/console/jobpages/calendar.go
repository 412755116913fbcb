package jobpages

import (
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	// dayMost is the same for a month: a fire a minute is still exact.
	dayMost = 1441
	// dayTimes is how many times of a day are named.
	dayTimes = 24
	// monthsAhead is how far the calendar of a job can be turned.
	monthsAhead = 12
)

// monthView is a month of the calendar of a job.
type monthView struct {
	Title      string
	Zone       string
	Weekdays   []string
	Weeks      [][]monthDay
	Days       []monthDay // those with a fire, for the table
	Prev, Next string     // months as 2026-12; "" is none
}

// monthDay is a day of it; the zero value is one of another month.
type monthDay struct {
	Day   int
	Date  string // 2026-11-22 Sun
	Today bool
	Past  bool
	Count string // "" is none
	Times []string
	More  int // times that are not named
}

// fillMonth fills in the calendar of a job for the month that is asked for, or the
// one with the next fire.
func (c *call) fillMonth(p *jobPage) {
	loc, ok := c.Zone(p.TimeZone)
	if !ok {
		return // the words show it
	}
	now := c.Now().In(loc)
	anchor := parts.NextFire(p.Job).In(loc)
	if anchor.Unix() <= 0 {
		anchor = now.Truncate(time.Second)
	}
	next, err := parts.Fires(p.ScheduleType, p.ScheduleConf.S, anchor)
	if err != nil || next == nil {
		return
	}
	if p.ScheduleType == model.ScheduleFixRate && p.Running { // never before its next time
		rate := next
		next = func(t time.Time) time.Time {
			if t.Before(anchor) {
				return anchor
			}
			return rate(t)
		}
	}
	this := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, loc)
	last, shown := this.AddDate(0, monthsAhead, 0), this
	if at := next(now); !at.IsZero() && at.Before(last.AddDate(0, 1, 0)) {
		shown = time.Date(at.Year(), at.Month(), 1, 0, 0, 0, 0, loc)
	}
	asked, err := time.ParseInLocation("2006-01", c.Str("month"), loc)
	if err == nil && !asked.Before(this) && !asked.After(last) {
		shown = asked
	}
	p.Month = c.month(next, now, shown)
	if shown.After(this) {
		p.Month.Prev = shown.AddDate(0, -1, 0).Format("2006-01")
	}
	if shown.Before(last) {
		p.Month.Next = shown.AddDate(0, 1, 0).Format("2006-01")
	}
}

// month fills in a month, which begins at first.
func (c *call) month(next func(time.Time) time.Time, now, first time.Time) *monthView {
	v := &monthView{
		Title: c.T("job.month", first.Year(), c.T("month."+strconv.Itoa(int(first.Month())))),
		Zone:  say.ZoneName(first.Location(), now), Weekdays: c.Weekdays(),
	}
	week := make([]monthDay, (int(first.Weekday())+6)%7, 7)
	for day := 1; ; day++ {
		from := time.Date(first.Year(), first.Month(), day, 0, 0, 0, 0, first.Location())
		if from.Month() != first.Month() {
			break
		}
		d := c.day(next, now, from)
		if week = append(week, d); len(week) == 7 {
			v.Weeks, week = append(v.Weeks, week), nil
		}
		if d.Count != "" {
			v.Days = append(v.Days, d)
		}
	}
	if len(week) > 0 {
		v.Weeks = append(v.Weeks, append(week, make([]monthDay, 7-len(week))...))
	}
	return v
}

// day counts the fires from now on of a day, which begins at from.
func (c *call) day(next func(time.Time) time.Time, now, from time.Time) monthDay {
	weekday := c.T("weekday." + strconv.Itoa(int(from.Weekday())))
	d := monthDay{Day: from.Day(), Date: from.Format(time.DateOnly) + " " + weekday}
	to := from.AddDate(0, 0, 1)
	d.Today, d.Past = !now.Before(from) && now.Before(to), !now.Before(to)
	if d.Past {
		return d
	}
	if d.Today {
		from = now
	}
	n := 0
	for at := next(from.Add(-1)); n < dayMost && !at.IsZero() && at.Before(to); at = next(at) {
		if n++; n <= dayTimes {
			d.Times = append(d.Times, at.Format("15:04:05"))
		}
	}
	if n > 0 {
		d.Count = say.Count(n)
	}
	if n == dayMost {
		d.Count = say.Count(n-1) + "+"
	}
	d.More = n - len(d.Times)
	return d
}
