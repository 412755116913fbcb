package declare

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// ErrAgain is returned where somebody else works on the same jobs: the same
// declaration is to be sent again.
var ErrAgain error = &ops.Error{
	Kind: ops.Conflict, Detail: "the jobs are being changed by somebody else, declare them again",
}

// Jobs reads and changes jobs; ops.Service does it all.
type Jobs interface {
	// ListJobs returns a page of the jobs that the principal may see.
	ListJobs(ctx context.Context, p ops.Principal, f model.JobFilter) ([]*model.Job, int, error)
	// CreateJob stores a new job and returns its id.
	CreateJob(ctx context.Context, p ops.Principal, j *model.Job) (int32, error)
	// EditJob changes a job, or returns ops.ErrStale if it is not the one that is
	// meant any more.
	EditJob(ctx context.Context, p ops.Principal, in ops.JobEdit) error
	// StartJob makes a job fire by its schedule.
	StartJob(ctx context.Context, p ops.Principal, id int32) error
	// DeleteJob deletes a job.
	DeleteJob(ctx context.Context, p ops.Principal, id int32) error
}

// Store keeps what was declared.
type Store interface {
	// SettingsUnder returns the settings whose name begins with prefix.
	SettingsUnder(ctx context.Context, prefix string) (map[string]string, error)
	// SetSetting writes a setting over what it was.
	SetSetting(ctx context.Context, name, value string) error
}

// Config describes a Service. Policy, Jobs and Store are required.
type Config struct {
	Policy string // wire.DeclareOff, DeclareCreate or DeclareUpdate
	Jobs   Jobs
	Store  Store
	Logger *slog.Logger     // default: discards
	Now    func() time.Time // default time.Now
}

// Service makes declared jobs. It is safe for concurrent use, blocks on the
// database, and owns no goroutine.
type Service struct {
	cfg  Config
	busy chan struct{} // one slot: declarations are taken one by one
}

// New returns a Service.
func New(cfg Config) (*Service, error) {
	switch {
	case cfg.Policy != wire.DeclareOff && cfg.Policy != wire.DeclareCreate && cfg.Policy != wire.DeclareUpdate:
		return nil, fmt.Errorf("declare: policy %q is not off, create or update", cfg.Policy)
	case cfg.Jobs == nil || cfg.Store == nil:
		return nil, errors.New("declare: Jobs and Store are required")
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	return &Service{cfg: cfg, busy: make(chan struct{}, 1)}, nil
}

// Policy returns what becomes of declared jobs, as a Declare constant of wire.
func (s *Service) Policy() string { return s.cfg.Policy }

// Declare makes the jobs of the group what an executor with this app name
// declares, as far as the policy goes. What is wrong with one job is its
// outcome. The error is a refusal of all (*ops.Error), ErrAgain or a fault of
// the database; what was done by then stays done, and a repeat goes on from
// there.
func (s *Service) Declare(
	ctx context.Context, group int32, app string, list []wire.DeclaredJob,
) (wire.DeclareResult, error) {
	if s.cfg.Policy == wire.DeclareOff {
		return wire.DeclareResult{}, &ops.Error{
			Kind: ops.Forbidden, Detail: "jobs from code are switched off: start the admin with " +
				"--jobs-from-code=create or --jobs-from-code=update to have them",
		}
	}
	select {
	case s.busy <- struct{}{}:
		defer func() { <-s.busy }()
	case <-ctx.Done():
		return wire.DeclareResult{}, fmt.Errorf("wait for another declaration: %w", context.Cause(ctx))
	}
	p := &pass{
		cfg: &s.cfg, group: group, app: app, prefix: fmt.Sprintf("declared/%d/", group),
		who: ops.Principal{Name: "code:" + app, Roles: ops.SameRole(model.RoleEditor, group), Source: "code"},
	}
	if err := p.load(ctx); err != nil {
		return wire.DeclareResult{}, err
	}
	items, err := p.all(ctx, list)
	if err != nil {
		return wire.DeclareResult{}, err
	}
	result := wire.DeclareResult{Policy: s.cfg.Policy, Jobs: make([]wire.Declared, len(items)), Gone: p.gone(items)}
	counts := map[string]int{}
	for i, it := range items {
		result.Jobs[i] = it.out
		counts[it.out.Outcome]++
	}
	s.cfg.Logger.InfoContext(ctx, "jobs declared by an executor", slog.String("app_name", app),
		slog.Int("created", counts[wire.OutcomeCreated]), slog.Int("updated", counts[wire.OutcomeUpdated]),
		slog.Int("unchanged", counts[wire.OutcomeUnchanged]), slog.Int("kept", counts[wire.OutcomeKept]),
		slog.Int("refused", counts[wire.OutcomeRefused]), slog.Int("gone", len(result.Gone)))
	return result, nil
}

// record is what is kept of a declared job.
type record struct {
	Name    string            `json:"name"`
	Job     int32             `json:"job"`
	Pending bool              `json:"pending,omitempty"` // its creation has not come to its end
	Fields  map[string]string `json:"fields,omitempty"`  // digests of what was declared last
}

// pass is one declaration on its way.
type pass struct {
	cfg     *Config
	group   int32
	app     string
	prefix  string // of the settings
	who     ops.Principal
	byID    map[int32]*model.Job
	byName  map[string]*model.Job // the oldest of a name
	records map[string]*record    // by name
}

// pageSize is how many jobs are read at once.
const pageSize = 1000

// load reads the jobs of the group and what was declared of them.
func (p *pass) load(ctx context.Context) error {
	p.byID, p.byName, p.records = map[int32]*model.Job{}, map[string]*model.Job{}, map[string]*record{}
	f := model.JobFilter{GroupID: p.group, Limit: pageSize}
	for {
		jobs, _, err := p.cfg.Jobs.ListJobs(ctx, p.who, f)
		if err != nil {
			return fmt.Errorf("read the jobs of group %d: %w", p.group, err)
		}
		for _, j := range jobs { // newest first
			p.byID[j.ID], p.byName[j.Name] = j, j
		}
		if len(jobs) < pageSize {
			break
		}
		f.After = &model.JobMark{ID: jobs[len(jobs)-1].ID}
	}
	settings, err := p.cfg.Store.SettingsUnder(ctx, p.prefix)
	if err != nil {
		return fmt.Errorf("read what was declared: %w", err)
	}
	for name, value := range settings {
		var r record
		if err := json.Unmarshal([]byte(value), &r); err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
		p.records[r.Name] = &r
	}
	return nil
}

// save writes a record.
func (p *pass) save(ctx context.Context, r *record) error {
	value, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("record of job %q: %w", r.Name, err)
	}
	if err := p.cfg.Store.SetSetting(ctx, p.prefix+digest(r.Name), string(value)); err != nil {
		return fmt.Errorf("record of job %q: %w", r.Name, err)
	}
	p.records[r.Name] = r
	return nil
}

// gone are the names of jobs that were declared once and are no more.
func (p *pass) gone(items []*item) []string {
	declared := map[string]bool{}
	for _, it := range items {
		declared[it.want.Name] = true
	}
	var list []string
	for name, r := range p.records {
		if !declared[name] && p.byID[r.Job] != nil {
			list = append(list, name)
		}
	}
	slices.Sort(list)
	return list
}

// refusalText returns the text of what the operations have refused.
func refusalText(err error) (string, bool) {
	var refused *ops.Error
	if !errors.As(err, &refused) {
		return "", false
	}
	return strings.TrimSpace(refused.Error()), true
}
