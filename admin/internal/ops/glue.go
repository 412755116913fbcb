package ops

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxRemark is how many characters the remark of a version may have.
const maxRemark = 100

// glueKnown reports whether the protocol knows the glue type.
func glueKnown(t string) bool { return slices.Contains(model.GlueTypes(), t) }

// MayCode reports whether the principal may write code that executors run, in
// the groups whose editor it is.
func (s *Service) MayCode(p Principal) bool {
	return s.cfg.CodeEditing && p.known() && (p.Admin || p.Code)
}

// needCode refuses who may not write code.
func (s *Service) needCode(ctx context.Context, p Principal, action, object string) *Error {
	if s.MayCode(p) {
		return nil
	}
	e := s.deny(ctx, p, action, object)
	e.Parts = []Part{key(i18n.JobinfoGlueOff)}
	e.Own = ""
	e.Detail = "an administrator can give the permission to write code"
	if !s.cfg.CodeEditing {
		e.Detail = "an operator of the admin can switch it on with --code-editing"
	}
	return e
}

// SaveGlue stores a new version of a job's code; executors load it with the
// next run. The newest 30 versions are kept.
func (s *Service) SaveGlue(ctx context.Context, p Principal, jobID int32, source, remark string) error {
	j, err := s.store.Job(ctx, jobID)
	if err != nil && !notFound(err) {
		return fmt.Errorf("read job %d: %w", jobID, err)
	}
	if err == nil && !p.Can(j.GroupID, model.RoleEditor) || err != nil && !s.mayMiss(ctx, p, jobID) {
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
		User: p.Name,
	}
	if err := s.store.SaveGlue(ctx, v); err != nil {
		return fmt.Errorf("save the code of job %d: %w", jobID, refused(err))
	}
	var d diff
	d.size("glue_source", j.GlueSource.S, source)
	d.text("glue_remark", j.GlueRemark.S, remark)
	s.record(ctx, p, "job.code", jobObject(jobID), d.String())
	s.coded(ctx, p, j, v)
	return nil
}

// firstCode makes the code with which a job begins its first version, so that it is
// known whose it is. The job is there already: a fault of the database costs that alone.
func (s *Service) firstCode(ctx context.Context, p Principal, j *model.Job) {
	if j.GlueType == model.GlueBean || j.GlueSource.S == "" {
		return
	}
	err := s.store.SaveGlue(context.WithoutCancel(ctx), &model.GlueVersion{
		JobID: j.ID, GlueType: j.GlueType, Source: j.GlueSource, Remark: j.GlueRemark.S,
		AddTime: j.GlueUpdated, Updated: j.GlueUpdated, User: p.Name,
	})
	if err != nil {
		s.log.ErrorContext(ctx, "who saved the first code is not on record", slog.Int("job_id", int(j.ID)),
			slog.Any("err", err))
	}
}

// checkSource checks code and remark in Java's order.
func checkSource(source, remark string) *Error {
	switch {
	case blank(source):
		return invalid("there is no code", key(i18n.SystemPleaseInput), key(i18n.JobinfoGlueSource))
	case remark == "":
		return invalid("say what has changed", key(i18n.SystemPleaseInput), key(i18n.JobinfoGlueRemark))
	case chars(remark) < 4 || chars(remark) > maxRemark:
		return invalid("", key(i18n.JobinfoGlueRemarkLimit))
	case markup(remark) || control(remark):
		return noMarkup(key(i18n.JobinfoGlueRemark))
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

// GlueVersion returns a saved version of a job's code.
func (s *Service) GlueVersion(ctx context.Context, p Principal, jobID, id int32) (*model.GlueVersion, error) {
	list, err := s.GlueVersions(ctx, p, jobID)
	if err != nil {
		return nil, err
	}
	for _, v := range list {
		if v.ID == id {
			return v, nil
		}
	}
	e := &Error{
		Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)},
		Detail: fmt.Sprintf("job %d has no version %d: the newest 30 are kept", jobID, id),
	}
	return nil, e.own("refused.code.gone", jobID, id)
}

// RestoreGlue makes a saved version the code of its job, as a new version. A
// remark that is empty says which version it was.
func (s *Service) RestoreGlue(ctx context.Context, p Principal, jobID, id int32, remark string) error {
	v, err := s.GlueVersion(ctx, p, jobID, id)
	if err != nil {
		return err
	}
	if remark == "" {
		remark = s.cfg.Lang.Console("code.restored", v.ID, v.Remark)
	}
	return s.SaveGlue(ctx, p, jobID, v.Source.S, plainRemark(remark))
}

// plainRemark makes a remark of one that an older admin took as it came.
func plainRemark(remark string) string {
	remark = strings.Map(func(r rune) rune {
		switch {
		case r == '<':
			return '‹'
		case r == '>':
			return '›'
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, remark)
	if runes := []rune(remark); len(runes) > maxRemark {
		return string(runes[:maxRemark-1]) + "…"
	}
	return remark
}
