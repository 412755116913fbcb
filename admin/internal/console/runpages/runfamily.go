package runpages

import (
	"cmp"
	"context"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// denseFrom is from how many runs side by side each takes as little room as it
// can.
const denseFrom = 9

// beside are runs that belong together, shown side by side: the attempts of one,
// or the shards of a broadcast.
type beside struct {
	Rows  []besideRun
	Tally string // how many are of each state
	Dense bool   // there are many of them
	Table string // what the table of the same is called
}

// besideRun is one of them.
type besideRun struct {
	parts.RunRow

	Label string // which attempt or shard
	This  bool   // it is the run whose page this is
}

// family adds the attempts and shards beside the run.
func (c *call) family(ctx context.Context, l *model.Log, p *runPage) error {
	f, err := c.Cfg.Ops.RunFamily(ctx, c.Who, l)
	if err != nil {
		return err
	}
	if len(f.Attempts) > 1 {
		p.Attempts = c.beside(f.Attempts, p, func(i int, _ *model.Log) string {
			if i == 0 {
				return c.T("run.attempt.first")
			}
			return c.T("run.attempt.again", i)
		})
	}
	p.Origin = c.originOf(ctx, l, f)
	p.Started = c.beside(f.Started, p, func(_ int, s *model.Log) string {
		if s.Cause.Kind == model.CauseAgain {
			return c.T("run.started.again")
		}
		return c.jobName(ctx, s.JobID)
	})
	p.Shards = c.beside(f.Shards, p, func(_ int, s *model.Log) string { return c.T("run.shard.n", s.ShardingParam.S) })
	return nil
}

func (c *call) beside(list []*model.Log, p *runPage, label func(i int, l *model.Log) string) beside {
	b := beside{Dense: len(list) >= denseFrom, Table: c.T("table")}
	for i, l := range list {
		b.Rows = append(b.Rows, besideRun{RunRow: c.RunRow(l, p.Job), Label: label(i, l), This: l.ID == p.ID})
	}
	b.Tally = tally(b.Rows)
	return b
}

// tally counts the states of runs, in the order in which they come first.
func tally(rows []besideRun) string {
	number := map[string]int{}
	var names []string
	for _, r := range rows {
		if number[r.State.Text]++; number[r.State.Text] == 1 {
			names = append(names, r.State.Text)
		}
	}
	for i, name := range names {
		names[i] = strconv.Itoa(number[name]) + " " + name
	}
	return strings.Join(names, " · ")
}

// Host is the address without what all addresses have, for where there is little
// room.
func (r besideRun) Host() string {
	where := strings.TrimSuffix(r.Where, "/")
	_, host, found := strings.Cut(where, "://")
	if !found {
		return cmp.Or(where, "–")
	}
	return host
}
