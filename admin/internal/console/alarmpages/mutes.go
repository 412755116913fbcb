package alarmpages

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const (
	everyGroup = "all" // in the place of a group's id: every one that the visitor may mute
	muteAtOnce = 200   // groups that one request mutes
)

// muteForm reads the window that a form asks for, but not what it is for.
func (c *call) muteForm() model.Mute {
	m := model.Mute{Reason: c.Str("reason")}
	m.Until = c.Now().Add(time.Duration(min(c.Num("minutes", 0), 1<<20)) * time.Minute)
	if until := c.Str("until"); until != "" {
		t, err := time.ParseInLocation(web.InputTime, until, c.Cfg.Location)
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
	if c.Str("group") == everyGroup && c.Str("job") == "" {
		err = c.muteEvery(ctx, m)
	} else {
		m.Kind, m.ObjectID = c.alarmOf()
		err = c.Cfg.Ops.Mute(ctx, c.Who, m)
	}
	return c.after(err, c.T("alarms.mute.done", say.Stamp(m.Until.In(c.Cfg.Location))), made)
}

// muteEvery mutes every group in which the visitor is an operator. Windows that
// end later stay.
func (c *call) muteEvery(ctx context.Context, m model.Mute) error {
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	known, err := c.Cfg.Ops.Mutes(ctx, c.Who)
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
	groups = c.Having(model.RoleOperator, groups)
	for _, g := range groups[:min(len(groups), muteAtOnce)] {
		if until[g.ID].After(m.Until) {
			continue
		}
		m.ObjectID = g.ID
		if err := c.Cfg.Ops.Mute(ctx, c.Who, m); err != nil {
			return err
		}
	}
	return nil
}

func (c *call) unmute(ctx context.Context) error {
	ctx, made := ops.Recording(ctx)
	if c.Str("group") == everyGroup {
		return c.after(c.unmuteEvery(ctx), c.T("alarms.unmute.every.done"), made)
	}
	kind, id := c.alarmOf()
	return c.after(c.Cfg.Ops.Unmute(ctx, c.Who, kind, id), c.T("alarms.unmute.done"), made)
}

// unmuteEvery ends the windows that the visitor may end.
func (c *call) unmuteEvery(ctx context.Context) error {
	list, err := c.Cfg.Ops.Mutes(ctx, c.Who)
	if err != nil {
		return err
	}
	for _, m := range list {
		if !c.RightsIn(m.GroupID).Run {
			continue
		}
		if err := c.Cfg.Ops.Unmute(ctx, c.Who, m.Kind, m.ObjectID); err != nil {
			return err
		}
	}
	return nil
}
