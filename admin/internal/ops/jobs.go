package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// ServerZone as Job.TimeZone of UpdateJob takes a job's own zone away.
const ServerZone = "server"

// ListJobs returns a page of jobs, newest id first, and how many there are. A
// group that the principal has no permission on is refused; without a group
// (GroupID 0 or below) the list holds the groups that the principal may see.
func (s *Service) ListJobs(ctx context.Context, p Principal, f model.JobFilter) ([]*model.Job, int, error) {
	ok, err := s.scopeJobs(ctx, p, &f)
	if err != nil || !ok {
		return nil, 0, err
	}
	return s.store.Jobs(ctx, f)
}

// scopeJobs narrows a filter to what the principal may see; ok is false when
// that is nothing.
func (s *Service) scopeJobs(ctx context.Context, p Principal, f *model.JobFilter) (ok bool, err error) {
	f.GroupID = max(f.GroupID, 0)
	if f.GroupID > 0 && !p.Can(f.GroupID, model.RoleViewer) {
		return false, s.denyThrown(ctx, p, "job.list", "group "+id32(f.GroupID))
	}
	if err := s.needLogin(ctx, p, "job.list"); err != nil {
		return false, err
	}
	if !p.all() {
		if len(p.groups()) == 0 {
			return false, nil
		}
		f.GroupIDs = p.groups()
	}
	return true, nil
}

// Job returns a job.
func (s *Service) Job(ctx context.Context, p Principal, id int32) (*model.Job, error) {
	return s.jobFor(ctx, p, id, model.RoleViewer, "job.get", s.denyThrown)
}

// job loads a job; an unknown id is an Error.
func (s *Service) job(ctx context.Context, id int32) (*model.Job, error) {
	j, err := s.store.Job(ctx, id)
	switch {
	case notFound(err):
		return nil, noJob(id)
	case err != nil:
		return nil, fmt.Errorf("read job %d: %w", id, err)
	}
	return j, nil
}

func noJob(id int32) *Error {
	return &Error{
		Kind: NotFound, Parts: []Part{key(i18n.JobinfoGlueJobidInvalid)}, Detail: "there is no job " + id32(id),
	}
}

func jobObject(id int32) string { return "job " + id32(id) }

// CreateJob stores a new job and returns its id. Of in the fields that an
// editor sets are used, and Running: a job that is created running is started,
// with a next time of its own. Texts that are not Valid count as missing.
func (s *Service) CreateJob(ctx context.Context, p Principal, in *model.Job) (int32, error) {
	return s.CreateTagged(ctx, p, in, nil)
}

// CreateTagged is CreateJob with tags.
func (s *Service) CreateTagged(ctx context.Context, p Principal, in *model.Job, tags []string) (int32, error) {
	if !p.Can(in.GroupID, model.RoleEditor) {
		return 0, s.denyThrown(ctx, p, "job.create", "group "+id32(in.GroupID))
	}
	j := *in
	now := s.seconds()
	j.ID, j.AddTime, j.UpdateTime, j.GlueUpdated = 0, now, now, now
	j.LastMs, j.NextMs = 0, 0
	normalise(&j)
	if err := s.checkNew(ctx, p, &j); err != nil {
		return 0, err
	}
	if e := checkTags(tags); e != nil {
		return 0, e
	}
	if j.Running {
		if j.ScheduleType == model.ScheduleNone {
			return 0, noStart()
		}
		var err error
		if j.NextMs, err = s.firstMs(&j, s.now()); err != nil {
			return 0, err
		}
	}
	if err := s.store.CreateJob(ctx, &j); err != nil {
		return 0, fmt.Errorf("create a job: %w", refused(err))
	}
	if len(tags) > 0 {
		if err := s.store.SetTags(ctx, j.ID, tags); err != nil {
			return j.ID, fmt.Errorf("create a job: %w", refused(err))
		}
	}
	s.firstCode(ctx, p, &j)
	s.record(ctx, p, "job.create", jobObject(j.ID), jobDiff(&model.Job{}, &j))
	s.changed(ctx, p, change{kind: model.ChangeJob, id: j.ID, action: "create", after: jobState(&j, tags)})
	if j.Running {
		s.started(ctx, j.ID)
	}
	return j.ID, nil
}

