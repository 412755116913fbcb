package ops

import (
	"context"
	"fmt"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// AckAlarm acknowledges an open alarm: somebody has seen it, and it no longer
// counts as something to look at, until it is raised again or UnackAlarm takes
// that back. It goes on being told; a mute window is for that. One that has ended
// is an Error of kind Conflict. For operators.
func (s *Service) AckAlarm(ctx context.Context, p Principal, id int64) (*AlarmView, error) {
	a, err := s.alarmFor(ctx, p, "alarm.ack", id)
	if err != nil {
		return nil, err
	}
	acked, err := s.store.AckAlarm(ctx, id, p.Name, s.now())
	if err != nil {
		return nil, err
	}
	if !acked {
		return nil, &Error{
			Kind: Conflict, Parts: []Part{key(i18n.AlarmOver)}, Detail: fmt.Sprintf("alarm %d has ended", id),
		}
	}
	s.record(ctx, p, "alarm.ack", alarmObject(a.Kind, a.ObjectID), alarmDetail(a))
	return s.alarmView(ctx, p, id)
}

// UnackAlarm takes an acknowledgement back. One that is not there is no error.
// For operators.
func (s *Service) UnackAlarm(ctx context.Context, p Principal, id int64) (*AlarmView, error) {
	a, err := s.alarmFor(ctx, p, "alarm.unack", id)
	if err != nil {
		return nil, err
	}
	if err := s.store.UnackAlarm(ctx, id); err != nil {
		return nil, err
	}
	if !a.Acked.IsZero() {
		s.record(ctx, p, "alarm.unack", alarmObject(a.Kind, a.ObjectID), alarmDetail(a))
	}
	return s.alarmView(ctx, p, id)
}

func alarmDetail(a *model.AlarmRecord) string {
	return fmt.Sprintf("alarm %d: %s, %d times", a.ID, a.What, a.Count)
}

// alarmFor returns an alarm of a group in which the principal is an operator.
func (s *Service) alarmFor(ctx context.Context, p Principal, action string, id int64) (*model.AlarmRecord, error) {
	if err := s.needLogin(ctx, p, action); err != nil {
		return nil, err
	}
	a, err := s.store.Alarm(ctx, id)
	object := fmt.Sprintf("alarm %d", id)
	switch {
	case notFound(err) && p.all(): // others learn of no ids
		e := &Error{
			Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)}, Detail: "there is no " + object,
		}
		return nil, e.own("refused.alarm.gone", id)
	case notFound(err):
		return nil, s.deny(ctx, p, action, object)
	case err != nil:
		return nil, err
	case !p.Can(a.GroupID, model.RoleOperator):
		return nil, s.deny(ctx, p, action, object)
	}
	return a, nil
}

// alarmView is an alarm as it is now.
func (s *Service) alarmView(ctx context.Context, p Principal, id int64) (*AlarmView, error) {
	a, err := s.store.Alarm(ctx, id)
	if err != nil {
		return nil, err
	}
	views, err := s.alarmViews(ctx, p, []*model.AlarmRecord{a})
	if err != nil {
		return nil, err
	}
	return views[0], nil
}
