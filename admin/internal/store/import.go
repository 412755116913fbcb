package store

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// importRows is how many rows one INSERT of an import has, at most.
const importRows = 50

// Import is what comes from another database: rows with the ids that they are to
// have, and settings.
type Import struct {
	Groups   []*model.Group
	Jobs     []*model.Job
	Users    []*model.User // with their hashes
	Own      Own           // of these groups, jobs and users, and keys
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
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := s.importGroups(ctx, q, im.Groups); err != nil {
			return s.dupError(err)
		}
		if err := s.importJobs(ctx, q, im.Jobs); err != nil {
			return s.dupError(err)
		}
		if err := s.importUsers(ctx, q, im.Users); err != nil {
			return s.dupError(err)
		}
		if err := s.importOwn(ctx, q, &im.Own); err != nil {
			return err
		}
		return s.putSettings(ctx, q, im.Settings)
	})
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	return nil
}

func (s *Store) putSettings(ctx context.Context, q sqldb.Querier, settings map[string]string) error {
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		if err := checkSetting(name, settings[name]); err != nil {
			return err
		}
		_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_setting (name, value) VALUES (?,?)"+
			s.db.Upsert("name", "value")), name, settings[name])
		if err != nil {
			return err
		}
	}
	return nil
}

func (s *Store) importGroups(ctx context.Context, q sqldb.Querier, groups []*model.Group) error {
	t := sqldb.Table{Name: "xxl_job_group", Cols: names("id", "app_name", "{group.title}", "address_type",
		"address_list",
		"update_time")}
	var list sqldb.Rows
	for _, g := range groups {
		list.Add(g.ID, g.AppName, g.Title, bit(g.Manual), textArg(g.AddressList), s.db.WallOrNil(g.UpdateTime))
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
	return s.importOldTokens(ctx, q, groups)
}

func (s *Store) importJobs(ctx context.Context, q sqldb.Querier, jobs []*model.Job) error {
	t := sqldb.Table{Name: "xxl_job_info", Cols: names("id", "job_group", "{job.name}", "add_time", "update_time",
		"author",
		"alarm_email", "schedule_type", "schedule_conf", "misfire_strategy", "executor_route_strategy",
		"executor_handler", "executor_param", "executor_block_strategy", "executor_timeout",
		"executor_fail_retry_count", "glue_type", "glue_source", "glue_remark", "glue_updatetime", "child_jobid",
		"trigger_status", "trigger_last_time", "trigger_next_time", "x_time_zone")}
	var list sqldb.Rows
	for _, j := range jobs {
		list.Add(j.ID, j.GroupID, j.Name, s.db.WallOrNil(j.AddTime), s.db.WallOrNil(j.UpdateTime), textArg(j.Author),
			textArg(j.AlarmEmail), string(j.ScheduleType), textArg(j.ScheduleConf), string(j.Misfire), string(j.Route),
			textArg(j.Handler), textArg(j.Param), string(j.Block), j.TimeoutSec, j.Retries, j.GlueType,
			textArg(j.GlueSource), textArg(j.GlueRemark), s.db.WallOrNil(j.GlueUpdated), textArg(j.Children),
			bit(j.Running), j.LastMs, j.NextMs, orNull(j.TimeZone))
	}
	return s.insertWithIDs(ctx, q, &t, &list)
}

func (s *Store) importUsers(ctx context.Context, q sqldb.Querier, users []*model.User) error {
	t := sqldb.Table{Name: "xxl_job_user", Cols: names("id", "username", "password", "role", "permission")}
	var list sqldb.Rows
	for _, u := range users {
		list.Add(u.ID, u.Username, u.JavaHash, bit(u.Admin), textArg(u.Permission))
	}
	if err := s.insertWithIDs(ctx, q, &t, &list); err != nil {
		return err
	}
	for _, u := range users {
		if err := s.setOwn(ctx, q, u.ID, "password_hash", u.Hash); err != nil {
			return err
		}
		if err := s.setCode(ctx, q, u.ID, u.Code); err != nil {
			return err
		}
		if err := s.setRoles(ctx, q, u.ID, u.Own); err != nil {
			return err
		}
	}
	return nil
}

// names are columns of an INSERT that says nothing of their kinds.
func names(list ...string) []sqldb.Col {
	cols := make([]sqldb.Col, len(list))
	for i, name := range list {
		cols[i] = sqldb.Col{Name: name}
	}
	return cols
}

// insertWithIDs writes rows whose first column is the id, and moves the ids that
// the database gives out by itself behind them.
func (s *Store) insertWithIDs(ctx context.Context, q sqldb.Querier, t *sqldb.Table, r *sqldb.Rows) error {
	if r.Len() == 0 {
		return nil
	}
	if err := s.insertPlain(ctx, q, t, r); err != nil {
		return err
	}
	return s.pastIDs(ctx, q, t.Name)
}

// pastIDs makes PostgreSQL give out ids above all that are there. The others do
// so by themselves.
func (s *Store) pastIDs(ctx context.Context, q sqldb.Querier, name string) error {
	if s.db.Name != sqldb.Postgres {
		return nil
	}
	var at int64
	return q.QueryRowContext(ctx, "SELECT setval(pg_get_serial_sequence('"+name+"', 'id')::regclass, GREATEST("+
		"(SELECT MAX(id) FROM "+name+"), nextval(pg_get_serial_sequence('"+name+"', 'id')::regclass)))").Scan(&at)
}

// ImportGlue adds code versions with who has saved them, whose ids the database
// gives, and writes a setting, in one transaction. It returns the ids. Texts are
// expected to be checked.
func (s *Store) ImportGlue(ctx context.Context, versions []*model.GlueVersion, key, value string) ([]int32, error) {
	var ids []int32
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		ids = make([]int32, len(versions))
		for i, v := range versions {
			var err error
			if ids[i], err = s.addGlue(ctx, q, v); err != nil {
				return err
			}
		}
		return s.putSettings(ctx, q, map[string]string{key: value})
	})
	if err != nil {
		return nil, fmt.Errorf("import code versions: %w", err)
	}
	return ids, nil
}