// normalise repairs what the Java admin takes as it comes.
func normalise(j *model.Job) {
	j.Handler.S = strings.TrimSpace(j.Handler.S)
	j.TimeoutSec, j.Retries = max(j.TimeoutSec, 0), max(j.Retries, 0)
	switch j.GlueType {
	case "GLUE_SHELL":
		j.GlueSource.S = strings.ReplaceAll(j.GlueSource.S, "\r", "")
	case model.GlueBean:
		j.GlueSource.S = ""
	}
}

// checkNew checks a job that is to be created, in Java's order.
func (s *Service) checkNew(ctx context.Context, p Principal, j *model.Job) error {
	if _, err := s.store.Group(ctx, j.GroupID); notFound(err) {
		return invalid("there is no executor (group) "+id32(j.GroupID),
			key(i18n.SystemPleaseChoose), key(i18n.JobinfoFieldJobgroup))
	} else if err != nil {
		return fmt.Errorf("read group %d: %w", j.GroupID, err)
	}
	if e := s.checkCommon(j, func() *Error { return s.checkCode(ctx, p, j) }); e != nil {
		return e
	}
	return s.checkChildren(ctx, p, j)
}

// checkCode checks what a job runs.
func (s *Service) checkCode(ctx context.Context, p Principal, j *model.Job) *Error {
	if !glueKnown(j.GlueType) {
		return invalid("use BEAN or one of the GLUE types", key(i18n.JobinfoFieldGluetype), key(i18n.SystemInvalid))
	}
	if j.GlueType == model.GlueBean {
		return needHandler(j)
	}
	return s.needCode(ctx, p, "job.create", "group "+id32(j.GroupID))
}

func needHandler(j *model.Job) *Error {
	if j.GlueType == model.GlueBean && blank(j.Handler.S) {
		return invalid("a BEAN job names the handler that the executor has registered",
			key(i18n.SystemPleaseInput), lit("JobHandler"))
	}
	return nil
}

// checkCommon checks what create and update have in common; code is called
// where create checks what the job runs.
func (s *Service) checkCommon(j *model.Job, code func() *Error) *Error {
	for _, check := range s.commonChecks(j, code) {
		if e := check(); e != nil {
			return e
		}
	}
	return nil
}

// commonChecks are the checks of checkCommon in Java's order.
func (s *Service) commonChecks(j *model.Job, code func() *Error) []func() *Error {
	refuse := func(bad bool, detail string, parts ...Part) func() *Error {
		return func() *Error {
			if !bad {
				return nil
			}
			return invalid(detail, parts...)
		}
	}
	checks := []func() *Error{
		refuse(blank(j.Name), "say what the job does", key(i18n.SystemPleaseInput), key(i18n.JobinfoFieldJobdesc)),
		refuse(blank(j.Author.S), "say who looks after the job",
			key(i18n.SystemPleaseInput), key(i18n.JobinfoFieldAuthor)),
		func() *Error { return checkSchedule(j) },
		func() *Error { return s.checkZone(j) },
		code,
		refuse(!j.Route.Valid(), "use one of the ten route strategies, for example FIRST",
			key(i18n.JobinfoFieldExecutorRouteStrategy), key(i18n.SystemInvalid)),
		refuse(!j.Misfire.Valid(), "use DO_NOTHING or FIRE_ONCE_NOW",
			key(i18n.MisfireStrategy), key(i18n.SystemInvalid)),
		refuse(!j.Block.Valid(), "use SERIAL_EXECUTION, DISCARD_LATER or COVER_EARLY",
			key(i18n.JobinfoFieldExecutorBlockStrategy), key(i18n.SystemInvalid)),
	}
	for _, f := range []field{
		{key(i18n.JobinfoFieldJobdesc), j.Name, 255},
		{key(i18n.JobinfoFieldAuthor), j.Author.S, 64},
		{key(i18n.JobinfoFieldAlarmemail), j.AlarmEmail.S, 255},
		{key(i18n.ScheduleType), j.ScheduleConf.S, 128},
		{key(i18n.ScheduleZone), j.TimeZone, 64},
		{lit("JobHandler"), j.Handler.S, 255},
		{key(i18n.JobinfoFieldExecutorparam), j.Param.S, s.cfg.ParamMax},
		{key(i18n.JobinfoGlueSource), j.GlueSource.S, maxSource},
		{key(i18n.JobinfoGlueRemark), j.GlueRemark.S, 128},
		childrenField(j.Children.S),
	} {
		checks = append(checks, func() *Error { return fits(f) })
	}
	return checks
}

