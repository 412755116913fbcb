package store

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// glueVersionsKept is how many versions of a job's code are kept.
const glueVersionsKept = 30

// glueColumns are all columns of a code version, in the order of glueRow.
const glueColumns = "id, job_id, glue_type, glue_source, glue_remark, add_time, update_time"

func (s *Store) glueRow(row scanner) (*model.GlueVersion, error) {
	var v model.GlueVersion
	err := row.Scan(&v.ID, &v.JobID, scanString{&v.GlueType}, scanText{&v.Source}, &v.Remark,
		s.scanTime(&v.AddTime), s.scanTime(&v.Updated))
	return &v, err
}

// SaveGlue makes v the code of its job, with v.Updated as the time that tells
// executors to load it anew, and adds it to the versions, of which the newest
// 30 are kept. It assigns v.ID. ErrNotFound is returned when there is no such
// job, ErrTooLong when a text does not fit.
func (s *Store) SaveGlue(ctx context.Context, v *model.GlueVersion) error {
	err := checkFields(
		field{name: "glue type", value: v.GlueType, max: maxKind},
		field{name: "glue source", value: v.Source.S, max: maxMediumText, bytes: true},
		field{name: "glue remark", value: v.Remark, max: maxGlueRemark},
	)
	if err != nil {
		return fmt.Errorf("save code of job %d: %w", v.JobID, err)
	}
	var id int64
	err = s.inTx(ctx, func(q querier) error {
		res, err := q.ExecContext(ctx, s.sql("UPDATE xxl_job_info SET glue_source = ?, glue_remark = ?, "+
			"glue_updatetime = ?, update_time = ? WHERE id = ?"),
			textArg(v.Source), v.Remark, s.wall(v.Updated), s.wall(v.Updated), v.JobID)
		if err := oneRow(res, err); err != nil {
			return err
		}
		id, err = s.insertID(ctx, q, "INSERT INTO xxl_job_logglue (job_id, glue_type, glue_source, glue_remark, "+
			"add_time, update_time) VALUES (?,?,?,?,?,?)",
			v.JobID, v.GlueType, textArg(v.Source), v.Remark, s.wall(v.AddTime), s.wall(v.Updated))
		if err != nil {
			return err
		}
		return s.dropOldGlue(ctx, q, v.JobID)
	})
	if err != nil {
		return fmt.Errorf("save code of job %d: %w", v.JobID, err)
	}
	v.ID = int32(id) //nolint:gosec // the column is 32 bits wide
	return nil
}

func (s *Store) dropOldGlue(ctx context.Context, q querier, jobID int32) error {
	old, err := selectIDs[int32](ctx, q, s.sql("SELECT id FROM xxl_job_logglue WHERE job_id = ? "+
		"ORDER BY update_time DESC, id DESC LIMIT ? OFFSET ?"), jobID, idBatch, glueVersionsKept)
	if err != nil || len(old) == 0 {
		return err
	}
	args := padded(old)
	_, err = q.ExecContext(ctx, s.sql("DELETE FROM xxl_job_logglue WHERE id IN ("+marks(len(args))+")"), args...)
	return err
}

// GlueVersions returns the kept versions of a job's code, newest first.
func (s *Store) GlueVersions(ctx context.Context, jobID int32) ([]*model.GlueVersion, error) {
	list, err := collect(ctx, s.reader(), s.glueRow, s.sql("SELECT "+glueColumns+" FROM xxl_job_logglue "+
		"WHERE job_id = ? ORDER BY update_time DESC, id DESC LIMIT ?"), jobID, glueVersionsKept)
	if err != nil {
		return nil, fmt.Errorf("code versions of job %d: %w", jobID, err)
	}
	return list, nil
}
