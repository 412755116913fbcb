package parts

import (
	"errors"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/cron/words"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ScheduleProblem says what is wrong with a schedule.
func (c Call) ScheduleProblem(err error) string {
	var syntax *cron.SyntaxError
	switch {
	case errors.As(err, &syntax) && syntax.Field != "":
		text := c.T("edit.cron.bad", c.T("cron."+syntax.Field), syntax.Column, syntax.Problem)
		if syntax.Allowed != "" {
			text += " " + c.T("edit.cron.allowed", syntax.Allowed)
		}
		return text
	case errors.As(err, &syntax):
		return c.T("edit.cron.whole", syntax.Problem)
	default:
		return c.T("edit.number", 1)
	}
}

// CommonZones are offered; any other one can be typed.
func CommonZones() []string {
	return []string{
		"Asia/Shanghai", "Asia/Hong_Kong", "Asia/Taipei", "Asia/Tokyo", "Asia/Singapore", "Asia/Kolkata",
		"Europe/London", "Europe/Berlin", "America/New_York", "America/Chicago", "America/Los_Angeles",
		"America/Sao_Paulo",
		"Australia/Sydney", "UTC",
	}
}

// NextTimes is how many of the next times of a schedule are named.
const NextTimes = 10

// ScheduleWords says when a job fires; what has no words stands as it is.
func ScheduleWords(lang i18n.Lang, j *model.Job) string {
	text, err := words.Schedule(lang, j.ScheduleType, j.ScheduleConf.S, j.TimeZone)
	if err != nil {
		return string(j.ScheduleType) + " " + j.ScheduleConf.S
	}
	return text
}

// Fires returns what computes the first instant of a schedule after another one, or
// nil for a schedule that never fires by itself. A fixed rate goes on from anchor.
func Fires(kind model.ScheduleType, conf string, anchor time.Time) (func(time.Time) time.Time, error) {
	switch kind {
	case model.ScheduleCron:
		s, err := cron.Parse(conf)
		if err != nil {
			return nil, err
		}
		return s.Next, nil
	case model.ScheduleFixRate:
		n, err := strconv.ParseInt(conf, 10, 32)
		if err != nil || n < 1 {
			return nil, errNotSeconds
		}
		return rate(anchor, time.Duration(n)*time.Second), nil
	}
	return nil, nil
}

// rate computes the instants that lie whole steps behind an anchor.
func rate(anchor time.Time, step time.Duration) func(time.Time) time.Time {
	return func(t time.Time) time.Time {
		if t.Before(anchor) {
			return anchor.Add(-(anchor.Sub(t) - 1) / step * step).In(t.Location())
		}
		return anchor.Add((t.Sub(anchor)/step + 1) * step).In(t.Location())
	}
}

// errNotSeconds is a fixed rate that is no number of seconds.
var errNotSeconds = errors.New("no number of seconds")

// Zone is the location of a job's zone, or that of the pages.
func (c Call) Zone(name string) (*time.Location, bool) {
	if name == "" {
		return c.Cfg.Location, true
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil && name != "Local"
}

// NextFire is when a started job fires next, as far as it is planned; the zero
// time for others.
func NextFire(j *model.Job) time.Time {
	if !j.Running || j.NextMs <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(j.NextMs)
}
