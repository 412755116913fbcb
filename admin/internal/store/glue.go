package store

import (
	"context"
	"database/sql"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
)

// glueVersionsKept is how many versions of a job's code are kept.
const glueVersionsKept = 30

// glueColumns are all columns of a code version, in the order of glueRow.
const glueColumns = "v.id, v.job_id, v.glue_type, v.glue_source, v.glue_remark, v.add_time, v.update_time, " +
	"u.username, u.saved_ms"

// glueUser finds who has saved a version: an id that another row had before, as
// some databases give them out again, does not count.
const glueUser = "LEFT JOIN xxljob_code_version u ON u.version_id = v.id AND u.job_id = v.job_id"

func (s *Store) glueRow(row sqldb.Scanner) (*model.GlueVersion, error) {
	var v model.GlueVersion
	var user sql.NullString
	var saved sql.NullInt64
	err := row.Scan(&v.ID, &v.JobID, scanString{&v.GlueType}, scanText{&v.Source}, &v.Remark,
		s.db.ScanTime(&v.AddTime), s.db.ScanTime(&v.Updated), &user, &saved)
	if saved.Valid && saved.Int64/1000 == v.Updated.Unix() {
		v.User = user.String
	}
	return &v, err
}

// SaveGlue makes v the code of its job, with v.Updated as the time that tells
// executors to load it anew, and adds it to the versions, of which the newest
// 30 are kept. Code that the job has and that is no version becomes one first,
// so that it is not lost. It assigns v.ID and v.Before. ErrNotFound is returned
// when there is no such job, ErrTooLong when a text does not fit.
func (s *Store) SaveGlue(ctx context.Context, v *model.GlueVersion) error {
	err := checkFields(
		field{name: "glue type", value: v.GlueType, max: maxKind},
		field{name: "glue source", value: v.Source.S, max: maxMediumText, bytes: true},
		field{name: "glue remark", value: v.Remark, max: maxGlueRemark},
	)
	if err != nil {
		return fmt.Errorf("save code of job %d: %w", v.JobID, err)
	}
	var id, before int32
	err = s.db.InTx(ctx, func(q sqldb.Querier) error {
		// The job's row first: of two who save at once one waits here.
		res, err := q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_info SET update_time = ? WHERE id = ?"),
			s.db.Wall(v.Updated), v.JobID)
		if err := oneRow(res, err); err != nil {
			return err
		}
		if before, err = s.keepGlue(ctx, q, v); err != nil {
			return err
		}
		_, err = q.ExecContext(ctx, s.db.SQL("UPDATE xxl_job_info SET glue_source = ?, glue_remark = ?, "+
			"glue_updatetime = ? WHERE id = ?"), textArg(v.Source), v.Remark, s.db.Wall(v.Updated), v.JobID)
		if err != nil {
			return err
		}
		if id, err = s.addGlue(ctx, q, v); err != nil {
			return err
		}
		return s.dropOldGlue(ctx, q, v.JobID)
	})
	if err != nil {
		return fmt.Errorf("save code of job %d: %w", v.JobID, err)
	}
	v.ID, v.Before = id, before
	return nil
}

// keepGlue returns the version that holds the code of a job as it stands, 0
// where it has none. Code that is no version yet becomes one, before next does,
// unless next is that code itself.
func (s *Store) keepGlue(ctx context.Context, q sqldb.Querier, next *model.GlueVersion) (int32, error) {
	jobID := next.JobID
	now := &model.GlueVersion{JobID: jobID}
	err := q.QueryRowContext(ctx, s.db.SQL("SELECT glue_type, glue_source, glue_remark, glue_updatetime "+
		"FROM xxl_job_info WHERE id = ?"), jobID).
		Scan(scanString{&now.GlueType}, scanText{&now.Source}, scanString{&now.Remark}, s.db.ScanTime(&now.Updated))
	if err != nil || now.Source.S == "" {
		return 0, err
	}
	itself := now.Source.S == next.Source.S && now.Updated.Equal(next.Updated)
	newest, err := sqldb.Collect(ctx, q, s.glueRow, s.db.SQL("SELECT "+glueColumns+" FROM xxl_job_logglue v "+
		glueUser+" WHERE v.job_id = ? ORDER BY v.update_time DESC, v.id DESC LIMIT 1"), jobID)
	if err != nil {
		return 0, err
	}
	if len(newest) > 0 && newest[0].Source.S == now.Source.S {
		return newest[0].ID, nil
	}
	if itself && len(newest) == 0 {
		return 0, nil
	}
	// It stands between what it took the place of and what takes its own, whatever
	// the clocks say.
	if len(newest) > 0 && now.Updated.Before(newest[0].Updated) {
		now.Updated = newest[0].Updated
	}
	if now.Updated.After(next.Updated) {
		now.Updated = next.Updated
	}
	now.AddTime = now.Updated
	return s.addGlue(ctx, q, now)
}

// addGlue inserts a version, and who has saved it.
func (s *Store) addGlue(ctx context.Context, q sqldb.Querier, v *model.GlueVersion) (int32, error) {
	id, err := s.db.InsertID(ctx, q, "INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, "+
		"add_time, update_time) VALUES (?,?,?,?,?,?)",
		v.JobID, v.GlueType, textArg(v.Source), v.Remark, s.db.WallOrNil(v.AddTime), s.db.WallOrNil(v.Updated))
	if err != nil || v.User == "" {
		return int32(id), err //nolint:gosec // the column is 32 bits wide
	}
	_, err = q.ExecContext(ctx, s.db.SQL("INSERT INTO xxljob_code_version (version_id, job_id, saved_ms, username) "+
		"VALUES (?,?,?,?)"+s.db.Upsert("version_id", "job_id", "saved_ms", "username")),
		id, v.JobID, v.Updated.UnixMilli(), cutRunes(v.User, auditName))
	return int32(id), err //nolint:gosec // as above
}

func (s *Store) dropOldGlue(ctx context.Context, q sqldb.Querier, jobID int32) error {
	old, err := sqldb.SelectIDs[int32](ctx, q, s.db.SQL("SELECT id FROM xxl_job_logglue WHERE job_id = ? "+
		"ORDER BY update_time DESC, id DESC LIMIT ? OFFSET ?"), jobID, sqldb.IDBatch, glueVersionsKept)
	if err != nil || len(old) == 0 {
		return err
	}
	args := sqldb.Padded(old)
	_, err = q.ExecContext(ctx, s.db.SQL("DELETE FROM xxl_job_logglue WHERE id IN ("+sqldb.Marks(len(args))+")"),
		args...)
	if err != nil {
		return err
	}
	_, err = q.ExecContext(ctx,
		s.db.SQL("DELETE FROM xxljob_code_version WHERE version_id IN ("+sqldb.Marks(len(args))+")"),
		args...)
	return err
}

// GlueVersions returns the kept versions of a job's code, newest first.
func (s *Store) GlueVersions(ctx context.Context, jobID int32) ([]*model.GlueVersion, error) {
	list, err := sqldb.Collect(ctx, s.db.Reader(), s.glueRow, s.db.SQL("SELECT "+glueColumns+" FROM xxl_job_logglue v "+
		glueUser+" WHERE v.job_id = ? ORDER BY v.update_time DESC, v.id DESC LIMIT ?"), jobID, glueVersionsKept)
	if err != nil {
		return nil, fmt.Errorf("code versions of job %d: %w", jobID, err)
	}
	return list, nil
}
