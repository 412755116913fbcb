package ops

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cron"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	// javaDelay keeps the first fire of a job outside of the window that a
	// Java node has read already (admin.md 2.5).
	javaDelay = 5 * time.Second
	// maxPreview bounds NextTimes.
	maxPreview = 1000
)

// errNotSeconds is a FIX_RATE that is no number of seconds.
var errNotSeconds = errors.New("FIX_RATE wants a whole number of seconds from 1 to 2147483647")

// nextFunc computes the first instant after t, zero when there is none.
type nextFunc func(t time.Time) time.Time

// schedule reads a schedule. For NONE it returns nil and no error.
func schedule(t model.ScheduleType, conf string) (nextFunc, error) {
	switch t {
	case model.ScheduleCron:
		c, err := cron.Parse(conf)
		if err != nil {
			return nil, err
		}
		return c.Next, nil
	case model.ScheduleFixRate:
		n, err := strconv.ParseInt(conf, 10, 32)
		if err != nil || n < 1 {
			return nil, fmt.Errorf("%w, not %q", errNotSeconds, conf)
		}
		return func(after time.Time) time.Time { return cron.FixRate(after, n) }, nil
	}
	return nil, nil
}

// zone returns the location of a job's zone.
func (s *Service) zone(name string) (*time.Location, *Error) {
	if name == "" {
		return s.cfg.Location, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, invalid(fmt.Sprintf("%q is no IANA time zone: write a name such as Asia/Shanghai", name),
			key(i18n.ScheduleZone), key(i18n.SystemInvalid)).own("refused.zone", cut(name, maxValue))
	}
	return loc, nil
}

// checkSchedule checks type and conf in the order and with the texts of the Java
// admin.
func checkSchedule(j *model.Job) *Error {
	if !j.ScheduleType.Valid() {
		return invalid("use NONE, CRON or FIX_RATE", key(i18n.ScheduleType), key(i18n.SystemInvalid))
	}
	if j.ScheduleType == model.ScheduleFixRate && !j.ScheduleConf.Valid {
		return invalid("give the number of seconds between two fires", key(i18n.ScheduleType))
	}
	if _, err := schedule(j.ScheduleType, j.ScheduleConf.S); err != nil {
		what := key(i18n.ScheduleType)
		if j.ScheduleType == model.ScheduleCron {
			what = lit("Cron")
		}
		e := invalid(err.Error(), what, key(i18n.SystemInvalid))
		e.Err = err
		return e
	}
	return nil
}

// checkZone checks the zone of a job.
func (s *Service) checkZone(j *model.Job) *Error {
	if j.TimeZone != "" && s.cfg.SharedWithJava {
		return invalid("leave the time zone empty", key(i18n.ScheduleZoneShared))
	}
	_, e := s.zone(j.TimeZone)
	return e
}

// firstMs computes the first instant of a job that starts now, or whose
// schedule changes now.
func (s *Service) firstMs(j *model.Job, after time.Time) (int64, error) {
	next, err := schedule(j.ScheduleType, j.ScheduleConf.S)
	if err != nil || next == nil {
		return 0, noNext(err)
	}
	loc, e := s.zone(j.TimeZone)
	if e != nil {
		return 0, e
	}
	from := after.In(loc)
	if s.cfg.SharedWithJava {
		from = from.Add(javaDelay)
	}
	t := next(from)
	if t.IsZero() {
		return 0, noNext(nil)
	}
	return t.UnixMilli(), nil
}

func noNext(err error) *Error {
	e := invalid("the schedule has no time to come: change it, or stop the job first",
		key(i18n.ScheduleType), key(i18n.SystemInvalid))
	if err != nil {
		e.Detail, e.Err = err.Error(), err
		return e
	}
	return e.own("refused.schedule.never")
}

// TimesOf returns the next n times (at most 1,000) of a job, as NextTimes does for
// its schedule. A fixed rate of a job that is started goes on from its next time.
func (s *Service) TimesOf(j *model.Job, n int) ([]time.Time, error) {
	if j.ScheduleType != model.ScheduleFixRate || !j.Running || j.NextMs == 0 || n < 1 {
		return s.NextTimes(j.ScheduleType, j.ScheduleConf.S, j.TimeZone, n)
	}
	loc, e := s.zone(j.TimeZone)
	if e != nil {
		return nil, e
	}
	next, err := schedule(j.ScheduleType, j.ScheduleConf.S)
	if err != nil {
		return nil, noNext(err)
	}
	first := time.UnixMilli(j.NextMs).In(loc)
	return append([]time.Time{first}, timesAfter(first, next, n-1)...), nil
}

// timesAfter returns the next n times after one, fewer when there are no more.
func timesAfter(at time.Time, next nextFunc, n int) (times []time.Time) {
	for len(times) < min(n, maxPreview) {
		if at = next(at); at.IsZero() {
			break
		}
		times = append(times, at)
	}
	return times
}

// NextTimes returns the next n times (at most 1,000) of a schedule from now
// on, fewer when it ends before; in the named zone, "" being the server's. It
// is empty for NONE, for a type that does not exist, and for a blank conf.
func (s *Service) NextTimes(t model.ScheduleType, conf, zone string, n int) ([]time.Time, error) {
	if blank(conf) {
		return nil, nil
	}
	loc, e := s.zone(zone)
	if e != nil {
		return nil, e
	}
	next, err := schedule(t, conf)
	if err != nil {
		text := err.Error()
		var java interface{ JavaText() string }
		if errors.As(err, &java) {
			text = java.JavaText()
		}
		e := invalid(err.Error(), key(i18n.ScheduleType), key(i18n.SystemInvalid), lit(text))
		e.Err = err
		return nil, e
	}
	if next == nil {
		return nil, nil
	}
	return timesAfter(s.now().In(loc), next, n), nil
}
