package console

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	everyGroup = "all" // in the place of a group's id: every one that the visitor may mute
	muteAtOnce = 200   // groups that one request mutes
)

// mutedGroups says of the executors that are muted until when; of all that the
// visitor may see, or of the one with the id.
func (c *call) mutedGroups(ctx context.Context, only int32) (list []string, err error) {
	mutes, err := c.s.cfg.Ops.Mutes(ctx, c.who)
	if err != nil {
		return nil, err
	}
	for _, m := range mutes {
		if m.Kind == model.ChangeGroup && (only == 0 || m.ObjectID == only) {
			title := c.alarmTitle(m.Kind, m.ObjectID, m.Name)
			list = append(list, c.t("alarms.muted.until", title, say.Stamp(m.Until.In(c.s.cfg.Location))))
		}
	}
	return list, nil
}

// muteForm reads the window that a form asks for, but not what it is for.
func (c *call) muteForm() model.Mute {
	m := model.Mute{Reason: c.str("reason")}
	m.Until = c.now().Add(time.Duration(min(c.num("minutes", 0), 1<<20)) * time.Minute)
	if until := c.str("until"); until != "" {
		t, err := time.ParseInLocation(inputTime, until, c.s.cfg.Location)
		if err != nil {
			t = time.Time{} // refused as a window in the past
		}
		m.Until = t
	}
	return m
}

func (c *call) mute(ctx context.Context) error {
	m := c.muteForm()
	ctx, made := ops.Recording(ctx)
	var err error
	if c.str("group") == everyGroup && c.str("job") == "" {
		err = c.muteEvery(ctx, m)
	} else {
		m.Kind, m.ObjectID = c.alarmOf()
		err = c.s.cfg.Ops.Mute(ctx, c.who, m)
	}
	return c.after(err, c.t("alarms.mute.done", say.Stamp(m.Until.In(c.s.cfg.Location))), made)
}

// muteEvery mutes every group in which the visitor is an operator. Windows that
// end later stay.
func (c *call) muteEvery(ctx context.Context, m model.Mute) error {
	groups, err := c.s.cfg.Ops.PermittedGroups(ctx, c.who)
	if err != nil {
		return err
	}
	known, err := c.s.cfg.Ops.Mutes(ctx, c.who)
	if err != nil {
		return err
	}
	until := make(map[int32]time.Time)
	for _, k := range known {
		if k.Kind == model.ChangeGroup {
			until[k.ObjectID] = k.Until
		}
	}
	m.Kind = model.ChangeGroup
	groups = c.having(model.RoleOperator, groups)
	for _, g := range groups[:min(len(groups), muteAtOnce)] {
		if until[g.ID].After(m.Until) {
			continue
		}
		m.ObjectID = g.ID
		if err := c.s.cfg.Ops.Mute(ctx, c.who, m); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) unmute(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	if c.str("group") == everyGroup {
		return c.after(c.unmuteEvery(ctx), c.t("alarms.unmute.every.done"), made)
	}
	kind, id := c.alarmOf()
	return c.after(c.s.cfg.Ops.Unmute(ctx, c.who, kind, id), c.t("alarms.unmute.done"), made)
}

// unmuteEvery ends the windows that the visitor may end.
func (c *call) unmuteEvery(ctx context.Context) error {
	list, err := c.s.cfg.Ops.Mutes(ctx, c.who)
	if err != nil {
		return err
	}
	for _, m := range list {
		if !c.rightsIn(m.GroupID).Run {
			continue
		}
		if err := c.s.cfg.Ops.Unmute(ctx, c.who, m.Kind, m.ObjectID); err != nil {
			return err
		}
	}
	return nil
}
