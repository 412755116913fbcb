package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// importRows is how many rows one INSERT of an import has, at most.
const importRows = 50

// Import is what comes from another database: rows with the ids that they are to
// have, and settings.
type Import struct {
	Groups   []*model.Group
	Jobs     []*model.Job
	Users    []*model.User // with their hashes
	Settings map[string]string
}

// CheckGroup returns ErrTooLong or ErrBadText when the database could not hold
// the row as it is.
func (s *Store) CheckGroup(g *model.Group) error { return s.checkGroup(g) }

// CheckJob is CheckGroup for a job.
func (s *Store) CheckJob(j *model.Job) error { return s.checkJob(j) }

// CheckUser is CheckGroup for a user.
func (s *Store) CheckUser(u *model.User) error { return s.checkUser(u) }

// CheckGlue is CheckGroup for a code version.
func (s *Store) CheckGlue(v *model.GlueVersion) error {
	return checkFields(
		field{name: "glue type", value: v.GlueType, max: maxKind},
		field{name: "glue source", value: v.Source.S, max: maxMediumText, bytes: true},
		field{name: "glue remark", value: v.Remark, max: maxGlueRemark},
	)
}

// Import inserts all rows with the ids that they have, and writes the settings,
// in one transaction. It returns ErrDuplicate when an id or a name is taken.
// Texts are expected to be checked.
func (s *Store) Import(ctx context.Context, im *Import) error {
	err := s.inTx(ctx, func(q querier) error {
		if err := s.importGroups(ctx, q, im.Groups); err != nil {
			return s.dupError(err)
		}
		if err := s.importJobs(ctx, q, im.Jobs); err != nil {
			return s.dupError(err)
		}
		if err := s.importUsers(ctx, q, im.Users); err != nil {
			return s.dupError(err)
		}
		return s.putSettings(ctx, q, im.Settings)
	})
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return nil
}

