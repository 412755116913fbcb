package ops

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// The bounds of alarms.
const (
	maxAlarmRules = 500
	maxMute       = 30 * 24 * time.Hour
	maxRuleLimit  = 30 * 24 * time.Hour
	maxMuteReason = 255
	testPause     = 10 * time.Second // between two tests of a channel
)

// alarmStore keeps alarms, their rules, and what is muted.
type alarmStore interface {
	Alarms(ctx context.Context, f model.AlarmFilter) ([]*model.AlarmRecord, error)
	Alarm(ctx context.Context, id int64) (*model.AlarmRecord, error)
	AckAlarm(ctx context.Context, id int64, user string, at time.Time) (bool, error)
	UnackAlarm(ctx context.Context, id int64) error
	Deliveries(ctx context.Context, alarmIDs []int64) (map[int64][]model.AlarmDelivery, error)
	LastDelivery(ctx context.Context, channel string) (*model.AlarmDelivery, error)
	AlarmRules(ctx context.Context) ([]model.AlarmRule, error)
	SetAlarmRule(ctx context.Context, r *model.AlarmRule) error
	DeleteAlarmRule(ctx context.Context, k model.AlarmKey) error
}

// muteStore keeps mute windows.
type muteStore interface {
	Mutes(ctx context.Context, now time.Time) ([]model.Mute, error)
	SetMute(ctx context.Context, m model.Mute) error
	DeleteMute(ctx context.Context, kind string, objectID int32) error
}

// Alarms is what the package needs of the part that sends alarms.
type Alarms interface {
	// Channels returns the channels as they are configured, without Last.
	Channels() []AlarmChannel
	// Test sends a test message, and blocks until the service has it.
	Test(ctx context.Context, channel string) error
	// MutesChanged says that what is muted has changed.
	MutesChanged(ctx context.Context) error
}

// AlarmView is an alarm on record with what became of it in the channels.
type AlarmView struct {
	model.AlarmRecord
	Name       string // of the job, or the title of the group; "" when it is gone
	Group      string // title of the group
	URL        string // of the page that it is about; "" without a public address
	Deliveries []model.AlarmDelivery
}

func alarmObject(kind string, id int32) string { return kind + " " + id32(id) }

// Alarms returns alarms of the groups that the principal may see, newest first
// unless f.Order says otherwise. Errors of deliveries are for administrators, others see that there was one; the
// names of channels are for editors, and "" for the others.
func (s *Service) Alarms(ctx context.Context, p Principal, f model.AlarmFilter) ([]*AlarmView, error) {
	if err := s.needLogin(ctx, p, "alarm.list"); err != nil {
		return nil, err
	}
	switch {
	case f.GroupIDs != nil:
		f.GroupIDs = slices.DeleteFunc(slices.Clone(f.GroupIDs), func(g int32) bool {
			return !p.Can(g, model.RoleViewer)
		})
	case !p.all():
		f.GroupIDs = p.groups()
	}
	list, err := s.store.Alarms(ctx, f)
	if err != nil {
		return nil, err
	}
	return s.alarmViews(ctx, p, list)
}

// alarmViews are alarms as the principal sees them.
func (s *Service) alarmViews(ctx context.Context, p Principal, list []*model.AlarmRecord) ([]*AlarmView, error) {
	var alarms []int64
	for _, r := range list {
		alarms = append(alarms, r.ID)
	}
	sent, err := s.store.Deliveries(ctx, alarms)
	if err != nil {
		return nil, err
	}
	name, err := s.names(ctx, slices.Collect(func(yield func(model.AlarmKey) bool) {
		for _, r := range list {
			if !yield(r.AlarmKey) {
				return
			}
		}
	}))
	if err != nil {
		return nil, err
	}
	views := make([]*AlarmView, 0, len(list))
	for _, r := range list {
		v := &AlarmView{
			AlarmRecord: *r, Name: name(r.Kind, r.ObjectID), Group: name(model.ChangeGroup, r.GroupID),
			URL: s.cfg.Links.Alarm(r.AlarmKey, r.LogID),
		}
		for _, d := range sent[r.ID] {
			if !p.Can(r.GroupID, model.RoleEditor) {
				d.Channel = ""
			}
			v.Deliveries = append(v.Deliveries, *deliveryFor(p, &d))
		}
		views = append(views, v)
	}
	return views, nil
}

// names returns a function that names jobs and groups.
func (s *Service) names(ctx context.Context, keys []model.AlarmKey) (func(kind string, id int32) string, error) {
	var ids []int32
	for _, k := range keys {
		if k.Kind == model.ChangeJob {
			ids = append(ids, k.ObjectID)
		}
	}
	jobs := map[int32]*model.Job{}
	groups, err := s.store.AllGroups(ctx)
	if err == nil && len(ids) > 0 {
		jobs, err = s.store.JobsByID(ctx, ids)
	}
	if err != nil {
		return nil, err
	}
	titles := make(map[int32]string, len(groups))
	for _, g := range groups {
		titles[g.ID] = g.Title
	}
	return func(kind string, id int32) string {
		if kind == model.ChangeGroup {
			return titles[id]
		}
		if j := jobs[id]; j != nil {
			return j.Name
		}
		return ""
	}, nil
}

