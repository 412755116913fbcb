package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// glueKnown reports whether the protocol knows the glue type.
func glueKnown(t string) bool { return slices.Contains(model.GlueTypes(), t) }

// mayCode reports whether the principal may write code that executors run.
func (s *Service) mayCode(p Principal) bool {
	switch s.cfg.CodeEditing {
	case CodeAdmins:
		return p.known() && p.Admin
	case CodeGroups:
		return p.known()
	default:
		return false
	}
}

// needCode refuses who may not write code.
func (s *Service) needCode(ctx context.Context, p Principal, action, object string) *Error {
	if s.mayCode(p) {
		return nil
	}
	e := s.deny(ctx, p, action, object)
	e.Parts = []Part{key(i18n.JobinfoGlueOff)}
	e.Detail = "an operator of the admin can switch it on with --code-editing"
	return e
}

// SaveGlue stores a new version of a job's code; executors load it with the
// next run. The newest 30 versions are kept.
func (s *Service) SaveGlue(ctx context.Context, p Principal, jobID int32, source, remark string) error {
	j, err := s.store.Job(ctx, jobID)
	if err != nil && !notFound(err) {
		return fmt.Errorf("read job %d: %w", jobID, err)
	}
	if err == nil && !p.May(j.GroupID) {
		return s.denyThrown(ctx, p, "job.code", jobObject(jobID))
	}
	if e := s.needCode(ctx, p, "job.code", jobObject(jobID)); e != nil {
		return e
	}
	if e := checkSource(source, remark); e != nil {
		return e
	}
	if j, err = s.job(ctx, jobID); err != nil {
		return err
	}
	if j.GlueType == model.GlueBean {
		return &Error{
			Kind: Conflict, Parts: []Part{key(i18n.JobinfoGlueGluetypeInvalid)},
			Detail: "a BEAN job runs a handler of the executor",
		}
	}
	if j.GlueType == "GLUE_SHELL" {
		source = strings.ReplaceAll(source, "\r", "")
	}
	now := s.seconds()
	if next := j.GlueUpdated.Add(time.Second); now.Before(next) {
		now = next // executors compile again when the time has changed, in whole seconds
	}
	v := &model.GlueVersion{
		JobID: jobID, GlueType: j.GlueType, Source: model.T(source), Remark: remark, AddTime: now, Updated: now,
	}
	if err := s.store.SaveGlue(ctx, v); err != nil {
		return fmt.Errorf("save the code of job %d: %w", jobID, refused(err))
	}
	var d diff
	d.size("glue_source", j.GlueSource.S, source)
	d.text("glue_remark", j.GlueRemark.S, remark)
	s.record(ctx, p, "job.code", jobObject(jobID), d.String())
	s.coded(ctx, p, j, source, remark)
	return nil
}

// checkSource checks code and remark in Java's order.
func checkSource(source, remark string) *Error {
	switch {
	case blank(source):
		return invalid("there is no code", key(i18n.SystemPleaseInput), key(i18n.JobinfoGlueSource))
	case remark == "":
		return invalid("say what has changed", key(i18n.SystemPleaseInput), key(i18n.JobinfoGlueRemark))
	case chars(remark) < 4 || chars(remark) > 100:
		return invalid("", key(i18n.JobinfoGlueRemarkLimit))
	case markup(remark) || control(remark):
		return invalid("leave < and > and control characters out", key(i18n.JobinfoGlueRemark), key(i18n.SystemInvalid))
	}
	return fits(
		field{key(i18n.JobinfoGlueSource), source, maxSource},
		field{key(i18n.JobinfoGlueRemark), remark, 128},
	)
}

// GlueVersions returns the saved versions of a job's code, newest first.
func (s *Service) GlueVersions(ctx context.Context, p Principal, jobID int32) ([]*model.GlueVersion, error) {
	if _, err := s.Job(ctx, p, jobID); err != nil {
		return nil, err
	}
	return s.store.GlueVersions(ctx, jobID)
}