// UpdateJob changes the fields of a job that an editor sets; never its status,
// its code or its glue type. An empty TimeZone keeps the zone (clients of the
// Java admin know none); ServerZone takes it away. A running job whose
// schedule changes goes on with the first time of the new one, and what was
// planned by the old one and not sent is cancelled.
func (s *Service) UpdateJob(ctx context.Context, p Principal, in *model.Job) error {
	return s.EditJob(ctx, p, JobEdit{Job: in})
}

// edited returns old with the editor's fields of in.
func edited(old, in *model.Job) *model.Job {
	j := *old
	j.GroupID, j.Name, j.Author, j.AlarmEmail = in.GroupID, in.Name, in.Author, in.AlarmEmail
	j.ScheduleType, j.ScheduleConf, j.Misfire = in.ScheduleType, in.ScheduleConf, in.Misfire
	j.Route, j.Handler, j.Param, j.Block = in.Route, in.Handler, in.Param, in.Block
	j.TimeoutSec, j.Retries, j.Children = in.TimeoutSec, in.Retries, in.Children
	switch in.TimeZone {
	case "":
	case ServerZone:
		j.TimeZone = ""
	default:
		j.TimeZone = in.TimeZone
	}
	source := j.GlueSource
	normalise(&j)
	j.GlueSource = source
	return &j
}

// write stores an edited job, and moves a running one to its new schedule.
func (s *Service) write(ctx context.Context, old, j *model.Job) error {
	moved := old.ScheduleType != j.ScheduleType || old.ScheduleConf.S != j.ScheduleConf.S ||
		old.TimeZone != j.TimeZone
	if !old.Running || !moved {
		if err := s.store.UpdateJob(ctx, j, nil); err != nil {
			return fmt.Errorf("update job %d: %w", j.ID, refused(err))
		}
		return nil
	}
	err := s.cfg.Scheduler.Change(ctx, j.ID, func(ctx context.Context) error {
		if s.cfg.Scheduler.Owns(j.ID) { // what is planned is taken back behind this
			next, err := s.firstMs(j, s.now())
			if err != nil {
				return err
			}
			return refused(s.store.UpdateJob(ctx, j, &next))
		}
		return s.behindPlanned(j, func(next int64) error { return s.store.MoveJob(ctx, j, next) })
	})
	if err != nil {
		return fmt.Errorf("update job %d: %w", j.ID, err)
	}
	s.started(ctx, j.ID)
	return nil
}

// behindPlanned calls write with the first instant from now on that comes after
// every run of the job which another node has planned already: that one sends
// them, so they must not be planned again.
func (s *Service) behindPlanned(j *model.Job, write func(nextMs int64) error) error {
	after := s.now()
	for {
		next, err := s.firstMs(j, after)
		if err != nil {
			return err
		}
		err = write(next)
		var planned *store.PlannedError
		if !errors.As(err, &planned) {
			return refused(err)
		}
		after = time.UnixMilli(planned.UntilMs)
	}
}

