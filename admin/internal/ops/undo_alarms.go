package ops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// RuleState is what the history keeps of a rule for alarms.
type RuleState struct {
	Kind     string `json:"kind"` // job or group
	ObjectID int32  `json:"object_id"`
	What     string `json:"what"`
	LimitMs  int64  `json:"limit_ms"`
}

// MuteState is what the history keeps of a mute window.
type MuteState struct {
	Kind     string    `json:"kind"` // job or group
	ObjectID int32     `json:"object_id"`
	Until    time.Time `json:"until"`
	Reason   string    `json:"reason"`
}

// ruleNow returns the rule of a key as it stands; nil is none.
func (s *Service) ruleNow(ctx context.Context, k model.AlarmKey) (*RuleState, error) {
	list, err := s.store.AlarmRules(ctx)
	i := slices.IndexFunc(list, func(r model.AlarmRule) bool { return r.AlarmKey == k })
	if err != nil || i < 0 {
		return nil, err
	}
	return ruleState(&list[i]), nil
}

func ruleState(r *model.AlarmRule) *RuleState {
	return &RuleState{Kind: r.Kind, ObjectID: r.ObjectID, What: string(r.What), LimitMs: r.Limit.Milliseconds()}
}

// muteNow returns the mute window of a job or group as it stands; nil is none.
func (s *Service) muteNow(ctx context.Context, kind string, id int32) (*MuteState, error) {
	list, err := s.store.Mutes(ctx, s.now())
	i := slices.IndexFunc(list, func(m model.Mute) bool { return m.Kind == kind && m.ObjectID == id })
	if err != nil || i < 0 {
		return nil, err
	}
	return muteState(&list[i]), nil
}

func muteState(m *model.Mute) *MuteState {
	return &MuteState{
		Kind: m.Kind, ObjectID: m.ObjectID, Until: m.Until.UTC().Truncate(time.Millisecond), Reason: m.Reason,
	}
}

// ruled writes a change of a rule to the history; nil is none.
func (s *Service) ruled(ctx context.Context, p Principal, before, after *RuleState) {
	s.changed(ctx, p, between(model.ChangeRule, before, after, func(v *RuleState) int32 { return v.ObjectID }))
}

// muted is ruled for a mute window.
func (s *Service) muted(ctx context.Context, p Principal, before, after *MuteState) {
	s.changed(ctx, p, between(model.ChangeMute, before, after, func(v *MuteState) int32 { return v.ObjectID }))
}

// between is the entry for what stood and stands.
func between[T any](kind string, before, after *T, id func(*T) int32) change {
	c := change{kind: kind, action: "update"}
	if after != nil {
		c.id, c.after = id(after), after
	} else {
		c.action = "delete"
	}
	if before != nil {
		c.id, c.before = id(before), before
	} else if after != nil {
		c.action = "create"
	}
	return c
}

// undoRule sets a rule back to what it was, or to none.
func (s *Service) undoRule(ctx context.Context, p Principal, c *model.Change, force bool) error {
	before, after, err := states[RuleState](c)
	if err != nil {
		return err
	}
	v := after
	if !c.After.Valid {
		v = before
	}
	k := model.AlarmKey{What: model.AlarmWhat(v.What), Kind: v.Kind, ObjectID: v.ObjectID}
	now, err := s.ruleNow(ctx, k)
	switch {
	case err != nil:
		return fmt.Errorf("read the rules: %w", err)
	case !force && (now != nil) != c.After.Valid || !force && now != nil && *now != after:
		return ErrStale
	case !c.Before.Valid:
		return s.DeleteAlarmRule(ctx, p, k)
	}
	return s.SetAlarmRule(ctx, p, k, time.Duration(before.LimitMs)*time.Millisecond)
}

// undoMute sets a mute window back to what it was, or to none. One that would have
// ended by now does not come back.
func (s *Service) undoMute(ctx context.Context, p Principal, c *model.Change, force bool) error {
	before, after, err := states[MuteState](c)
	if err != nil {
		return err
	}
	v := after
	if !c.After.Valid {
		v = before
	}
	now, err := s.muteNow(ctx, v.Kind, v.ObjectID)
	switch {
	case err != nil:
		return fmt.Errorf("read the mute windows: %w", err)
	case !force && (now != nil) != c.After.Valid || !force && now != nil && !now.same(&after):
		return ErrStale
	case !c.Before.Valid:
		return s.Unmute(ctx, p, v.Kind, v.ObjectID)
	case !before.Until.After(s.now()):
		return &Error{
			Kind: Conflict, Parts: []Part{key(i18n.ChangeMuteOver)},
			Detail: "it would have ended at " + before.Until.In(s.cfg.Location).Format(time.RFC3339),
		}
	}
	return s.Mute(ctx, p, model.Mute{Kind: v.Kind, ObjectID: v.ObjectID, Until: before.Until, Reason: before.Reason})
}

func (v *MuteState) same(w *MuteState) bool { return v.Until.Equal(w.Until) && v.Reason == w.Reason }

// seesAlarms refuses who has no permission on what a rule or a mute window is
// about. Of what is gone administrators alone may see it.
func (s *Service) seesAlarms(ctx context.Context, p Principal, c *model.Change) error {
	v, err := alarmState(c)
	if err != nil {
		return err
	}
	_, err = s.alarmGroup(ctx, p, model.RoleViewer, "change.get", model.AlarmKey{Kind: v.Kind, ObjectID: v.ObjectID})
	return err
}

// alarmOf says what a rule or a mute window is about.
type alarmOf struct {
	Kind     string `json:"kind"`
	ObjectID int32  `json:"object_id"`
}

// alarmState reads what a change of a rule or a mute window is about.
func alarmState(c *model.Change) (alarmOf, error) {
	before, after, err := states[alarmOf](c)
	if !c.After.Valid {
		return before, err
	}
	return after, err
}
