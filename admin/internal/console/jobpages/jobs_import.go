package jobpages

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
	"github.com/xxljob-go/xxljob/admin/internal/jobset"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// typeYAML is the content type of documents.
const typeYAML = "application/yaml;charset=UTF-8"

// exportJobs sends the jobs that the filter of the address finds, as one file.
func (c *call) exportJobs(ctx context.Context) error {
	ids, _, err := c.Cfg.Ops.JobIDs(ctx, c.Who, jobFilter(c.Filter(jobNames...)))
	if err != nil {
		return err
	}
	return c.writeJobs(ctx, ids)
}

// writeJobs sends jobs as the file that `job apply` and the page for import read.
func (c *call) writeJobs(ctx context.Context, ids []int32) error {
	w, err := jobset.World(ctx, c.Cfg.Ops, c.Who)
	if err != nil {
		return err
	}
	var body bytes.Buffer
	if err := jobset.Export(&body, w, ids); err != nil {
		return err
	}
	name := "jobs-" + c.Now().Format("20060102-150405") + ".yaml"
	c.W.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
	c.W.Header().Set("Cache-Control", "no-store")
	httpx.WriteBody(c.W, http.StatusOK, typeYAML, body.Bytes())
	return nil
}

// problemsShown is how many faults of a file the page names.
const problemsShown = 100

// importPage takes a file with jobs, shows what it would change, and then does it.
type importPage struct {
	Text     string
	Prune    string // "" or group or tag
	Scope    string // its name
	Problems []string
	Plan     *planView // nil until it was asked for
}

// planView is a plan in words.
type planView struct {
	Steps                  []planStep
	Hidden                 int // steps that are not shown
	Create, Update, Delete int
	Unchanged              int
	Touched                *touched // by the deletions; nil without one
	Version                string   // of the plan: what is applied is what was shown
	Stale                  bool     // it is another plan than the one that was shown
}

// planStep is what happens to one job.
type planStep struct {
	Action, Word, Name string
	ID                 int32
	Fields             []jobfile.Field
}

// maxSteps bounds the steps that a page shows; all of them are counted.
const maxSteps = 500

// importJobs shows the page.
func (c *call) importJobs(ctx context.Context) error {
	return c.showImport(ctx, http.StatusOK, &importPage{})
}

func (c *call) showImport(ctx context.Context, status int, p *importPage) error {
	if more := len(p.Problems) - problemsShown; more > 0 {
		p.Problems = append(slices.Clip(p.Problems[:problemsShown]), c.T("home.notnamed", say.Count(more)))
	}
	return c.RenderStatus(ctx, status, "import", web.Head{
		Title: c.T("jobs.import"), Section: "jobs", Crumbs: c.Under("jobs"), Script: "import.js",
	}, p)
}

// doImport makes a plan of what was sent and shows it, or carries it out when it
// is still the one that was shown.
func (c *call) doImport(ctx context.Context) error {
	p := &importPage{
		Text: c.R.PostForm.Get("text"), Prune: c.Str("prune"), Scope: c.Str("scope"),
	}
	plan, err := c.planOf(ctx, p)
	if err != nil {
		return err
	}
	if len(p.Problems) > 0 {
		return c.showImport(ctx, http.StatusUnprocessableEntity, p)
	}
	if p.Plan, err = c.viewPlan(ctx, plan); err != nil {
		return err
	}
	shown := c.Str("version")
	if c.Str("do") != "apply" || shown != p.Plan.Version {
		p.Plan.Stale = c.Str("do") == "apply"
		return c.showImport(ctx, http.StatusOK, p)
	}
	recording, made := ops.Recording(ctx)
	done, err := jobset.Apply(recording, c.Cfg.Ops, c.Who, plan)
	text := c.T("import.done", done.Created, done.Updated, done.Deleted)
	var step *jobset.StepError
	if !errors.As(err, &step) {
		if err != nil {
			return err
		}
		return c.DoneUndo("/jobs", text, made)
	}
	why, ours := c.Why(step.Err)
	switch {
	case errors.Is(step.Err, ops.ErrStale):
		why = c.T("import.stale")
	case !ours:
		return err
	}
	p.Plan = nil
	p.Problems = []string{c.T("import.stopped", step.Job, why), text + " " + c.T("import.again")}
	return c.showImport(ctx, http.StatusUnprocessableEntity, p)
}