// alarmGroup returns the group of a job or group in which the principal has the
// role.
func (s *Service) alarmGroup(
	ctx context.Context, p Principal, role model.Role, action string, k model.AlarmKey,
) (int32, error) {
	kind, id := k.Kind, k.ObjectID
	switch kind {
	case model.ChangeGroup:
		if !p.Can(id, role) {
			return 0, s.deny(ctx, p, action, alarmObject(kind, id))
		}
		_, err := s.group(ctx, id)
		return id, err
	case model.ChangeJob:
		j, err := s.jobFor(ctx, p, id, role, action, s.deny)
		if err != nil {
			return 0, err
		}
		return j.GroupID, nil
	}
	return 0, invalid("name a job or a group", key(i18n.SystemPleaseChoose), key(i18n.JobinfoFieldJobgroup))
}

// RuleView is a rule and the name of what it is for.
type RuleView struct {
	model.AlarmRule
	Name    string
	GroupID int32 // that of the job, or the group itself; 0 of a job that is gone
}

// AlarmRules returns the rules for what the principal may see.
func (s *Service) AlarmRules(ctx context.Context, p Principal) ([]RuleView, error) {
	if err := s.needLogin(ctx, p, "rule.list"); err != nil {
		return nil, err
	}
	list, err := s.store.AlarmRules(ctx)
	if err != nil {
		return nil, err
	}
	keys := make([]model.AlarmKey, 0, len(list))
	for _, r := range list {
		keys = append(keys, r.AlarmKey)
	}
	see, name, groupOf, err := s.sees(ctx, p, keys)
	if err != nil {
		return nil, err
	}
	var views []RuleView
	for _, r := range list {
		if see(r.Kind, r.ObjectID) {
			views = append(views, RuleView{r, name(r.Kind, r.ObjectID), groupOf(r.Kind, r.ObjectID)})
		}
	}
	return views, nil
}

// SetAlarmRule stores a rule for a job or group, in place of one of the same
// kind. The limit is 1 s to 30 days. For editors.
func (s *Service) SetAlarmRule(ctx context.Context, p Principal, k model.AlarmKey, limit time.Duration) error {
	if _, err := s.alarmGroup(ctx, p, model.RoleEditor, "rule.set", k); err != nil {
		return err
	}
	switch {
	case !k.What.IsRule():
		return invalid("use late, long or nobody", key(i18n.SystemInvalid)).own("refused.alarm.what")
	case k.What == model.AlarmOnNobody && k.Kind != model.ChangeGroup:
		return invalid("that there is no executor is a rule for groups", key(i18n.SystemInvalid)).
			own("refused.alarm.nobody")
	case limit < time.Second || limit > maxRuleLimit || limit%time.Second != 0:
		return invalid("the limit is 1 s to 30 days, in whole seconds", key(i18n.AlarmLimit), key(i18n.SystemInvalid)).
			own("refused.alarm.limit")
	}
	list, err := s.store.AlarmRules(ctx)
	if err != nil {
		return err
	}
	var was *RuleState
	if i := slices.IndexFunc(list, func(r model.AlarmRule) bool { return r.AlarmKey == k }); i >= 0 {
		was = ruleState(&list[i])
	} else if len(list) >= maxAlarmRules {
		e := &Error{
			Kind: Conflict, Parts: []Part{key(i18n.SystemLengthLimit)},
			Detail: fmt.Sprintf("there are %d rules; one for a group stands for many", maxAlarmRules),
		}
		return e.own("refused.alarm.many", maxAlarmRules)
	}
	r := &model.AlarmRule{AlarmKey: k, Limit: limit, User: p.Name, Created: s.now()}
	if err := s.store.SetAlarmRule(ctx, r); err != nil {
		return refused(err)
	}
	s.ruled(ctx, p, was, ruleState(r))
	s.record(ctx, p, "rule.set", alarmObject(k.Kind, k.ObjectID), fmt.Sprintf("%s: %s", k.What, limit))
	return nil
}

// DeleteAlarmRule deletes a rule. One that is not there is no error. For editors.
func (s *Service) DeleteAlarmRule(ctx context.Context, p Principal, k model.AlarmKey) error {
	if _, err := s.alarmGroup(ctx, p, model.RoleEditor, "rule.delete", k); err != nil && !p.Admin {
		return err
	}
	was, err := s.ruleNow(ctx, k)
	if err != nil {
		return err
	}
	if err := s.store.DeleteAlarmRule(ctx, k); err != nil {
		return err
	}
	s.ruled(ctx, p, was, nil)
	s.record(ctx, p, "rule.delete", alarmObject(k.Kind, k.ObjectID), string(k.What))
	return nil
}
