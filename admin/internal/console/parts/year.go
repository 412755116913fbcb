package parts

import (
	"html/template"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
)

// yearMost is where the fires of a day are not counted any more for a year.
const yearMost = 288

// Year draws the coming twelve months with how often a schedule fires on each day.
func (c Call) Year(next func(time.Time) time.Time, now time.Time) template.HTML {
	cal := chart.Calendar{
		Frame: chart.Frame{ID: "year", Title: c.T("edit.year"), Table: c.T("table")},
		Start: now, Counts: chart.Count(next, chart.YearEdges(now), yearMost), Most: yearMost,
		Heads: [3]string{c.T("edit.month"), c.T("edit.month.days"), c.T("home.fires")},
	}
	most := 0
	for _, n := range cal.Counts {
		most = max(most, n)
	}
	cal.Unit = c.T("edit.year.unit", c.capped(most, yearMost))
	for i := range cal.Months {
		cal.Months[i] = c.T("month." + strconv.Itoa(i+1))
	}
	copy(cal.Weekdays[:], c.Weekdays())
	return cal.HTML()
}

// capped is a number of fires that were counted up to a number.
func (c Call) capped(n, most int) string {
	if n < most {
		return say.Count(n)
	}
	return c.T("edit.year.more", say.Count(n))
}

// Weekdays are their short names, Monday first.
func (c Call) Weekdays() []string {
	list := make([]string, 7)
	for i := range list {
		list[i] = c.T("weekday." + strconv.Itoa((i+1)%7))
	}
	return list
}
