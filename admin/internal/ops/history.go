package ops

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxChanges is how many changes of one object a list holds at most: more than are
// kept.
const maxChanges = 1000

// JobState is what the history keeps of a job: what an editor sets, and whether
// it is started. The code is kept in its own versions.
type JobState struct {
	GroupID      int32    `json:"group_id"`
	Name         string   `json:"name"`
	Author       string   `json:"author"`
	AlarmEmail   string   `json:"alarm_email"`
	ScheduleType string   `json:"schedule_type"`
	ScheduleConf string   `json:"schedule_conf"`
	TimeZone     string   `json:"time_zone"`
	Misfire      string   `json:"misfire"`
	Route        string   `json:"route"`
	Block        string   `json:"block"`
	Handler      string   `json:"handler"`
	Param        string   `json:"param"`
	TimeoutSec   int32    `json:"timeout_s"`
	Retries      int32    `json:"retries"`
	Children     string   `json:"children"`
	Tags         []string `json:"tags"`
	GlueType     string   `json:"code_type"`
	CodeBytes    int      `json:"code_bytes"`
	CodeRemark   string   `json:"code_remark"`
	CodeVersion  int32    `json:"code_version,omitempty"` // 0 but for changes of the code
	Started      bool     `json:"started"`
}

// GroupState is what the history keeps of a group: never its token.
type GroupState struct {
	AppName   string `json:"app_name"`
	Title     string `json:"title"`
	Manual    bool   `json:"manual"`
	Addresses string `json:"addresses"` // of a manual group
	// TokenSet says of a group that was deleted that it had a token of its own.
	TokenSet bool `json:"token_set,omitempty"`
}

func jobState(j *model.Job, tags []string) *JobState {
	tags = slices.Sorted(slices.Values(tags))
	if tags == nil {
		tags = []string{}
	}
	return &JobState{
		GroupID: j.GroupID, Name: j.Name, Author: j.Author.S, AlarmEmail: j.AlarmEmail.S,
		ScheduleType: string(j.ScheduleType), ScheduleConf: j.ScheduleConf.S, TimeZone: j.TimeZone,
		Misfire: string(j.Misfire), Route: string(j.Route), Block: string(j.Block), Handler: j.Handler.S,
		Param: j.Param.S, TimeoutSec: j.TimeoutSec, Retries: j.Retries, Children: j.Children.S, Tags: tags,
		GlueType: j.GlueType, CodeBytes: len(j.GlueSource.S), CodeRemark: j.GlueRemark.S, Started: j.Running,
	}
}

// apply sets what an edit may set.
func (v *JobState) apply(j *model.Job) {
	j.GroupID, j.Name, j.Author, j.AlarmEmail = v.GroupID, v.Name, model.T(v.Author), model.T(v.AlarmEmail)
	j.ScheduleType, j.ScheduleConf = model.ScheduleType(v.ScheduleType), model.T(v.ScheduleConf)
	j.TimeZone = cmp.Or(v.TimeZone, ServerZone)
	j.Misfire, j.Route, j.Block = model.Misfire(v.Misfire), model.Route(v.Route), model.Block(v.Block)
	j.Handler, j.Param, j.Children = model.T(v.Handler), model.T(v.Param), model.T(v.Children)
	j.TimeoutSec, j.Retries = v.TimeoutSec, v.Retries
}

// settings is the state without what an edit does not set.
func (v JobState) settings() string {
	v.Started, v.CodeBytes, v.CodeRemark = false, 0, ""
	v.CodeVersion = 0
	return stateText(v).S
}

func groupState(g *model.Group) *GroupState {
	v := &GroupState{AppName: g.AppName, Title: g.Title, Manual: g.Manual}
	if g.Manual {
		v.Addresses = g.AddressList.S
	}
	return v
}

// stateText is the JSON of a state.
func stateText(v any) model.Text {
	b, err := json.Marshal(v)
	if err != nil {
		return model.Text{} // structs of plain fields: never
	}
	return model.T(string(b))
}

// change is an entry of the history that is about to be written.
type change struct {
	kind          string
	id            int32
	action        string
	before, after any // pointers to states; nil where it was not there
}

// entry is a change as it is written.
func (s *Service) entry(p Principal, c change) *model.Change {
	row := &model.Change{At: s.now(), User: p.Name, Kind: c.kind, ObjectID: c.id, Action: c.action}
	if c.before != nil {
		row.Before = stateText(c.before)
	}
	if c.after != nil {
		row.After = stateText(c.after)
	}
	return row
}

// written tells who asked for it that a change is on record.
func (s *Service) written(ctx context.Context, row *model.Change) {
	if made, ok := ctx.Value(madeKey{}).(*Made); ok {
		made.add(row)
	}
}

// changed writes a change that has been made to the history. The change stands,
// so a fault of the history is only reported.
func (s *Service) changed(ctx context.Context, p Principal, c change) {
	row := s.entry(p, c)
	if row.Before == row.After {
		return
	}
	if err := s.store.AddChange(context.WithoutCancel(ctx), row); err != nil {
		s.log.ErrorContext(ctx, "change not written", slog.String("kind", c.kind),
			slog.Int("object_id", int(c.id)), slog.Any("err", err))
		return
	}
	s.written(ctx, row)
}

