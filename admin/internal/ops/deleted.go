package ops

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	maxDeletedPage = 1000 // deletions on a page
	maxParents     = 20   // that an impact names
	maxWithChild   = 100_000
)

// restoreAction is the action of the history for what came back.
const restoreAction = "restore"

// Deletion is what the deletion of jobs touches.
type Deletion struct {
	Jobs    int // that there are and that the principal may delete
	Started int // of these fire by a schedule
	model.Impact
	// Parents are other jobs that have one of these as a child, by id, at most 20;
	// those that the principal may not see have no name. Ways is how many there are.
	Parents []Parent
	Ways    int
}

// Parent is a job that runs another one behind itself.
type Parent struct {
	ID   int32
	Name string // "" for one that the principal may not see
}

// Deletion counts what the deletion of jobs touches. Jobs that are gone or of
// foreign groups are left out.
func (s *Service) Deletion(ctx context.Context, p Principal, ids []int32) (*Deletion, error) {
	jobs, err := s.JobsOf(ctx, p, ids)
	if err != nil {
		return nil, err
	}
	jobs = slices.DeleteFunc(jobs, func(j *model.Job) bool { return !p.Can(j.GroupID, model.RoleEditor) })
	d := &Deletion{Jobs: len(jobs)}
	goes := make(map[int32]bool, len(jobs))
	known := make([]int32, 0, len(jobs))
	for _, j := range jobs {
		goes[j.ID], known = true, append(known, j.ID)
		if j.Running {
			d.Started++
		}
	}
	if len(jobs) == 0 {
		return d, nil
	}
	if d.Impact, err = s.store.Impact(ctx, known); err != nil {
		return nil, err
	}
	parents, err := s.store.Parents(ctx, maxWithChild)
	if err != nil {
		return nil, err
	}
	for _, j := range parents {
		children, _ := j.ChildIDs()
		if goes[j.ID] || !slices.ContainsFunc(children, func(id int32) bool { return goes[id] }) {
			continue
		}
		if d.Ways++; len(d.Parents) == maxParents {
			continue
		}
		parent := Parent{ID: j.ID}
		if p.Can(j.GroupID, model.RoleViewer) {
			parent.Name = j.Name
		}
		d.Parents = append(d.Parents, parent)
	}
	return d, nil
}

// RestoreDays is for how many days what is deleted can be brought back: as long
// as the audit log is kept. 0 is for ever.
func (s *Service) RestoreDays(ctx context.Context) (int, error) {
	r, err := s.Limits(ctx)
	return r.AuditDays, err
}

// DeletedJobs returns jobs that were deleted and can be brought back, of the
// groups that the principal may see, the newest first; at most f.Limit (1 to
// 1,000, default 50). A group that the principal has no permission on is refused.
func (s *Service) DeletedJobs(ctx context.Context, p Principal, f model.DeletedFilter) ([]*model.Deleted, error) {
	f.GroupID = max(f.GroupID, 0)
	if f.GroupID > 0 && !p.Can(f.GroupID, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "job.list", groupObject(f.GroupID))
	}
	if err := s.needLogin(ctx, p, "job.list"); err != nil {
		return nil, err
	}
	if !p.all() {
		f.GroupIDs = p.groups()
	}
	f.Kind, f.Limit = model.ChangeJob, min(max(cmp.Or(f.Limit, 50), 1), maxDeletedPage)
	return s.store.DeletedList(ctx, f)
}

// DeletedGroups returns groups that were deleted and can be brought back, as
// DeletedJobs does for jobs. For administrators.
func (s *Service) DeletedGroups(ctx context.Context, p Principal, f model.DeletedFilter) ([]*model.Deleted, error) {
	if err := s.needAdmin(ctx, p, "group.list", ""); err != nil {
		return nil, err
	}
	f.Kind, f.Limit = model.ChangeGroup, min(max(cmp.Or(f.Limit, 50), 1), maxDeletedPage)
	return s.store.DeletedList(ctx, f)
}