// DeleteJob deletes a job with its logs and its open runs: what was planned is not
// sent any more; what an executor has taken goes on there, and its result is not
// kept. RestoreJob brings back the rest. A job that does not exist is no error.
// For editors.
func (s *Service) DeleteJob(ctx context.Context, p Principal, id int32) error {
	j, err := s.store.Job(ctx, id)
	switch {
	case notFound(err) && s.mayMiss(ctx, p, id):
		return s.needLogin(ctx, p, "job.delete")
	case notFound(err):
		return s.deny(ctx, p, "job.delete", jobObject(id))
	case err != nil:
		return fmt.Errorf("read job %d: %w", id, err)
	case !p.Can(j.GroupID, model.RoleEditor):
		return s.deny(ctx, p, "job.delete", jobObject(id))
	}
	// Stopped first: deleting many log rows takes time, during which planning
	// must go on.
	if err := s.stop(ctx, id); err != nil {
		return err
	}
	c := s.entry(p, change{kind: model.ChangeJob, id: id, action: "delete", before: jobState(j, s.tagsOf(ctx, id))})
	d := &model.Deleted{
		Kind: c.Kind, ObjectID: id, GroupID: j.GroupID, Name: j.Name, At: c.At, Made: j.AddTime, User: p.Name,
	}
	if err := s.store.RemoveJob(ctx, c, d); err != nil {
		return fmt.Errorf("delete job %d: %w", id, err)
	}
	s.record(ctx, p, "job.delete", jobObject(id), jobDiff(j, &model.Job{}))
	s.removed(ctx, c, d)
	return nil
}

// StartJob makes a job fire from now on. One that is running stays as it is. For
// operators.
func (s *Service) StartJob(ctx context.Context, p Principal, id int32) error {
	j, err := s.jobFor(ctx, p, id, model.RoleOperator, "job.start", s.deny)
	switch {
	case err != nil:
		return err
	case j.ScheduleType == model.ScheduleNone:
		return noStart()
	case j.Running && j.NextMs > 0:
		return nil
	}
	err = s.behindPlanned(j, func(next int64) error { return s.store.SetRunning(ctx, id, true, next) })
	if err != nil {
		return fmt.Errorf("start job %d: %w", id, err)
	}
	s.record(ctx, p, "job.start", jobObject(id), "")
	s.switched(ctx, p, j, true)
	s.started(ctx, id)
	return nil
}

func noStart() *Error {
	return &Error{
		Kind: Conflict, Parts: []Part{key(i18n.ScheduleTypeNoneLimitStart)},
		Detail: "give the job a schedule of type CRON or FIX_RATE first",
	}
}

// started wakes the scheduler. Without it the job fires too, a pass later.
func (s *Service) started(ctx context.Context, id int32) {
	if err := s.cfg.Scheduler.Started(ctx, id); err != nil {
		s.log.WarnContext(ctx, "scheduler not woken", slog.Int("job_id", int(id)), slog.Any("err", err))
	}
}

// StopJob makes a job fire no more, and cancels what was planned and not sent. For
// operators.
func (s *Service) StopJob(ctx context.Context, p Principal, id int32) error {
	j, err := s.jobFor(ctx, p, id, model.RoleOperator, "job.stop", s.deny)
	if err != nil {
		return err
	}
	if err := s.stop(ctx, id); err != nil {
		return err
	}
	s.record(ctx, p, "job.stop", jobObject(id), "")
	s.switched(ctx, p, j, false)
	return nil
}

func (s *Service) stop(ctx context.Context, id int32) error {
	err := s.cfg.Scheduler.Change(ctx, id, func(ctx context.Context) error {
		return refused(s.store.SetRunning(ctx, id, false, 0))
	})
	if err != nil {
		return fmt.Errorf("stop job %d: %w", id, err)
	}
	return nil
}
