package forecast

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// count is what fires from a minute on, by group. It is not changed once it is
// made.
type count struct {
	at     time.Time     // when it was begun
	took   time.Duration // to make it
	from   time.Time     // the minute of at
	groups map[int32]*groupCount
}

// groupCount is that of one group.
type groupCount struct {
	started int
	next    *Next
	cells   [span]Cell
}

// due reports whether it is time for another count.
func (c *count) due(now time.Time) bool {
	if c == nil {
		return true
	}
	return now.Sub(c.at).Abs() >= min(max(fresh, restFactor*c.took), restLimit)
}

// usable reports whether the count still has the hour after now.
func (c *count) usable(now time.Time) bool {
	if c == nil {
		return false
	}
	passed := now.Sub(c.from)
	return passed >= 0 && passed < (slack+1)*time.Minute
}

// hour adds the groups up that one may see.
func (c *count) hour(now time.Time, see func(group int32) bool) *Hour {
	h := &Hour{Start: now.Truncate(time.Minute), Counted: c.at}
	shift := int(h.Start.Sub(c.from) / time.Minute)
	for id, g := range c.groups {
		if !see(id) {
			continue
		}
		h.Started += g.started
		if g.next != nil && (h.Next == nil || g.next.At.Before(h.Next.At)) {
			h.Next = g.next
		}
		for i := range h.Cells {
			to, cell := &h.Cells[i], &g.cells[i+shift]
			to.Fires += cell.Fires
			to.Jobs += cell.Jobs
			to.Names = append(to.Names, cell.Names...)
		}
	}
	for i := range h.Cells {
		list := h.Cells[i].Names
		slices.Sort(list) // the order of a map would be another one each time
		h.Cells[i].Names = list[:min(len(list), names)]
	}
	return h
}

// count reads the started jobs and counts.
func (f *Forecast) count(ctx context.Context) (*count, error) {
	begun := f.cfg.Now()
	c := &counting{
		cfg: &f.cfg, crons: map[string]*[span]int{},
		count: count{at: begun, from: begun.Truncate(time.Minute), groups: map[int32]*groupCount{}},
	}
	for after := int32(0); ; {
		jobs, err := f.cfg.Jobs(ctx, after, pageJobs)
		if err != nil {
			return nil, err
		}
		for i := range jobs {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			c.add(&jobs[i])
		}
		if len(jobs) < pageJobs {
			c.took = f.cfg.Now().Sub(begun)
			return &c.count, nil
		}
		after = jobs[len(jobs)-1].ID
	}
}

// counting is a count while it is made.
type counting struct {
	count
	cfg   *Config
	crons map[string]*[span]int // of expressions, by zone and expression; nil is one that is broken
}

func (c *counting) add(j *model.StartedJob) {
	g := c.groups[j.GroupID]
	if g == nil {
		g = new(groupCount)
		c.groups[j.GroupID] = g
	}
	g.started++
	if j.NextMs <= 0 {
		return
	}
	at := time.UnixMilli(j.NextMs)
	first := max(int(at.Sub(c.from)/time.Minute), 0)
	var fires *[span]int
	if first < span {
		if fires = c.fires(j); fires == nil {
			return
		}
	}
	if g.next == nil || at.Before(g.next.At) {
		g.next = &Next{ID: j.ID, Name: j.Name, At: at}
	}
	for i := first; i < span; i++ {
		if fires[i] == 0 {
			continue
		}
		cell := &g.cells[i]
		cell.Fires += fires[i]
		cell.Jobs++
		if len(cell.Names) < names {
			cell.Names = append(cell.Names, j.Name)
		}
	}
}

// fires counts those of a job minute by minute; nil for a schedule that says
// nothing.
func (c *counting) fires(j *model.StartedJob) *[span]int {
	switch j.ScheduleType {
	case model.ScheduleCron:
		loc := c.cfg.Location
		if j.TimeZone != "" && !c.cfg.IgnoreZones {
			zone, err := time.LoadLocation(j.TimeZone)
			if err != nil {
				return nil
			}
			loc = zone
		}
		key := loc.String() + "\n" + j.Conf
		list, known := c.crons[key]
		if !known {
			if s, err := cron.Parse(j.Conf); err == nil {
				list = cronFires(s, c.from.In(loc))
			}
			c.crons[key] = list
		}
		return list
	case model.ScheduleFixRate:
		seconds, err := strconv.ParseInt(j.Conf, 10, 32)
		if err != nil || seconds < 1 {
			return nil
		}
		return rateFires(c.from.UnixMilli(), j.NextMs, seconds*1000)
	}
	return nil
}

// cronFires counts the fires of an expression. Its seconds are the same in every
// minute that it matches, so they are counted once, unless the clock changes.
func cronFires(s cron.Schedule, from time.Time) *[span]int {
	var list [span]int
	end := from.Add(span * time.Minute)
	_, offset := from.Zone()
	_, later := end.Zone()
	each := 0
	for at := s.Next(from.Add(-time.Nanosecond)); !at.IsZero() && at.Before(end); {
		i := int(at.Sub(from) / time.Minute)
		next := from.Add(time.Duration(i+1) * time.Minute)
		if each == 0 || offset != later {
			each = 0
			for ; !at.IsZero() && at.Before(next); at = s.Next(at) {
				each++
			}
		}
		list[i] = each
		at = s.Next(next.Add(-time.Nanosecond))
	}
	return &list
}

// rateFires counts the fires at first and every step after it, all in
// milliseconds.
func rateFires(from, first, step int64) *[span]int {
	var list [span]int
	before := func(at int64) int64 { // fires before an instant
		if at <= first {
			return 0
		}
		return (at - first + step - 1) / step
	}
	const minute = 60_000
	for i := range list {
		begin := from + int64(i)*minute
		list[i] = int(before(begin+minute) - before(begin))
	}
	return &list
}