func (s *Store) putSettings(ctx context.Context, q querier, settings map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := checkSetting(name, settings[name]); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, s.sql("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"+
			s.d.upsert("name", "value")), name, settings[name])
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) importGroups(ctx context.Context, q querier, groups []*model.Group) error {
	t := table{name: "xxl_job_group", cols: names("id", "app_name", "{group.title}", "address_type", "address_list",
		"update_time")}
	var list rows
	for _, g := range groups {
		list.add(g.ID, g.AppName, g.Title, bit(g.Manual), textArg(g.AddressList), s.wallOrNil(g.UpdateTime))
	}
	if err := s.insertWithIDs(ctx, q, &t, &list); err != nil {
		return err
	}
	for _, g := range groups {
		if g.AccessToken == "" {
			continue
		}
		if err := s.setGroupToken(ctx, q, g.ID, g.AccessToken); err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) importJobs(ctx context.Context, q querier, jobs []*model.Job) error {
	t := table{name: "xxl_job_info", cols: names("id", "job_group", "{job.name}", "add_time", "update_time", "author",
		"alarm_email", "schedule_type", "schedule_conf", "misfire_strategy", "executor_route_strategy",
		"executor_handler", "executor_param", "executor_block_strategy", "executor_timeout",
		"executor_fail_retry_count", "glue_type", "glue_source", "glue_remark", "glue_updatetime", "child_jobid",
		"trigger_status", "trigger_last_time", "trigger_next_time", "x_time_zone")}
	var list rows
	for _, j := range jobs {
		list.add(j.ID, j.GroupID, j.Name, s.wallOrNil(j.AddTime), s.wallOrNil(j.UpdateTime), textArg(j.Author),
			textArg(j.AlarmEmail), string(j.ScheduleType), textArg(j.ScheduleConf), string(j.Misfire), string(j.Route),
			textArg(j.Handler), textArg(j.Param), string(j.Block), j.TimeoutSec, j.Retries, j.GlueType,
			textArg(j.GlueSource), textArg(j.GlueRemark), s.wallOrNil(j.GlueUpdated), textArg(j.Children),
			bit(j.Running), j.LastMs, j.NextMs, orNull(j.TimeZone))
	}
	return s.insertWithIDs(ctx, q, &t, &list)
}

func (s *Store) importUsers(ctx context.Context, q querier, users []*model.User) error {
	t := table{name: "xxl_job_user", cols: names("id", "username", "password", "role", "permission")}
	var list rows
	for _, u := range users {
		list.add(u.ID, u.Username, u.JavaHash, bit(u.Admin), textArg(u.Permission))
	}
	if err := s.insertWithIDs(ctx, q, &t, &list); err != nil {
		return err
	}
	for _, u := range users {
		if err := s.setOwn(ctx, q, u.ID, "password_hash", u.Hash); err != nil {
			return err
		}
	}
	return nil
}

// names are columns of an INSERT that says nothing of their kinds.
func names(list ...string) []col {
	cols := make([]col, len(list))
	for i, name := range list {
		cols[i] = col{name: name}
	}
	return cols
}

// insertWithIDs writes rows whose first column is the id, and moves the ids that
// the database gives out by itself behind them.
func (s *Store) insertWithIDs(ctx context.Context, q querier, t *table, r *rows) error {
	if r.len() == 0 {
		return nil
	}
	if err := s.insertPlain(ctx, q, t, r); err != nil {
		return err
	}
	return s.pastIDs(ctx, q, t.name)
}

// pastIDs makes PostgreSQL give out ids above all that are there. The others do
// so by themselves.
func (s *Store) pastIDs(ctx context.Context, q querier, name string) error {
	if s.d.name != postgresName {
		return nil
	}
	var at int64
	return q.QueryRowContext(ctx, "SELECT setval(pg_get_serial_sequence('"+name+"', 'id')::regclass, GREATEST("+
		"(SELECT MAX(id) FROM "+name+"), nextval(pg_get_serial_sequence('"+name+"', 'id')::regclass)))").Scan(&at)
}

// ImportGlue adds code versions, whose ids the database gives, and writes a
// setting, in one transaction. Texts are expected to be checked.
func (s *Store) ImportGlue(ctx context.Context, versions []*model.GlueVersion, key, value string) error {
	t := table{name: "xxl_job_logglue", cols: names("job_id", "glue_type", "glue_source", "glue_remark", "add_time",
		"update_time")}
	var list rows
	for _, v := range versions {
		list.add(v.JobID, v.GlueType, textArg(v.Source), v.Remark, s.wallOrNil(v.AddTime), s.wallOrNil(v.Updated))
	}
	err := s.inTx(ctx, func(q querier) error {
		if err := s.insertPlain(ctx, q, &t, &list); err != nil {
			return err
		}
		return s.putSettings(ctx, q, map[string]string{key: value})
	})
	if err != nil {
		return fmt.Errorf("import code versions: %w", err)
	}
	return nil
}

// insertPlain writes rows of a table whose columns may have names in braces.
func (s *Store) insertPlain(ctx context.Context, q querier, t *table, r *rows) error {
	for i := 0; i < r.len(); {
		end := r.chunk(i, importRows)
		part := r.cut(i, end)
		if _, err := q.ExecContext(ctx, s.bind(t.insertValues(part.len())), part.vals...); err != nil {
			return err
		}
		i = end
	}
	return nil
}

// ImportLogs adds log rows of runs that have ended, counts them in the
// statistics of their days, and writes a setting, in one transaction. A row
// keeps its id where that is free, else the database gives one; renumbered is
// how many got another one.
func (s *Store) ImportLogs(ctx context.Context, logs []*model.Log, key, value string) (renumbered int, err error) {
	err = s.inTx(ctx, func(q querier) error {
		taken, err := s.takenLogs(ctx, q, logs)
		if err != nil {
			return err
		}
		renumbered = len(taken)
		counted := make(days)
		var kept, fresh rows
		for _, l := range logs {
			to, first := &kept, []any{l.ID}
			if taken[l.ID] {
				to, first = &fresh, nil
			}
			to.add(append(first, s.importedLog(l)...)...)
			if !l.TriggerTime.IsZero() {
				counted.move(s, l.TriggerTime.UnixMilli(), classNone, classOf(l.TriggerCode, l.HandleCode))
			}
		}
		with := table{name: endedTable.name, cols: append(names("id"), endedTable.cols...)}
		if err := s.insertWithIDs(ctx, q, &with, &kept); err != nil {
			return err
		}
		plain := table{name: endedTable.name, cols: endedTable.cols}
		if err := s.insertPlain(ctx, q, &plain, &fresh); err != nil {
			return err
		}
		if err := s.putSettings(ctx, q, map[string]string{key: value}); err != nil {
			return err
		}
		return counted.save(ctx, s, q)
	})
	if err != nil {
		return 0, fmt.Errorf("import logs: %w", err)
	}
	return renumbered, nil
}

// importedAt is where trigger_time stands in endedTable.
const importedAt = 7

// importedLog are the values of endedTable.
func (s *Store) importedLog(l *model.Log) []any {
	row := *l
	if limit := s.Info().ParamMax; limit < maxText && row.Param.Valid { // our own databases take longer ones
		row.Param = model.T(cutRunes(row.Param.S, limit))
	}
	var one rows
	s.addEnded(&one, &row, "")
	one.vals[importedAt] = s.wallOrNil(l.TriggerTime)
	return one.vals
}

// takenLogs returns which ids of the rows exist already.
func (s *Store) takenLogs(ctx context.Context, q querier, logs []*model.Log) (map[int64]bool, error) {
	taken := make(map[int64]bool)
	for chunk := range slices.Chunk(logs, idBatch) {
		ids := make([]int64, len(chunk))
		for i, l := range chunk {
			ids[i] = l.ID
		}
		args := padded(ids)
		found, err := selectIDs[int64](ctx, q, s.sql("SELECT id FROM xxl_job_log WHERE id IN ("+marks(len(args))+")"),
			args...)
		if err != nil {
			return nil, err
		}
		for _, id := range found {
			taken[id] = true
		}
	}
	return taken, nil
}
