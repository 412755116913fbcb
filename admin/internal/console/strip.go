package console

import (
	"cmp"
	"html/template"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/chart"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// classes are those of the charts by the kind of a result.
var classes = map[string]chart.Class{
	"ok": chart.OK, "bad": chart.Failed, "run": chart.Running, "wait": chart.Waiting, "skip": chart.Skipped,
	"lost": chart.Lost, "kill": chart.Killed,
}

// strip draws the last runs of a job large, the oldest first; unit says what the
// heights stand for.
func (c *call) strip(jobID int32, runs []model.Recent) (drawn template.HTML, unit string) {
	drawn, _, unit = c.stripOf(jobID, runs, chart.Strip{Ticks: c.tick})
	return drawn, unit
}

// shortStrip is strip for a line of a list. tallest says what a bar of full height
// stands for.
func (c *call) shortStrip(jobID int32, runs []model.Recent) (drawn template.HTML, tallest string) {
	drawn, tallest, _ = c.stripOf(jobID, runs, chart.Strip{Slots: listStrip})
	return drawn, tallest
}

func (c *call) stripOf(
	jobID int32, runs []model.Recent, s chart.Strip,
) (drawn template.HTML, tallest, unit string) {
	s.Frame = chart.Frame{
		ID: "strip-" + strconv.Itoa(int(jobID)), Title: c.t("job.strip", len(runs)), Table: c.t("table"),
	}
	s.Heads = [2]string{c.t("nav.runs"), c.t("job.took")}
	now := c.now()
	linked := c.s.has("/runs/{id}")
	for i := range runs {
		r := &runs[i]
		how := c.stateOf(*r)
		took, sent := "–", r.TriggerCode == model.CodeSuccess
		if sent {
			took = c.lasted(*r)
		}
		run := chart.StripRun{
			Unsent: !sent && r.Kind().Fault(),
			Label:  how.Text + " · " + took + " · " + say.Stamp(r.TriggerTime.In(c.s.cfg.Location)),
			Took:   r.Took(now), Class: classes[how.Kind],
		}
		if linked {
			run.Href = httpx.Prefix(c.r) + "/runs/" + strconv.FormatInt(r.ID, 10)
		}
		s.Runs = append(s.Runs, run)
	}
	knee, top := s.Scale()
	if top == 0 && !slices.ContainsFunc(s.Runs, func(r chart.StripRun) bool { return !r.Unsent }) {
		return s.HTML(), "", "" // none was started: there is no scale
	}
	tallest = say.Took(c.lang, cmp.Or(top, time.Second))
	if s.Unit = c.t("job.strip.unit", tallest); knee < top {
		s.Unit = c.t("job.strip.knee", say.Took(c.lang, knee), tallest)
	}
	return s.HTML(), tallest, s.Unit
}

// tick is the duration at a line of a strip.
func (c *call) tick(d time.Duration) string { return say.Took(c.lang, d) }

// figures are what the last runs of a job amount to. A run and its retries count
// as one, that went as the last of them did; what a person has ended, and what
// was skipped, neither went well nor failed.
type figures struct {
	Runs     int // with retries
	Ended    int // runs that went well or failed
	Failed   int // of these
	Retries  int
	Rate     string // of success among those that have ended, "97.5 %"; "–" for none
	P50, P95 time.Duration
	Any      bool // there are durations
}

// sum counts runs, the oldest first. Percentiles are over runs that an executor
// has ended.
func sum(runs []model.Recent) figures {
	f := figures{Runs: len(runs), Rate: "–"}
	var all []time.Duration
	waits := map[int32]int{} // runs that have failed, by how many retries were left
	for i := range runs {
		r := &runs[i]
		kind := r.Kind()
		if again := waits[r.RetriesLeft+1]; again > 0 { // the retry of one of them
			waits[r.RetriesLeft+1]--
			f.Retries++
			f.Ended--
			f.Failed--
		}
		switch {
		case kind == model.EndOK:
			f.Ended++
		case kind.Fault():
			f.Ended++
			f.Failed++
			if r.RetriesLeft > 0 {
				waits[r.RetriesLeft]++
			}
		}
		if r.TriggerCode == model.CodeSuccess && !r.HandleTime.IsZero() {
			all = append(all, r.Took(r.HandleTime))
		}
	}
	if f.Ended > 0 {
		part := float64(f.Ended-f.Failed) / float64(f.Ended) * 100
		f.Rate = strconv.FormatFloat(part, 'f', -1, 64)
		if part != float64(int(part)) {
			f.Rate = strconv.FormatFloat(float64(int(part*10))/10, 'f', 1, 64)
		}
		f.Rate += " %"
	}
	if len(all) > 0 {
		slices.Sort(all)
		f.P50, f.P95, f.Any = at(all, 50), at(all, 95), true
	}
	return f
}

// at is the percentile of sorted values, by the nearest rank.
func at(sorted []time.Duration, percent int) time.Duration {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[min(max(rank, 1), len(sorted))-1]
}