// DeletedJob returns the deletion of a job that is gone and can be brought back.
// One that is there, or that was never, is an Error of kind NotFound.
func (s *Service) DeletedJob(ctx context.Context, p Principal, id int32) (*model.Deleted, error) {
	d, err := s.deletion(ctx, model.ChangeJob, id)
	if err != nil {
		if j, there := s.store.Job(ctx, id); there == nil && p.Can(j.GroupID, model.RoleViewer) {
			return nil, err
		}
		return nil, s.asForeign(ctx, p, err, "job.get", jobObject(id))
	}
	if !p.Can(d.GroupID, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "job.get", jobObject(id))
	}
	if _, err := s.store.Job(ctx, id); err == nil {
		return nil, notDeleted(jobObject(id)) // another one has its id
	} else if !notFound(err) {
		return nil, fmt.Errorf("read job %d: %w", id, err)
	}
	return d, nil
}

// DeletedGroup is DeletedJob for a group, for who has permission on it.
func (s *Service) DeletedGroup(ctx context.Context, p Principal, id int32) (*model.Deleted, error) {
	d, err := s.deletion(ctx, model.ChangeGroup, id)
	if !p.Can(id, model.RoleViewer) {
		return nil, s.denyThrown(ctx, p, "group.get", groupObject(id))
	}
	if err != nil {
		return nil, err
	}
	if _, err := s.store.Group(ctx, id); err == nil {
		return nil, notDeleted(groupObject(id))
	} else if !notFound(err) {
		return nil, fmt.Errorf("read group %d: %w", id, err)
	}
	return d, nil
}

func (s *Service) deletion(ctx context.Context, kind string, id int32) (*model.Deleted, error) {
	d, err := s.store.Deleted(ctx, kind, id)
	switch {
	case notFound(err):
		return nil, notDeleted(kind + " " + id32(id))
	case err != nil:
		return nil, fmt.Errorf("read the deletion of %s %d: %w", kind, id, err)
	}
	return d, nil
}

func notDeleted(object string) *Error {
	return &Error{
		Kind: NotFound, Parts: []Part{key(i18n.DeletedNone)},
		Detail: object + " is there, or was never, or was deleted too long ago",
	}
}

// RestoreJob brings a deleted job back: its settings, tags, code and the versions
// of that, and started if it was; not its runs. It returns its id, which is the
// one that it had unless another job has that now. Who may not write code may
// bring back a job with code all the same: it is what was there. For editors.
func (s *Service) RestoreJob(ctx context.Context, p Principal, id int32) (int32, error) {
	d, err := s.DeletedJob(ctx, p, id)
	if err != nil {
		return 0, err
	}
	return s.restoreJob(ctx, p, d)
}

func (s *Service) restoreJob(ctx context.Context, p Principal, d *model.Deleted) (int32, error) {
	if !p.Can(d.GroupID, model.RoleEditor) {
		return 0, s.deny(ctx, p, "job.restore", jobObject(d.ObjectID))
	}
	was, err := deletedState[JobState](ctx, s, d)
	if err != nil {
		return 0, err
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	if _, err := s.store.Group(ctx, was.GroupID); notFound(err) {
		return 0, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.DeletedGroupGone), lit(" (" + id32(was.GroupID) + ")")},
			Detail: "bring the executor (group) back first",
		}
	} else if err != nil {
		return 0, fmt.Errorf("read group %d: %w", was.GroupID, err)
	}
	j := s.jobOfState(was, d.Made)
	now := *was
	now.Started = j.Running
	entry := s.entry(p, change{kind: model.ChangeJob, id: d.ObjectID, action: restoreAction, after: &now})
	switch err := s.store.RestoreJob(ctx, d, j, was.Tags, entry); {
	case notFound(err):
		return 0, notDeleted(jobObject(d.ObjectID))
	case err != nil:
		return 0, fmt.Errorf("restore job %d: %w", d.ObjectID, refused(err))
	}
	detail := ""
	if j.ID != d.ObjectID {
		detail = "was " + jobObject(d.ObjectID)
	}
	s.record(ctx, p, "job.restore", jobObject(j.ID), detail)
	s.written(ctx, entry)
	if j.Running {
		s.started(ctx, j.ID)
	}
	return j.ID, nil
}

