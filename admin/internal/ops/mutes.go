package ops

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// MuteView is a mute window and the name of what it mutes.
type MuteView struct {
	model.Mute
	Name    string
	GroupID int32 // that of the job, or the group itself; 0 of a job that is gone
}

// Mutes returns the windows that have not ended, of what the principal may see.
func (s *Service) Mutes(ctx context.Context, p Principal) ([]MuteView, error) {
	if err := s.needLogin(ctx, p, "mute.list"); err != nil {
		return nil, err
	}
	list, err := s.store.Mutes(ctx, s.now())
	if err != nil {
		return nil, err
	}
	keys := make([]model.AlarmKey, 0, len(list))
	for _, m := range list {
		keys = append(keys, model.AlarmKey{Kind: m.Kind, ObjectID: m.ObjectID})
	}
	see, name, groupOf, err := s.sees(ctx, p, keys)
	if err != nil {
		return nil, err
	}
	var views []MuteView
	for _, m := range list {
		if see(m.Kind, m.ObjectID) {
			views = append(views, MuteView{m, name(m.Kind, m.ObjectID), groupOf(m.Kind, m.ObjectID)})
		}
	}
	return views, nil
}

// sees returns what the principal may see of jobs and groups, their names, and
// their groups.
func (s *Service) sees(
	ctx context.Context, p Principal, keys []model.AlarmKey,
) (
	see func(kind string, id int32) bool, name func(kind string, id int32) string,
	groupOf func(kind string, id int32) int32, err error,
) {
	if name, err = s.names(ctx, keys); err != nil {
		return nil, nil, nil, err
	}
	var ids []int32
	for _, k := range keys {
		if k.Kind == model.ChangeJob {
			ids = append(ids, k.ObjectID)
		}
	}
	jobs := map[int32]*model.Job{}
	if len(ids) > 0 {
		if jobs, err = s.store.JobsByID(ctx, ids); err != nil {
			return nil, nil, nil, err
		}
	}
	groupOf = func(kind string, id int32) int32 {
		if kind == model.ChangeGroup {
			return id
		}
		if j := jobs[id]; j != nil {
			return j.GroupID
		}
		return 0
	}
	return func(kind string, id int32) bool {
		return p.Can(groupOf(kind, id), model.RoleViewer)
	}, name, groupOf, nil
}

// Mute keeps a job or group from raising alarms until then, at most 30 days. In
// place of a window that there is. Alarms are put on record as muted. For
// operators.
func (s *Service) Mute(ctx context.Context, p Principal, in model.Mute) error {
	object := model.AlarmKey{Kind: in.Kind, ObjectID: in.ObjectID}
	if _, err := s.alarmGroup(ctx, p, model.RoleOperator, "mute.set", object); err != nil {
		return err
	}
	left := in.Until.Sub(s.now())
	in.Reason = strings.TrimSpace(in.Reason)
	switch {
	case left <= 0 || left > maxMute:
		return invalid("a mute window ends within 30 days", key(i18n.SystemInvalid)).own("refused.mute.end")
	case control(in.Reason):
		return invalid("leave control characters out of the reason", key(i18n.SystemInvalid)).
			own("refused.mute.reason")
	}
	if e := fits(field{key(i18n.AlarmReason), in.Reason, maxMuteReason}); e != nil {
		return e
	}
	in.User = p.Name
	was, err := s.muteNow(ctx, in.Kind, in.ObjectID)
	if err != nil {
		return err
	}
	if err := s.store.SetMute(ctx, in); err != nil {
		return refused(err)
	}
	s.muted(ctx, p, was, muteState(&in))
	s.record(ctx, p, "mute.set", alarmObject(in.Kind, in.ObjectID),
		fmt.Sprintf("until %s; %s", in.Until.In(s.cfg.Location).Format(time.RFC3339), in.Reason))
	return s.mutesChanged(ctx)
}

// Unmute ends a window. One that is not there is no error. For operators.
func (s *Service) Unmute(ctx context.Context, p Principal, kind string, id int32) error {
	object := model.AlarmKey{Kind: kind, ObjectID: id}
	_, err := s.alarmGroup(ctx, p, model.RoleOperator, "mute.end", object)
	if err != nil && !p.Admin { // of what is gone too
		return err
	}
	was, err := s.muteNow(ctx, kind, id)
	if err != nil {
		return err
	}
	if err := s.store.DeleteMute(ctx, kind, id); err != nil {
		return err
	}
	s.muted(ctx, p, was, nil)
	s.record(ctx, p, "mute.end", alarmObject(kind, id), "")
	return s.mutesChanged(ctx)
}

func (s *Service) mutesChanged(ctx context.Context) error {
	if s.cfg.Alarms == nil {
		return nil
	}
	return s.cfg.Alarms.MutesChanged(ctx)
}
