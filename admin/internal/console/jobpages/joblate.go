package jobpages

import (
	"context"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// lateRuns is how many runs of a job are looked at for its lateness.
const lateRuns = 50

// lateness is how late the last runs of a job were sent, as far as it is on
// record.
type lateness struct {
	Known int // runs of which it is
	Of    int // scheduled or not, that were looked at
	P50   string
	P99   string
}

// lateness reads the last runs of a job: of those that a schedule made and that
// one of our nodes has sent, the text of the trigger says how late they were.
func (c *call) lateness(ctx context.Context, job int32) (l lateness, err error) {
	page, err := c.Cfg.Ops.Runs(ctx, c.Who, model.RunFilter{JobID: job, Limit: lateRuns})
	if err != nil {
		return l, err
	}
	var all []time.Duration
	for _, run := range page.Runs {
		if s, ok := model.SendingOf(run.TriggerMsg.S); ok && s.Late >= 0 {
			all = append(all, s.Late)
		}
	}
	l = lateness{Known: len(all), Of: len(page.Runs), P50: "–", P99: "–"}
	if len(all) > 0 {
		slices.Sort(all)
		l.P50, l.P99 = say.Millis(parts.Percentile(all, 50)), say.Millis(parts.Percentile(all, 99))
	}
	return l, nil
}
