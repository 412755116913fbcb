package store

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// maxDeletedName is how many characters of a name are kept; a longer one is cut.
const maxDeletedName = 255

const deletedColumns = "change_id, kind, object_id, group_id, name, at_ms, made_ms, username, versions"

func (s *Store) deletedRow(row sqldb.Scanner) (*model.Deleted, error) {
	var d model.Deleted
	var at, made int64
	err := row.Scan(&d.ChangeID, &d.Kind, &d.ObjectID, &d.GroupID, &d.Name, &at, &made, &d.User, &d.Versions)
	d.At = s.instant(at)
	if made != 0 {
		d.Made = s.instant(made)
	}
	return &d, err
}

// RemoveJob is DeleteJob for a job that can be brought back: c and d go on record
// with its code, in the transaction in which it goes. It assigns c.ID, d.ChangeID
// and d.Versions. Nothing is put on record of a job that is not there; c.ID is 0
// then.
func (s *Store) RemoveJob(ctx context.Context, c *model.Change, d *model.Deleted) error {
	if err := checkChange(c); err != nil {
		return fmt.Errorf("delete job %d: %w", d.ObjectID, err)
	}
	var changeID int64
	var versions int
	err := s.deleteJob(ctx, d.ObjectID, func(ctx context.Context, q sqldb.Querier) (err error) {
		if changeID, err = s.addChange(ctx, q, c); err != nil {
			return err
		}
		if versions, err = s.keepCode(ctx, q, changeID, d.ObjectID); err != nil {
			return err
		}
		return s.addDeleted(ctx, q, d, changeID, versions)
	})
	if err == nil {
		c.ID, d.ChangeID, d.Versions = changeID, changeID, versions
	}
	return err
}

// RemoveGroup is DeleteGroup as RemoveJob is DeleteJob. Its access token is not
// kept.
func (s *Store) RemoveGroup(ctx context.Context, c *model.Change, d *model.Deleted) error {
	if err := checkChange(c); err != nil {
		return fmt.Errorf("delete group %d: %w", d.ObjectID, err)
	}
	var changeID int64
	err := s.deleteGroup(ctx, d.ObjectID, func(ctx context.Context, q sqldb.Querier) (err error) {
		if changeID, err = s.addChange(ctx, q, c); err != nil {
			return err
		}
		return s.addDeleted(ctx, q, d, changeID, 0)
	})
	if err == nil {
		c.ID, d.ChangeID = changeID, changeID
	}
	return err
}

func (s *Store) addDeleted(ctx context.Context, q sqldb.Querier, d *model.Deleted, changeID int64, versions int) error {
	made := int64(0)
	if !d.Made.IsZero() {
		made = d.Made.UnixMilli()
	}
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_deleted ("+deletedColumns+") VALUES (?,?,?,?,?,?,?,?,?)"),
		changeID, d.Kind, d.ObjectID, d.GroupID, cutRunes(d.Name, maxDeletedName), d.At.UnixMilli(), made,
		cutRunes(d.User, auditName), versions)
	return err
}

// keepCode copies the code of a script job and its versions, one after the other:
// each may be large. It returns how many versions there are.
func (s *Store) keepCode(ctx context.Context, q sqldb.Querier, changeID int64, jobID int32) (int, error) {
	now, err := sqldb.Collect(ctx, q, s.jobRow, s.db.SQL("SELECT "+jobColumns+" FROM xxl_job_info WHERE id = ?"), jobID)
	if err != nil || len(now) == 0 || now[0].GlueType == model.GlueBean && now[0].GlueSource.S == "" {
		return 0, err
	}
	j := now[0]
	err = s.addDeletedCode(ctx, q, changeID, 0, &model.GlueVersion{
		GlueType: j.GlueType, Source: j.GlueSource, Remark: j.GlueRemark.S, AddTime: j.AddTime, Updated: j.GlueUpdated,
	})
	if err != nil {
		return 0, err
	}
	ids, err := sqldb.SelectIDs[int32](ctx, q, s.db.SQL("SELECT id FROM xxl_job_logglue WHERE job_id = ? "+
		"ORDER BY update_time, id LIMIT ?"), jobID, glueVersionsKept)
	if err != nil {
		return 0, err
	}
	for i, id := range ids {
		list, err := sqldb.Collect(ctx, q, s.glueRow, s.db.SQL("SELECT "+glueColumns+" FROM xxl_job_logglue v "+
			glueUser+" WHERE v.id = ?"), id)
		if err != nil {
			return 0, err
		}
		for _, v := range list {
			if err := s.addDeletedCode(ctx, q, changeID, i+1, v); err != nil {
				return 0, err
			}
		}
	}
	return len(ids), nil
}

func (s *Store) addDeletedCode(ctx context.Context, q sqldb.Querier, changeID int64, seq int,
	v *model.GlueVersion,
) error {
	ms := func(t time.Time) int64 {
		if t.IsZero() {
			return 0
		}
		return t.UnixMilli()
	}
	_, err := q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_deleted_code (change_id, seq, code_type, source, "+
		"remark, "+
		"added_ms, updated_ms, username) VALUES (?,?,?,?,?,?,?,?)"), changeID, seq, v.GlueType, textArg(v.Source),
		v.Remark, ms(v.AddTime), ms(v.Updated), cutRunes(v.User, auditName))
	return err
}

