package console

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/cron/words"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// history reads the last runs of jobs, the oldest first, for jobs that the
// visitor may see.
type history interface {
	RecentRuns(ctx context.Context, jobIDs []int32, each int) (map[int32][]model.Recent, error)
}

// scheduleWords says when a job fires; what has no words stands as it is.
func scheduleWords(lang i18n.Lang, j *model.Job) string {
	text, err := words.Schedule(lang, j.ScheduleType, j.ScheduleConf.S, j.TimeZone)
	if err != nil {
		return string(j.ScheduleType) + " " + j.ScheduleConf.S
	}
	return text
}

// fires returns what computes the first instant of a schedule after another one, or
// nil for a schedule that never fires by itself. A fixed rate goes on from anchor.
func fires(kind model.ScheduleType, conf string, anchor time.Time) (func(time.Time) time.Time, error) {
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

// zone is the location of a job's zone, or that of the pages.
func (c *call) zone(name string) (*time.Location, bool) {
	if name == "" {
		return c.s.cfg.Location, true
	}
	loc, err := time.LoadLocation(name)
	return loc, err == nil && name != "Local"
}

// nextFire is when a started job fires next, as far as it is planned; the zero
// time for others.
func nextFire(j *model.Job) time.Time {
	if !j.Running || j.NextMs <= 0 {
		return time.Time{}
	}
	return time.UnixMilli(j.NextMs)
}
