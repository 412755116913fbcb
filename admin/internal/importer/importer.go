package importer

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

const (
	gluePage = 100
	logPage  = 1000
)

// Config says what to copy, and from where to where.
type Config struct {
	Source *store.Store // only read; its schema may be one that Migrate has not touched
	Target *store.Store // migrated, but for a dry run

	// SourceName and TargetName stand in the report. By SourceName the target
	// remembers what was copied: the address of the database without user,
	// password and parameters.
	SourceName string
	TargetName string

	DryRun  bool      // only find out what would be done
	Stopped bool      // copy jobs switched off
	LogsAt  time.Time // copy logs of runs triggered at this time or later; zero is no logs
	JobZone string    // the zone that cron jobs without one of their own get; "" is none

	// Carry makes of a user's hashes in another database of ours those with which
	// the password goes on working here; ok is false when there is none. nil is
	// never.
	Carry func(javaHash, ownHash string) (java, own string, ok bool)

	// Passwords gives new users a password, which the report shows. Else nobody
	// can log in as one of them before a password is set.
	Passwords func(ctx context.Context) (password, javaHash, ownHash string, err error)

	Now time.Time // stands for times that are missing
}

// run is an import under way.
type run struct {
	Config

	prefix string
	old    *marks // of earlier imports
	src    *store.Snapshot
	dst    *store.Snapshot

	groups  ids // of the source, as far as they are in the target
	jobs    ids
	users   ids
	groupOf ids // group of each job of the target
	copied  ids // the jobs of the source that this import or an earlier one has copied
	made    ids // the groups of the source of which that is true

	fresh    freshIDs
	versions ids // of code, that this import has copied

	out    store.Import
	report *Report
}

// Run imports. The report is complete even if nothing was to be done; after an
// error it says how far the import came, and importing again goes on from there.
// An error that is store.ErrDuplicate means that somebody else changed the target
// meanwhile.
func Run(ctx context.Context, cfg Config) (*Report, error) {
	r := &run{
		Config: cfg, prefix: markPrefix(cfg.SourceName), groups: ids{}, jobs: ids{}, users: ids{}, copied: ids{},
		made: ids{}, versions: ids{},
		report: &Report{
			Source: cfg.SourceName, Target: cfg.TargetName, DryRun: cfg.DryRun,
			Generation: cfg.Source.Info().Generation,
		},
	}
	if r.report.Generation == "" {
		return r.report, fmt.Errorf("%s has no tables of xxl-job", cfg.SourceName)
	}
	if err := r.load(ctx); err != nil {
		return r.report, err
	}
	r.planGroups()
	r.planJobs()
	if err := r.planUsers(ctx); err != nil {
		return r.report, err
	}
	if r.src.Own != nil {
		if err := r.planOwn(ctx); err != nil {
			return r.report, err
		}
	}
	if err := r.write(ctx); err != nil {
		return r.report, err
	}
	if err := r.copyGlue(ctx); err != nil {
		return r.report, err
	}
	if r.src.Own != nil {
		if err := r.copyChanges(ctx); err != nil {
			return r.report, err
		}
	}
	if !cfg.LogsAt.IsZero() {
		r.report.Logs = new(Section)
		return r.report, r.copyLogs(ctx)
	}
	return r.report, nil
}

func (r *run) load(ctx context.Context) (err error) {
	if r.src, err = r.Source.Snapshot(ctx); err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if r.dst, err = r.Target.Snapshot(ctx); err != nil {
		return fmt.Errorf("target: %w", err)
	}
	settings, err := r.Target.SettingsWith(ctx, r.prefix)
	if err != nil {
		return fmt.Errorf("target: %w", err)
	}
	r.old, err = readMarks(settings, r.prefix)
	return err
}