// Deleted returns the newest deletion of a job or group that can be brought back,
// or ErrNotFound.
func (s *Store) Deleted(ctx context.Context, kind string, id int32) (*model.Deleted, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.deletedRow, s.db.SQL("SELECT "+deletedColumns+" FROM "+
		"xxljob_deleted WHERE kind = ? AND object_id = ? ORDER BY change_id DESC LIMIT 1"), kind, id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("deletion of %s %d: %w", kind, id, err)
	}
	return list[0], nil
}

// deletedOrders are the orders of deletions, which the retention of the audit log
// bounds.
var deletedOrders = map[string]orderBy{model.OrderTime: {}, model.OrderName: {expr: "name", text: true}}

// DeletedList returns the deletions that match, the newest first unless f.Order
// says OrderTime or OrderName.
func (s *Store) DeletedList(ctx context.Context, f model.DeletedFilter) ([]*model.Deleted, error) {
	var w where
	w.add("kind = ?", f.Kind)
	if !w.groups("group_id", f.GroupID, f.GroupIDs) {
		return nil, nil
	}
	w.like("name", f.Name)
	if f.BeforeID > 0 {
		w.add("change_id < ?", f.BeforeID)
	}
	order := w.ordered(f.Order, deletedOrders, "change_id", false)
	_, limit := page(0, f.Limit)
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.deletedRow, s.db.SQL("SELECT "+deletedColumns+" FROM "+
		"xxljob_deleted"+
		w.String()+" ORDER BY "+order+" LIMIT ?"), append(w.args, limit)...)
	if err != nil {
		return nil, fmt.Errorf("list deletions: %w", err)
	}
	return list, nil
}

// RestoreJob brings a job back with its tags and its code, and writes c, in one
// transaction. It has the id that it had where nobody else has that now, else
// another one. It assigns j.ID, c.ObjectID and c.ID, and sets the code of j.
// ErrNotFound is returned when the deletion is not on record, or not any more.
func (s *Store) RestoreJob(
	ctx context.Context, d *model.Deleted, j *model.Job, tags []string, c *model.Change,
) error {
	if err := checkChange(c); err != nil {
		return fmt.Errorf("restore job %d: %w", d.ObjectID, err)
	}
	restored := *j
	var changeID int64
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		restored = *j
		if err := s.takeDeleted(ctx, q, d); err != nil {
			return err
		}
		code, err := sqldb.Collect(ctx, q, s.deletedCodeRow, s.db.SQL("SELECT code_type, source, remark, added_ms, "+
			"updated_ms, username FROM xxljob_deleted_code WHERE change_id = ? ORDER BY seq"), d.ChangeID)
		if err != nil {
			return err
		}
		if len(code) > 0 {
			restored.GlueSource, restored.GlueRemark = code[0].Source, model.T(code[0].Remark)
			restored.GlueUpdated = code[0].Updated
		}
		if err := s.putJob(ctx, q, d.ObjectID, &restored, tags); err != nil {
			return err
		}
		for i := 1; i < len(code); i++ {
			code[i].JobID = restored.ID
			if _, err := s.addGlue(ctx, q, code[i]); err != nil {
				return err
			}
		}
		entry := *c
		entry.ObjectID = restored.ID
		if changeID, err = s.addChange(ctx, q, &entry); err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_deleted_code WHERE change_id = ?"), d.ChangeID)
		return err
	})
	if err != nil {
		return fmt.Errorf("restore job %d: %w", d.ObjectID, err)
	}
	*j, c.ID, c.ObjectID = restored, changeID, restored.ID
	return nil
}