// insertPlain writes rows of a table whose columns may have names in braces.
func (s *Store) insertPlain(ctx context.Context, q sqldb.Querier, t *sqldb.Table, r *sqldb.Rows) error {
	for i := 0; i < r.Len(); {
		end := r.Chunk(i, importRows)
		part := r.Cut(i, end)
		if _, err := q.ExecContext(ctx, s.db.Bind(t.InsertValues(part.Len())), part.Vals...); err != nil {
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
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		taken, err := s.takenLogs(ctx, q, logs)
		if err != nil {
			return err
		}
		renumbered = len(taken)
		counted := make(days)
		var kept, fresh sqldb.Rows
		var old, moved []*model.Log
		for _, l := range logs {
			if taken[l.ID] {
				moved = append(moved, l)
				fresh.Add(s.importedLog(l)...)
			} else {
				old = append(old, l)
				kept.Add(append([]any{l.ID}, s.importedLog(l)...)...)
			}
			if !l.TriggerTime.IsZero() {
				counted.move(s, l.TriggerTime.UnixMilli(), classNone, classOf(l.TriggerCode, l.HandleCode))
			}
		}
		if err := s.insertWithIDs(ctx, q, &importedTable, &kept); err != nil {
			return err
		}
		ids, err := s.insertMoved(ctx, q, &fresh)
		if err != nil {
			return err
		}
		if err := s.importEnds(ctx, q, old, moved, ids); err != nil {
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

// importedTable is endedTable for rows that have ids.
var importedTable = sqldb.Table{Name: endedTable.Name, Cols: append(names("id"), endedTable.Cols...)}

// insertMoved writes log rows that get other ids, and returns these in the order
// of the rows.
func (s *Store) insertMoved(ctx context.Context, q sqldb.Querier, r *sqldb.Rows) ([]int64, error) {
	if r.Len() == 0 {
		return nil, nil
	}
	if s.db.Name != sqldb.Postgres {
		return s.db.InsertForIDs(ctx, q, &endedTable, r, 0)
	}
	// PostgreSQL does not say which row got which id: the ids come first.
	ids, err := sqldb.SelectIDs[int64](ctx, q, s.db.SQL("SELECT nextval(pg_get_serial_sequence('xxl_job_log', 'id')"+
		"::regclass) FROM generate_series(1, ?)"), r.Len())
	if err != nil {
		return nil, err
	}
	var rows sqldb.Rows
	for i, id := range ids {
		rows.Add(append([]any{id}, r.Cut(i, i+1).Vals...)...)
	}
	return ids, s.insertPlain(ctx, q, &importedTable, &rows)
}

// importedAt is where trigger_time stands in endedTable.
const importedAt = 7

// importedLog are the values of endedTable.
func (s *Store) importedLog(l *model.Log) []any {
	row := *l
	if limit := s.Info().ParamMax; limit < maxText && row.Param.Valid { // our own databases take longer ones
		row.Param = model.T(cutRunes(row.Param.S, limit))
	}
	var one sqldb.Rows
	s.addEnded(&one, &row, "")
	one.Vals[importedAt] = s.db.WallOrNil(l.TriggerTime)
	return one.Vals
}

// takenLogs returns which ids of the rows exist already.
func (s *Store) takenLogs(ctx context.Context, q sqldb.Querier, logs []*model.Log) (map[int64]bool, error) {
	taken := make(map[int64]bool)
	for chunk := range slices.Chunk(logs, sqldb.IDBatch) {
		ids := make([]int64, len(chunk))
		for i, l := range chunk {
			ids[i] = l.ID
		}
		args := sqldb.Padded(ids)
		found, err := sqldb.SelectIDs[int64](ctx, q,
			s.db.SQL("SELECT id FROM xxl_job_log WHERE id IN ("+sqldb.Marks(len(args))+")"),
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
