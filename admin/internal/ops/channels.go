package ops

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// AlarmChannel is a way to reach people, without its secrets.
type AlarmChannel struct {
	Name   string // "" for those who are not told it
	Type   string
	Groups []int32              // that it is for; empty is all
	Last   *model.AlarmDelivery // what last happened in it; nil is nothing yet. Error is for administrators
	Trying *ChannelTry          // what is being sent; nil is nothing
	Queued int                  // alarms that wait behind it
}

// ChannelTry is how far a message is.
type ChannelTry struct {
	Attempt, Attempts int       // the one that runs or comes next, and how many there are
	Next              time.Time // zero: it runs
	Error             string    // of the attempt before; for administrators, "…" for others
}

// alarmTests remembers when channels were last tested.
type alarmTests struct {
	mu sync.Mutex
	at map[string]time.Time
}

// AlarmChannels returns the channels that are for what the principal may see.
// Names and types are for those who are editors where the channel is for; what
// last happened in it, and happens now, is besides for those who see every group:
// that may be the alarm of any.
func (s *Service) AlarmChannels(ctx context.Context, p Principal) ([]AlarmChannel, error) {
	if err := s.needLogin(ctx, p, "alarm.channels"); err != nil {
		return nil, err
	}
	if s.cfg.Alarms == nil {
		return nil, nil
	}
	var list []AlarmChannel
	for _, ch := range s.cfg.Alarms.Channels() {
		shown, ok, err := s.channelFor(ctx, p, ch)
		if err != nil {
			return nil, err
		}
		if ok {
			list = append(list, shown)
		}
	}
	return list, nil
}

// channelFor is a channel as the principal may see it; ok is false for one that
// is for no group of theirs.
func (s *Service) channelFor(ctx context.Context, p Principal, ch AlarmChannel) (_ AlarmChannel, ok bool, err error) {
	has := func(role model.Role) bool {
		if len(ch.Groups) == 0 {
			return p.CanAnywhere(role)
		}
		return slices.ContainsFunc(ch.Groups, func(g int32) bool { return p.Can(g, role) })
	}
	if !has(model.RoleViewer) {
		return ch, false, nil
	}
	name := ch.Name
	ch.Groups = slices.DeleteFunc(slices.Clone(ch.Groups), func(g int32) bool { return !p.Can(g, model.RoleViewer) })
	if !has(model.RoleEditor) {
		return AlarmChannel{Groups: ch.Groups}, true, nil
	}
	if !p.all() {
		ch.Trying, ch.Queued = nil, 0
		return ch, true, nil
	}
	if now := ch.Trying; now != nil && now.Error != "" && !p.Admin {
		hidden := *now
		hidden.Error = "…"
		ch.Trying = &hidden
	}
	last, err := s.store.LastDelivery(ctx, name)
	ch.Last = deliveryFor(p, last)
	return ch, true, err
}

// deliveryFor hides from all but administrators what a service answered.
func deliveryFor(p Principal, d *model.AlarmDelivery) *model.AlarmDelivery {
	if d == nil || p.Admin || d.Error == "" {
		return d
	}
	hidden := *d
	hidden.Error = "…"
	return &hidden
}

// TestAlarm sends a test message through a channel, at most one in ten seconds.
// What the service answered to a failed one is the detail of the Error. For
// administrators.
func (s *Service) TestAlarm(ctx context.Context, p Principal, channel string) error {
	if err := s.needAdmin(ctx, p, "alarm.test", channel); err != nil {
		return err
	}
	if s.cfg.Alarms == nil || !slices.ContainsFunc(s.cfg.Alarms.Channels(), func(c AlarmChannel) bool {
		return c.Name == channel
	}) {
		e := &Error{
			Kind: NotFound, Parts: []Part{key(i18n.SystemNotFound)}, Detail: "there is no alarm channel of this name",
		}
		return e.own("refused.channel.gone")
	}
	if !s.mayTest(channel) {
		e := &Error{
			Kind: Conflict, Parts: []Part{key(i18n.SystemRepeat)}, Detail: "this channel was tested less than 10 s ago",
		}
		return e.own("refused.channel.soon")
	}
	if err := s.cfg.Alarms.Test(ctx, channel); err != nil {
		s.record(ctx, p, "alarm.test", "channel "+channel, "failed")
		return &Error{Kind: Unavailable, Detail: err.Error(), Err: err}
	}
	s.record(ctx, p, "alarm.test", "channel "+channel, "sent")
	return nil
}

func (s *Service) mayTest(channel string) bool {
	s.tests.mu.Lock()
	defer s.tests.mu.Unlock()
	now := s.now()
	if last, ok := s.tests.at[channel]; ok && now.Sub(last) < testPause {
		return false
	}
	if s.tests.at == nil {
		s.tests.at = make(map[string]time.Time)
	}
	s.tests.at[channel] = now
	return true
}
