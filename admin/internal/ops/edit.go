package ops

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// ErrStale is returned when an object is not in the version any more that an
// edit is meant for.
var ErrStale = errors.New("ops: the object has been changed since")

const (
	maxTags = 32
	maxTag  = 64 // characters
)

// JobEdit is an edit of a job.
type JobEdit struct {
	Job  *model.Job
	Tags *[]string // nil leaves them as they are
	// Match, unless it is nil, says that the job as it stands is the one that
	// is meant. Edits on this node do not come between its answer and the
	// writing.
	Match func(job *model.Job, tags []string) bool

	action string // "" is update
}

// EditJob is UpdateJob with tags, and for a certain version of the job: for
// another one it returns ErrStale.
func (s *Service) EditJob(ctx context.Context, p Principal, in JobEdit) error {
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	old, err := s.store.Job(ctx, in.Job.ID)
	if err != nil && !notFound(err) {
		return fmt.Errorf("read job %d: %w", in.Job.ID, err)
	}
	known := err == nil
	foreign := known && !p.Can(old.GroupID, model.RoleEditor) || !known && !s.mayMiss(ctx, p, in.Job.ID)
	if foreign || !p.Can(in.Job.GroupID, model.RoleEditor) {
		return s.denyThrown(ctx, p, "job.update", jobObject(in.Job.ID))
	}
	if !known {
		old = &model.Job{ID: in.Job.ID}
	}
	j := edited(old, in.Job)
	j.UpdateTime = s.seconds()
	tags, err := s.checkEdit(ctx, p, in, old, j, known)
	if err != nil {
		return err
	}
	if err := s.write(ctx, old, j); err != nil {
		return err
	}
	after := tags
	if in.Tags != nil && !slices.Equal(tags, *in.Tags) {
		if err := s.store.SetTags(ctx, j.ID, *in.Tags); err != nil {
			return fmt.Errorf("update job %d: %w", j.ID, refused(err))
		}
		after = *in.Tags
	}
	s.record(ctx, p, "job.update", jobObject(j.ID), jobDiff(old, j))
	action := "update"
	if in.action != "" {
		action = in.action
	}
	s.changed(ctx, p, change{
		kind: model.ChangeJob, id: j.ID, action: action, before: jobState(old, tags), after: jobState(j, after),
	})
	return nil
}

// checkEdit checks an edited job in Java's order, and returns the tags that it
// has.
func (s *Service) checkEdit(
	ctx context.Context, p Principal, in JobEdit, old, j *model.Job, known bool,
) ([]string, error) {
	var tags []string
	if known {
		tags = s.tagsOf(ctx, j.ID)
		if in.Match != nil && !in.Match(old, tags) {
			return nil, ErrStale
		}
	}
	if in.Tags != nil {
		if e := checkTags(*in.Tags); e != nil {
			return nil, e
		}
	}
	if e := s.checkCommon(j, func() *Error { return needHandler(j) }); e != nil {
		return nil, e
	}
	if err := s.checkChildren(ctx, p, j); err != nil {
		return nil, err
	}
	if _, err := s.store.Group(ctx, j.GroupID); notFound(err) {
		return nil, invalid("there is no executor (group) "+id32(j.GroupID),
			key(i18n.JobinfoFieldJobgroup), key(i18n.SystemInvalid))
	} else if err != nil {
		return nil, fmt.Errorf("read group %d: %w", j.GroupID, err)
	}
	if !known {
		return nil, &Error{
			Kind: NotFound, Parts: []Part{key(i18n.JobinfoFieldID), key(i18n.SystemNotFound)},
			Detail: "there is no job " + id32(j.ID),
		}
	}
	return tags, nil
}

// tagsOf returns the tags of a job for its history. A fault is only reported.
func (s *Service) tagsOf(ctx context.Context, id int32) []string {
	tags, err := s.store.Tags(ctx, []int32{id})
	if err != nil {
		s.log.WarnContext(ctx, "tags not read", slog.Int("job_id", int(id)), slog.Any("err", err))
	}
	return tags[id]
}

// Tags returns the tags of jobs by job, each in alphabetical order, for who may
// see the jobs: it is for jobs that this package has returned.
func (s *Service) Tags(ctx context.Context, jobs []*model.Job) (map[int32][]string, error) {
	ids := make([]int32, len(jobs))
	for i, j := range jobs {
		ids[i] = j.ID
	}
	return s.store.Tags(ctx, ids)
}

// maxTagCounts is how many tags TagCounts lists.
const maxTagCounts = 200

// TagCounts returns the tags of the jobs that the principal may see with how many
// jobs have each, the most used first; at most 200.
func (s *Service) TagCounts(ctx context.Context, p Principal) ([]model.TagCount, error) {
	if err := s.needLogin(ctx, p, "tag.list"); err != nil {
		return nil, err
	}
	if p.all() {
		return s.store.TagCounts(ctx, nil, maxTagCounts)
	}
	return s.store.TagCounts(ctx, p.groups(), maxTagCounts)
}

func checkTags(tags []string) *Error {
	bad := func(why string) *Error { return invalid(why, key(i18n.JobinfoFieldTags), key(i18n.SystemInvalid)) }
	if len(tags) > maxTags {
		return bad(fmt.Sprintf("a job has at most %d tags", maxTags))
	}
	for _, tag := range tags {
		switch {
		case blank(tag) || control(tag) || markup(tag) || !storable(tag):
			return bad("leave empty tags, < and > and control characters out")
		case strings.ContainsAny(tag, ",，"):
			e := bad(fmt.Sprintf("the tag %q has a comma: write two tags, or no comma", tag))
			e.Own, e.OwnArgs = "refused.tag.comma", []any{tag}
			return e
		case size(tag, maxTag) > maxTag:
			return bad(fmt.Sprintf("a tag has at most %d characters", maxTag))
		}
	}
	return nil
}