// write stores what was planned, and the marks, unless there is nothing new.
func (r *run) write(ctx context.Context) error {
	before := r.old.settings(r.prefix)
	now := marks{groups: ids{}, jobs: r.copied, same: ids{}, made: r.made}
	maps.Copy(now.groups, r.old.groups)
	maps.Copy(now.groups, r.groups)
	maps.Copy(now.same, r.old.same)
	for from, to := range r.jobs {
		if _, ok := r.copied[from]; !ok {
			now.same[from] = to
		}
	}
	settings := now.settings(r.prefix)
	nothing := maps.Equal(before, settings) && len(r.out.Users)+len(r.out.Own.Keys)+len(r.out.Settings) == 0
	if r.DryRun || nothing {
		return nil
	}
	if r.out.Settings == nil {
		r.out.Settings = settings
	} else {
		maps.Copy(r.out.Settings, settings)
	}
	if err := r.Target.Import(ctx, &r.out); err != nil {
		if errors.Is(err, store.ErrDuplicate) {
			return fmt.Errorf("the target was changed meanwhile, import again: %w", err)
		}
		return err
	}
	return nil
}

// copyGlue copies the code versions that are new since the last import.
func (r *run) copyGlue(ctx context.Context) error {
	foreign := 0
	for last := r.old.glue; ; {
		page, err := r.Source.GlueAfter(ctx, last, gluePage)
		if err != nil {
			return fmt.Errorf("source: %w", err)
		}
		if len(page) == 0 {
			break
		}
		var out []*model.GlueVersion
		var from []int32
		for _, v := range page {
			last = v.ID
			job, ok := r.copied[v.JobID]
			if !ok {
				foreign++
				continue
			}
			item := Item{Action: Copied, ID: int64(v.ID), Name: v.Remark}
			v.JobID = job
			if err := r.Target.CheckGlue(v); err != nil {
				item.Action, item.Notes = Skipped, []string{err.Error()}
			} else {
				out, from = append(out, v), append(from, v.ID)
			}
			r.report.Versions.add(item)
		}
		if r.DryRun {
			continue
		}
		to, err := r.Target.ImportGlue(ctx, out, r.prefix+"glue", strconv.Itoa(int(last)))
		if err != nil {
			return err
		}
		for i, id := range from {
			r.versions[id] = to[i]
		}
	}
	r.report.Versions.skip(foreign, "of jobs that were not copied")
	return nil
}

// copyLogs copies the logs of ended runs that are new since the last import.
func (r *run) copyLogs(ctx context.Context) error {
	first, err := r.Source.FirstLogAt(ctx, r.LogsAt)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	r.groupOf = ids{}
	for _, j := range slices.Concat(r.dst.Jobs, r.out.Jobs) {
		r.groupOf[j.ID] = j.GroupID
	}
	foreign, open := 0, 0
	for last, more := max(first, r.old.logs), true; more; {
		var page, out []*model.Log
		if page, last, more, err = r.Source.LogsAfter(ctx, last, r.LogsAt, logPage); err != nil {
			return fmt.Errorf("source: %w", err)
		}
		for _, l := range page {
			job, known := r.copied[l.JobID]
			switch {
			case !known:
				foreign++
			case isOpen(l):
				open++
			default:
				group, there := r.groups[l.GroupID]
				if !there { // the job has moved since, and its group of then is gone
					group = r.groupOf[job]
				}
				l.JobID, l.GroupID = job, group
				l.AlarmStatus = max(l.AlarmStatus, model.AlarmNone) // nobody is to be told of it now
				out = append(out, l)
			}
		}
		if len(out) == 0 {
			continue
		}
		r.report.Logs.Copied += len(out)
		if r.DryRun {
			continue
		}
		renumbered, err := r.Target.ImportLogs(ctx, out, r.prefix+"logs", strconv.FormatInt(last, 10))
		if err != nil {
			return err
		}
		r.report.Logs.Remapped += renumbered
	}
	r.report.Logs.skip(foreign, "of jobs that were not copied")
	r.report.Logs.skip(open, "of runs that have not ended")
	return nil
}

// isOpen reports whether the run of a log row has not ended.
func isOpen(l *model.Log) bool {
	return l.HandleCode == model.CodeNone && (l.TriggerCode == model.CodeNone || l.TriggerCode == model.CodeSuccess)
}
