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

// Undoable reports whether a change is of those that can be undone: all but the
// first code of a job, which took the place of none. Whether it still can depends
// on what has happened since.
func Undoable(c *model.Change) bool {
	both := c.Before.Valid && c.After.Valid
	switch c.Action {
	case "start", "stop":
		return both && c.Kind == model.ChangeJob
	case "code":
		var before JobState
		return both && json.Unmarshal([]byte(c.Before.S), &before) == nil && before.CodeVersion > 0
	}
	return c.Before.Valid || c.After.Valid
}

// Undo sets back what a change has changed, and returns the newest change of the
// object then. [Undoable] says which changes can be undone. An object that has
// been changed since is refused, unless forced. The undo of a creation is a
// deletion: it is refused for a job that has run, too, and for a group that has
// jobs. That of a deletion is RestoreJob or RestoreGroup, which nothing can force
// twice: the change that is returned may be that of another id.
func (s *Service) Undo(ctx context.Context, p Principal, id int64, force bool) (*model.Change, error) {
	c, err := s.Change(ctx, p, id)
	if err != nil {
		return nil, err
	}
	object := c.ObjectID
	switch {
	case !Undoable(c):
		err = final("the first code of a job took the place of none")
	case c.Kind == model.ChangeRule:
		err = s.undoRule(ctx, p, c, force)
	case c.Kind == model.ChangeMute:
		err = s.undoMute(ctx, p, c, force)
	case !c.After.Valid:
		object, err = s.undelete(ctx, p, c)
	case c.Kind == model.ChangeGroup && !c.Before.Valid:
		err = s.uncreateGroup(ctx, p, c, force)
	case c.Kind == model.ChangeGroup:
		err = s.undoGroup(ctx, p, c, force)
	case !c.Before.Valid:
		err = s.uncreateJob(ctx, p, c, force)
	case c.Action == "code":
		err = s.undoCode(ctx, p, c, force)
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

// undelete brings back what was deleted: once, and nothing is in the way of it.
func (s *Service) undelete(ctx context.Context, p Principal, c *model.Change) (id int32, err error) {
	d, err := s.deletion(ctx, c.Kind, c.ObjectID)
	var none *Error
	switch {
	case errors.As(err, &none) || err == nil && d.ChangeID != c.ID:
		return 0, ErrStale
	case err != nil:
		return 0, err
	case c.Kind == model.ChangeJob:
		return s.restoreJob(ctx, p, d)
	}
	if err := s.needAdmin(ctx, p, "group.restore", groupObject(c.ObjectID)); err != nil {
		return 0, err
	}
	id, _, err = s.restoreGroup(ctx, p, d)
	return id, err
}

// uncreateJob deletes a job that was created, or that came back, if it is as it
// was then and has not run. It can be brought back.
func (s *Service) uncreateJob(ctx context.Context, p Principal, c *model.Change, force bool) error {
	j, err := s.Job(ctx, p, c.ObjectID)
	if err != nil {
		return err
	}
	if force {
		return s.DeleteJob(ctx, p, j.ID)
	}
	_, after, err := states[JobState](c)
	if err != nil {
		return err
	}
	after.CodeVersion = 0
	if stateText(jobState(j, s.tagsOf(ctx, j.ID))) != stateText(&after) {
		return ErrStale
	}
	_, runs, err := s.store.Logs(ctx, model.LogFilter{JobID: j.ID, Limit: 1})
	switch {
	case err != nil:
		return fmt.Errorf("read the runs of job %d: %w", j.ID, err)
	case runs > 0:
		return &Error{
			Kind: Conflict, Parts: []Part{key(i18n.ChangeRan)},
			Detail: "its runs would be deleted with it: delete it if that is meant",
		}
	}
	return s.DeleteJob(ctx, p, j.ID)
}

// uncreateGroup is uncreateJob for a group.
func (s *Service) uncreateGroup(ctx context.Context, p Principal, c *model.Change, force bool) error {
	_, after, err := states[GroupState](c)
	if err != nil {
		return err
	}
	g, err := s.Group(ctx, p, c.ObjectID)
	switch {
	case err != nil:
		return err
	case !force && *groupState(&g.Group) != after:
		return ErrStale
	}
	return s.DeleteGroup(ctx, p, c.ObjectID)
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
	return s.editGroup(ctx, p, want, "undo", func(now *Group) bool {
		return force || *groupState(&now.Group) == after
	})
}