// takeDeleted takes a deletion off the record: of two who bring the same back one
// finds nothing.
func (s *Store) takeDeleted(ctx context.Context, q sqldb.Querier, d *model.Deleted) error {
	return oneRow(q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_deleted WHERE change_id = ?"), d.ChangeID))
}

// putJob inserts a job with an id if it is free, and else with one that the
// database gives.
func (s *Store) putJob(ctx context.Context, q sqldb.Querier, id int32, j *model.Job, tags []string) error {
	taken, err := sqldb.SelectIDs[int32](ctx, q, s.db.SQL("SELECT id FROM xxl_job_info WHERE id = ?"), id)
	if err != nil {
		return err
	}
	if len(taken) > 0 {
		id, err = s.insertJob(ctx, q, j)
	} else {
		row := *j
		row.ID = id
		err = s.importJobs(ctx, q, []*model.Job{&row})
	}
	if err != nil {
		return err
	}
	j.ID = id
	return s.setTags(ctx, q, id, tags)
}

func (s *Store) deletedCodeRow(row sqldb.Scanner) (*model.GlueVersion, error) {
	var v model.GlueVersion
	var added, updated int64
	err := row.Scan(&v.GlueType, scanText{&v.Source}, &v.Remark, &added, &updated, &v.User)
	v.AddTime, v.Updated = s.instant(added), s.instant(updated)
	return &v, err
}

// RestoreGroup is RestoreJob for a group. It returns ErrDuplicate where the schema
// forbids a second group of one app name.
func (s *Store) RestoreGroup(ctx context.Context, d *model.Deleted, g *model.Group, c *model.Change) error {
	if err := checkChange(c); err != nil {
		return fmt.Errorf("restore group %d: %w", d.ObjectID, err)
	}
	var id int32
	var changeID int64
	err := s.db.InTx(ctx, func(q sqldb.Querier) error {
		if err := s.takeDeleted(ctx, q, d); err != nil {
			return err
		}
		taken, err := sqldb.SelectIDs[int32](ctx, q, s.db.SQL("SELECT id FROM xxl_job_group WHERE id = ?"), d.ObjectID)
		if err != nil {
			return err
		}
		if id = d.ObjectID; len(taken) > 0 {
			id, err = s.insertGroup(ctx, q, g)
		} else {
			row := *g
			row.ID = id
			err = s.importGroups(ctx, q, []*model.Group{&row})
		}
		if err != nil {
			return s.dupError(err)
		}
		entry := *c
		entry.ObjectID = id
		changeID, err = s.addChange(ctx, q, &entry)
		return err
	})
	if err != nil {
		return fmt.Errorf("restore group %d: %w", d.ObjectID, err)
	}
	g.ID, c.ID, c.ObjectID = id, changeID, id
	return nil
}

// ExpireDeleted forgets deletions that are older than before, with the code and
// the history of what was deleted, the oldest first and at most limit of them. It
// returns how many.
func (s *Store) ExpireDeleted(ctx context.Context, before time.Time, limit int) (int, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.deletedRow, s.db.SQL("SELECT "+deletedColumns+" FROM "+
		"xxljob_deleted WHERE at_ms < ? ORDER BY at_ms, change_id LIMIT ?"), before.UnixMilli(), limit)
	for i, d := range list {
		err = s.db.InTx(ctx, func(q sqldb.Querier) error {
			for _, text := range []string{
				"DELETE FROM xxljob_deleted_code WHERE change_id = ?", "DELETE FROM xxljob_deleted WHERE change_id = ?",
			} {
				if _, err := q.ExecContext(ctx, s.db.SQL(text), d.ChangeID); err != nil {
					return err
				}
			}
			_, err := q.ExecContext(ctx, s.db.SQL("DELETE FROM xxljob_change WHERE kind = ? AND object_id = ? "+
				"AND id <= ?"), d.Kind, d.ObjectID, d.ChangeID)
			return err
		})
		if err != nil {
			return i, fmt.Errorf("forget the deletion of %s %d: %w", d.Kind, d.ObjectID, err)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("forget deletions: %w", err)
	}
	return len(list), nil
}

// Impact counts what the deletion of jobs touches.
func (s *Store) Impact(ctx context.Context, jobIDs []int32) (model.Impact, error) {
	var sum model.Impact
	for _, q := range []struct {
		to   *int
		text string
	}{
		{&sum.Running, "SELECT COUNT(*) FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id " +
			"WHERE l.trigger_code = 200 AND r.job_id IN "},
		{&sum.Planned, "SELECT COUNT(*) FROM xxljob_run r JOIN xxl_job_log l ON l.id = r.log_id " +
			"WHERE l.trigger_code <> 200 AND r.job_id IN "},
		{&sum.Versions, "SELECT COUNT(*) FROM xxl_job_logglue WHERE job_id IN "},
	} {
		n, err := s.countIn(ctx, q.text, jobIDs)
		if err != nil {
			return sum, fmt.Errorf("what a deletion touches: %w", err)
		}
		*q.to = n
	}
	return sum, nil
}

// countIn adds up a count over ids.
func (s *Store) countIn(ctx context.Context, text string, ids []int32) (int, error) {
	total := 0
	for i := 0; i < len(ids); i += sqldb.IDBatch {
		args := sqldb.Padded(ids[i:min(i+sqldb.IDBatch, len(ids))])
		var n int
		if err := s.db.Reader().QueryRowContext(ctx, s.db.SQL(text+"("+sqldb.Marks(len(args))+")"),
			args...).Scan(&n); err != nil {
			return 0, err
		}
		total += n
	}
	return total, nil
}

// Parents returns jobs that have other jobs as children, at most limit, by id:
// only id, group, name and children of each.
func (s *Store) Parents(ctx context.Context, limit int) ([]*model.Job, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), func(row sqldb.Scanner) (*model.Job, error) {
		var j model.Job
		err := row.Scan(&j.ID, &j.GroupID, &j.Name, scanText{&j.Children})
		return &j, err
	}, s.db.SQL("SELECT id, job_group, {job.name}, child_jobid FROM xxl_job_info WHERE child_jobid <> '' "+
		"ORDER BY id LIMIT ?"), limit)
	if err != nil {
		return nil, fmt.Errorf("jobs with children: %w", err)
	}
	return list, nil
}
