package ops

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// Made is what calls have written to the history. It is safe for concurrent
// use.
type Made struct {
	mu   sync.Mutex
	list []model.Change
}

type madeKey struct{}

// Recording returns a context whose calls tell the second result what they have
// written to the history: who did something may then be offered to undo it.
func Recording(ctx context.Context) (context.Context, *Made) {
	made := &Made{}
	return context.WithValue(ctx, madeKey{}, made), made
}

func (m *Made) add(c *model.Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.list = append(m.list, *c)
}

// Undoable returns the ids of the changes that can be undone, the oldest first.
func (m *Made) Undoable() []int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []int64
	for i := range m.list {
		if Undoable(&m.list[i]) {
			ids = append(ids, m.list[i].ID)
		}
	}
	slices.Sort(ids)
	return ids
}

// Undoable reports whether a change is of those that can be undone: an update, a
// move, a start, a stop, code in place of other code, an undo, and the deletion of
// a job that has no code.
// Whether it still can depends on what has happened since.
func Undoable(c *model.Change) bool {
	both := c.Before.Valid && c.After.Valid
	switch c.Action {
	case "update", moveAction, "undo":
		return both
	case "start", "stop":
		return both && c.Kind == model.ChangeJob
	case "code":
		var before JobState
		return both && json.Unmarshal([]byte(c.Before.S), &before) == nil && before.CodeVersion > 0
	case "delete":
		var before JobState
		return c.Kind == model.ChangeJob && json.Unmarshal([]byte(c.Before.S), &before) == nil &&
			before.GlueType == model.GlueBean
	}
	return false
}

// Undo sets a job or group back to what it was before a change, and returns the
// newest change of the object then. [Undoable] says which changes can be undone.
// An object that has been changed since is refused, unless forced. A job that
// was deleted comes back as it was, under another id and without its runs: the
// change that is returned is then that of the new job.
func (s *Service) Undo(ctx context.Context, p Principal, id int64, force bool) (*model.Change, error) {
	c, err := s.Change(ctx, p, id)
	if err != nil {
		return nil, err
	}
	object := c.ObjectID
	switch {
	case !Undoable(c):
		err = final("a creation cannot be undone, nor the deletion of a group or of a job with code")
	case c.Kind == model.ChangeGroup:
		err = s.undoGroup(ctx, p, c, force)
	case c.Action == "code":
		err = s.undoCode(ctx, p, c, force)
	case c.Action == "delete":
		object, err = s.undelete(ctx, p, c, force)
	default:
		err = s.undoJob(ctx, p, c, force)
	}
	if errors.Is(err, ErrStale) {
		err = &Error{
			Kind: Conflict, Parts: []Part{key(i18n.ChangeStale)},
			Detail: "look at the later changes first, or force it",
		}
	}
	if err != nil {
		return nil, err
	}
	list, err := s.store.Changes(ctx, c.Kind, object, 1, 0)
	if err != nil {
		return nil, fmt.Errorf("read changes: %w", err)
	}
	if len(list) == 0 {
		return c, nil
	}
	return list[0], nil
}

func final(detail string) *Error {
	return &Error{Kind: Conflict, Parts: []Part{key(i18n.ChangeFinal)}, Detail: detail}
}

// states reads what was before and after a change.
func states[T any](c *model.Change) (before, after T, err error) {
	if c.Before.Valid {
		err = json.Unmarshal([]byte(c.Before.S), &before)
	}
	if c.After.Valid {
		err = errors.Join(err, json.Unmarshal([]byte(c.After.S), &after))
	}
	if err != nil {
		err = fmt.Errorf("read change %d: %w", c.ID, err)
	}
	return before, after, err
}

func (s *Service) undoJob(ctx context.Context, p Principal, c *model.Change, force bool) error {
	before, after, err := states[JobState](c)
	if err != nil {
		return err
	}
	j, err := s.Job(ctx, p, c.ObjectID)
	if err != nil {
		return err
	}
	if c.Action == "start" || c.Action == "stop" {
		switch {
		case j.Running != after.Started && !force:
			return ErrStale
		case before.Started:
			return s.StartJob(ctx, p, j.ID)
		}
		return s.StopJob(ctx, p, j.ID)
	}
	if moved := after; before.GroupID != after.GroupID {
		if moved.GroupID = before.GroupID; moved.settings() == before.settings() {
			return s.unmove(ctx, p, c.ObjectID, &before, &after, force)
		}
	}
	want := &model.Job{ID: j.ID}
	before.apply(want)
	return s.EditJob(ctx, p, JobEdit{
		Job: want, Tags: &before.Tags, action: "undo",
		Match: func(now *model.Job, tags []string) bool {
			return force || jobState(now, tags).settings() == after.settings()
		},
	})
}

// undoCode makes the version that was replaced the code again. It has to be
// among those that are kept.
func (s *Service) undoCode(ctx context.Context, p Principal, c *model.Change, force bool) error {
	before, after, err := states[JobState](c)
	if err != nil {
		return err
	}
	list, err := s.GlueVersions(ctx, p, c.ObjectID)
	if err != nil {
		return err
	}
	if !force && (len(list) == 0 || list[0].ID != after.CodeVersion) {
		return ErrStale
	}
	return s.RestoreGlue(ctx, p, c.ObjectID, before.CodeVersion, "")
}

// undelete makes a job that was deleted anew. That it has come back is written
// to the history of the old one too, so that it comes back once.
func (s *Service) undelete(ctx context.Context, p Principal, c *model.Change, force bool) (int32, error) {
	before, _, err := states[JobState](c)
	if err != nil {
		return 0, err
	}
	unlock, err := s.lockEdits(ctx)
	if err != nil {
		return 0, err
	}
	defer unlock()
	last, err := s.store.Changes(ctx, c.Kind, c.ObjectID, 1, 0)
	if err != nil {
		return 0, fmt.Errorf("read changes: %w", err)
	}
	if !force && len(last) > 0 && last[0].ID != c.ID {
		return 0, ErrStale
	}
	j := &model.Job{GlueType: before.GlueType}
	before.apply(j)
	j.Running = before.Started && j.ScheduleType != model.ScheduleNone
	j.TimeZone = before.TimeZone
	id, err := s.CreateTagged(ctx, p, j, before.Tags)
	if err != nil {
		return 0, err
	}
	s.changed(ctx, p, change{kind: c.Kind, id: c.ObjectID, action: "undo", after: &before})
	return id, nil
}

func (s *Service) undoGroup(ctx context.Context, p Principal, c *model.Change, force bool) error {
	before, after, err := states[GroupState](c)
	if err != nil {
		return err
	}
	want := &model.Group{
		ID: c.ObjectID, AppName: before.AppName, Title: before.Title, Manual: before.Manual,
		AddressList: model.T(before.Addresses),
	}
	return s.EditGroup(ctx, p, want, func(now *Group) bool {
		return force || *groupState(&now.Group) == after
	})
}