// switched writes a start or a stop to the history.
func (s *Service) switched(ctx context.Context, p Principal, j *model.Job, running bool) {
	after := *j
	after.Running = running
	action := "stop"
	if running {
		action = "start"
	}
	tags := s.tagsOf(ctx, j.ID)
	s.changed(ctx, p, change{
		kind: model.ChangeJob, id: j.ID, action: action, before: jobState(j, tags), after: jobState(&after, tags),
	})
}

// coded writes a new version of code to the history.
func (s *Service) coded(ctx context.Context, p Principal, j *model.Job, v *model.GlueVersion) {
	after := *j
	after.GlueSource, after.GlueRemark = v.Source, model.T(v.Remark)
	tags := s.tagsOf(ctx, j.ID)
	was, is := jobState(j, tags), jobState(&after, tags)
	was.CodeVersion, is.CodeVersion = v.Before, v.ID
	s.changed(ctx, p, change{kind: model.ChangeJob, id: j.ID, action: "code", before: was, after: is})
}

// JobChanges returns the changes of a job that the principal may see, newest
// first: at most limit (1 to 1,000) with an id below beforeID (0 is the newest).
// Rules for alarms and mute windows of the job stand among them. Those of a job that
// was deleted can be read as long as it can be brought back.
func (s *Service) JobChanges(
	ctx context.Context, p Principal, id int32, limit int, beforeID int64,
) ([]*model.Change, error) {
	_, err := s.Job(ctx, p, id)
	if gone(err) {
		if _, deleted := s.DeletedJob(ctx, p, id); !gone(deleted) {
			err = deleted
		}
	}
	if err != nil {
		return nil, err
	}
	return s.changesOf(ctx, model.ChangeJob, id, limit, beforeID)
}

// GroupChanges is JobChanges for a group.
func (s *Service) GroupChanges(
	ctx context.Context, p Principal, id int32, limit int, beforeID int64,
) ([]*model.Change, error) {
	_, err := s.Group(ctx, p, id)
	if gone(err) {
		if _, deleted := s.DeletedGroup(ctx, p, id); !gone(deleted) {
			err = deleted
		}
	}
	if err != nil {
		return nil, err
	}
	return s.changesOf(ctx, model.ChangeGroup, id, limit, beforeID)
}

// changesOf returns the changes of an object together with those of its rules for
// alarms and its mute windows. These are kept under its id, as are those of the
// object of the other kind that has the same id.
func (s *Service) changesOf(
	ctx context.Context, kind string, id int32, limit int, beforeID int64,
) ([]*model.Change, error) {
	all, err := s.store.Changes(ctx, kind, id, limit, beforeID)
	if err != nil {
		return nil, err
	}
	for _, about := range []string{model.ChangeRule, model.ChangeMute} {
		list, err := s.store.Changes(ctx, about, id, maxChanges, beforeID)
		if err != nil {
			return nil, err
		}
		for _, c := range list {
			if of, err := alarmState(c); err != nil {
				return nil, err
			} else if of.Kind == kind {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, func(a, b *model.Change) int { return cmp.Compare(b.ID, a.ID) })
	return all[:min(len(all), limit)], nil
}

// gone reports whether an error says that there is no such object.
func gone(err error) bool {
	var e *Error
	return errors.As(err, &e) && e.Kind == NotFound
}

// Change returns a change of an object that the principal may see; of what has
// been deleted it is the group that it last had that counts.
func (s *Service) Change(ctx context.Context, p Principal, id int64) (*model.Change, error) {
	c, err := s.change(ctx, p, id)
	return c, s.asForeign(ctx, p, err, "change.get", fmt.Sprintf("change %d", id))
}

func (s *Service) change(ctx context.Context, p Principal, id int64) (*model.Change, error) {
	c, err := s.store.Change(ctx, id)
	switch {
	case notFound(err):
		e := &Error{
			Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)}, Detail: fmt.Sprintf("there is no change %d", id),
		}
		return nil, e.own("refused.change.gone", id)
	case err != nil:
		return nil, fmt.Errorf("read change %d: %w", id, err)
	case p.known() && p.Admin:
		return c, nil
	}
	switch c.Kind {
	case model.ChangeRule, model.ChangeMute:
		err = s.seesAlarms(ctx, p, c)
	case model.ChangeGroup: // permission on a group outlives it
		if _, err = s.Group(ctx, p, c.ObjectID); gone(err) && p.Can(c.ObjectID, model.RoleViewer) {
			err = nil
		}
	default:
		if _, err = s.job(ctx, c.ObjectID); err == nil {
			_, err = s.Job(ctx, p, c.ObjectID)
		} else if gone(err) && p.Can(lastGroup(c), model.RoleViewer) {
			err = nil
		}
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// lastGroup is the group that a job had behind a change, or before it was
// deleted; 0 when that cannot be read.
func lastGroup(c *model.Change) int32 {
	text := c.Before.S
	if c.After.Valid {
		text = c.After.S
	}
	var v JobState
	if json.Unmarshal([]byte(text), &v) != nil {
		return 0
	}
	return v.GroupID
}
