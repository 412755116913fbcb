package scheduler

import (
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxCached bounds the schedules that are remembered.
const maxCached = 100_000

// scheduleCache keeps parsed schedules by their text. The zero value is empty.
type scheduleCache struct {
	mu sync.Mutex
	m  map[scheduleKey]parsed
}

type scheduleKey struct {
	typ        model.ScheduleType
	conf, zone string
}

type parsed struct {
	schedule Schedule
	loc      *time.Location
	err      error
}

func (c *scheduleCache) get(
	t model.ScheduleType, conf, zone string, def *time.Location,
) (Schedule, *time.Location, error) {
	k := scheduleKey{t, conf, zone}
	c.mu.Lock()
	defer c.mu.Unlock()
	if p, ok := c.m[k]; ok {
		return p.schedule, p.loc, p.err
	}
	if c.m == nil || len(c.m) >= maxCached {
		c.m = make(map[scheduleKey]parsed)
	}
	var p parsed
	p.schedule, p.loc, p.err = ScheduleOf(t, conf, zone, def)
	c.m[k] = p
	return p.schedule, p.loc, p.err
}
