package parts

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

// ListStrip is how many runs the strip of a line has.
const ListStrip = 25

// classes are those of the charts by the kind of a result.
var classes = map[string]chart.Class{
	"ok": chart.OK, "bad": chart.Failed, "run": chart.Running, "wait": chart.Waiting, "skip": chart.Skipped,
	"lost": chart.Lost, "kill": chart.Killed,
}

// Strip draws the last runs of a job large, the oldest first; unit says what the
// heights stand for.
func (c Call) Strip(jobID int32, runs []model.Recent) (drawn template.HTML, unit string) {
	drawn, _, unit = c.stripOf(jobID, runs, chart.Strip{Ticks: c.tick})
	return drawn, unit
}

// ShortStrip is strip for a line of a list. tallest says what a bar of full height
// stands for.
func (c Call) ShortStrip(jobID int32, runs []model.Recent) (drawn template.HTML, tallest string) {
	drawn, tallest, _ = c.stripOf(jobID, runs, chart.Strip{Slots: ListStrip})
	return drawn, tallest
}

func (c Call) stripOf(
	jobID int32, runs []model.Recent, s chart.Strip,
) (drawn template.HTML, tallest, unit string) {
	s.Frame = chart.Frame{
		ID: "strip-" + strconv.Itoa(int(jobID)), Title: c.T("job.strip", len(runs)), Table: c.T("table"),
	}
	s.Heads = [2]string{c.T("nav.runs"), c.T("job.took")}
	now := c.Now()
	linked := c.Has("/runs/{id}")
	for i := range runs {
		r := &runs[i]
		how := c.StateOf(*r)
		took, sent := "–", r.TriggerCode == model.CodeSuccess
		if sent {
			took = c.Lasted(*r)
		}
		run := chart.StripRun{
			Unsent: !sent && r.Kind().Fault(),
			Label:  how.Text + " · " + took + " · " + say.Stamp(r.TriggerTime.In(c.Cfg.Location)),
			Took:   r.Took(now), Class: classes[how.Kind],
		}
		if linked {
			run.Href = httpx.Prefix(c.R) + "/runs/" + strconv.FormatInt(r.ID, 10)
		}
		s.Runs = append(s.Runs, run)
	}
	knee, top := s.Scale()
	if top == 0 && !slices.ContainsFunc(s.Runs, func(r chart.StripRun) bool { return !r.Unsent }) {
		return s.HTML(), "", "" // none was started: there is no scale
	}
	tallest = say.Took(c.Lang, cmp.Or(top, time.Second))
	if s.Unit = c.T("job.strip.unit", tallest); knee < top {
		s.Unit = c.T("job.strip.knee", say.Took(c.Lang, knee), tallest)
	}
	return s.HTML(), tallest, s.Unit
}

// tick is the duration at a line of a strip.
func (c Call) tick(d time.Duration) string { return say.Took(c.Lang, d) }

// Figures are what the last runs of a job amount to. A run and its retries count
// as one, that went as the last of them did; what a person has ended, and what
// was skipped, neither went well nor failed.
type Figures struct {
	Runs     int // with retries
	Ended    int // runs that went well or failed
	Failed   int // of these
	Retries  int
	Rate     string // of success among those that have ended, "97.5 %"; "–" for none
	P50, P95 time.Duration
	Any      bool // there are durations
}

// SumRuns counts runs, the oldest first. Percentiles are over runs that an executor
// has ended.
func SumRuns(runs []model.Recent) Figures {
	f := Figures{Runs: len(runs), Rate: "–"}
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
		f.P50, f.P95, f.Any = Percentile(all, 50), Percentile(all, 95), true
	}
	return f
}

// Percentile is the percentile of sorted values, by the nearest rank.
func Percentile(sorted []time.Duration, percent int) time.Duration {
	rank := (len(sorted)*percent + 99) / 100
	return sorted[min(max(rank, 1), len(sorted))-1]
}