// planOf reads the file and works out what has to be done; what is wrong with
// it stands in the page.
func (c *call) planOf(ctx context.Context, p *importPage) (*jobfile.Plan, error) {
	faults := func(err error) {
		p.Problems = append(p.Problems, strings.Split(err.Error(), "\n")...)
	}
	jobs, err := jobfile.Parse(c.T("import.line"), strings.NewReader(p.Text))
	if err != nil {
		faults(err)
		return nil, nil
	}
	if len(jobs) == 0 {
		p.Problems = []string{c.T("import.empty")}
		return nil, nil
	}
	w, err := jobset.World(ctx, c.Cfg.Ops, c.Who)
	if err != nil {
		return nil, err
	}
	scope, problem := c.pruned(p, w)
	if problem != "" {
		p.Problems = []string{problem}
		return nil, nil
	}
	plan, err := jobfile.Make(w, jobs, scope)
	if err != nil {
		faults(err)
		return nil, nil
	}
	refused, err := jobset.Check(ctx, c.Cfg.Ops, c.Who, plan)
	for _, f := range refused {
		text, _ := c.Why(f.Err)
		p.Problems = append(p.Problems, f.Step.Job.Place+": "+f.Step.Group+"/"+f.Step.Name+": "+text)
	}
	return plan, err
}

// pruned says of which jobs others than those of the file are deleted; nil is of
// none. A group that is not known, or not by this name alone, is a problem.
func (c *call) pruned(p *importPage, w jobfile.World) (scope *jobfile.Scope, problem string) {
	switch {
	case p.Prune == "":
		return nil, ""
	case p.Scope == "":
		return nil, c.T("import.scope.empty")
	case p.Prune == "tag":
		return &jobfile.Scope{Tag: p.Scope}, ""
	}
	for _, g := range w.Groups {
		if g.AppName != p.Scope {
			continue
		}
		if scope != nil {
			return nil, c.T("import.scope.none", p.Scope)
		}
		scope = &jobfile.Scope{GroupID: g.ID}
	}
	if scope == nil {
		return nil, c.T("import.scope.none", p.Scope)
	}
	return scope, ""
}

// viewPlan is a plan for the page.
func (c *call) viewPlan(ctx context.Context, plan *jobfile.Plan) (*planView, error) {
	raw, err := json.Marshal(plan)
	if err != nil {
		return nil, fmt.Errorf("console: write down a plan: %w", err)
	}
	sum := sha256.Sum256(raw)
	v := &planView{
		Create: plan.Count(jobfile.Create), Update: plan.Count(jobfile.Update), Delete: plan.Count(jobfile.Delete),
		Unchanged: plan.Unchanged, Version: hex.EncodeToString(sum[:8]),
	}
	var goes []int32
	for _, s := range plan.Steps {
		if s.Action == jobfile.Delete {
			goes = append(goes, s.ID)
		}
	}
	if len(goes) > 0 {
		if v.Touched, err = c.touched(ctx, goes); err != nil {
			return nil, err
		}
	}
	for i, s := range plan.Steps {
		if i == maxSteps {
			v.Hidden = len(plan.Steps) - maxSteps
			break
		}
		v.Steps = append(v.Steps, planStep{
			Action: s.Action, Word: c.T("import." + s.Action), Name: s.Group + "/" + s.Name, ID: s.ID, Fields: s.Fields,
		})
	}
	return v, nil
}