// jobOfState is a job as its state says. One that was started is started, from
// now on, unless its schedule has no further time.
func (s *Service) jobOfState(v *JobState, made time.Time) *model.Job {
	j := &model.Job{
		GlueType: v.GlueType, GlueSource: model.T(""), GlueRemark: model.T(v.CodeRemark), AddTime: made,
		UpdateTime: s.seconds(), GlueUpdated: made,
	}
	if made.IsZero() {
		j.AddTime, j.GlueUpdated = j.UpdateTime, j.UpdateTime
	}
	v.apply(j)
	j.TimeZone = v.TimeZone
	if !v.Started || j.ScheduleType == model.ScheduleNone {
		return j
	}
	next, err := s.firstMs(j, s.now())
	if j.Running = err == nil && next > 0; j.Running {
		j.NextMs = next
	}
	return j
}

// deletedState reads what was deleted.
func deletedState[T any](ctx context.Context, s *Service, d *model.Deleted) (*T, error) {
	c, err := s.store.Change(ctx, d.ChangeID)
	switch {
	case notFound(err):
		return nil, notDeleted(d.Kind + " " + id32(d.ObjectID))
	case err != nil:
		return nil, fmt.Errorf("read change %d: %w", d.ChangeID, err)
	}
	was, _, err := states[T](c)
	return &was, err
}

// RestoreGroup brings a deleted group back: app name, title and the addresses that
// were typed. Users and keys that had permission on it have it again. It returns
// its id, as RestoreJob does, and whether it had an access token of its own: that
// is not kept, so the common one counts until a new one is made. For
// administrators.
func (s *Service) RestoreGroup(ctx context.Context, p Principal, id int32) (newID int32, hadToken bool, err error) {
	if err := s.needAdmin(ctx, p, "group.restore", groupObject(id)); err != nil {
		return 0, false, err
	}
	d, err := s.DeletedGroup(ctx, p, id)
	if err != nil {
		return 0, false, err
	}
	return s.restoreGroup(ctx, p, d)
}

func (s *Service) restoreGroup(
	ctx context.Context, p Principal, d *model.Deleted,
) (newID int32, hadToken bool, err error) {
	was, err := deletedState[GroupState](ctx, s, d)
	if err != nil {
		return 0, false, err
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return 0, false, err
	}
	defer unlock()
	g := &model.Group{AppName: was.AppName, Title: was.Title, Manual: was.Manual, UpdateTime: s.seconds()}
	if g.Manual {
		g.AddressList = model.T(was.Addresses)
	}
	if err := s.checkAppName(ctx, g); err != nil {
		return 0, false, err
	}
	now := *was
	now.TokenSet = false
	entry := s.entry(p, change{kind: model.ChangeGroup, id: d.ObjectID, action: restoreAction, after: &now})
	switch err := s.store.RestoreGroup(ctx, d, g, entry); {
	case notFound(err):
		return 0, false, notDeleted(groupObject(d.ObjectID))
	case err != nil:
		return 0, false, fmt.Errorf("restore group %d: %w", d.ObjectID, refused(err))
	}
	detail := groupDiff(&model.Group{}, g)
	if g.ID != d.ObjectID {
		detail = "was " + groupObject(d.ObjectID) + "; " + detail
	}
	s.record(ctx, p, "group.restore", groupObject(g.ID), detail)
	s.written(ctx, entry)
	s.cfg.Registry.GroupsChanged()
	return g.ID, was.TokenSet, nil
}

// removed writes down that something was deleted.
func (s *Service) removed(ctx context.Context, c *model.Change, d *model.Deleted) {
	if c.ID == 0 {
		return // somebody else was faster
	}
	s.log.DebugContext(ctx, "can be brought back", slog.String("kind", d.Kind), slog.Int("object_id", int(d.ObjectID)),
		slog.Int("versions", d.Versions))
	s.written(ctx, c)
}
