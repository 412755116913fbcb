package admin

import (
	"context"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/alarm"
	"github.com/xxljob-go/xxljob/admin/internal/link"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
	"github.com/xxljob-go/xxljob/admin/internal/store"
)

// buildAlarms makes what keeps alarms on record and checks rules, and where
// there are channels what sends.
func (s *system) buildAlarms(ctx context.Context) error {
	s.book = alarm.NewBook(alarm.BookConfig{Store: s.store, Logger: s.log})
	watch := alarm.WatchConfig{
		Store: s.store, Holds: func() bool { return s.leases.Holds(0) }, Muted: s.book.Muted, Logger: s.log,
	}
	if len(s.cfg.Alarms) > 0 {
		var err error
		s.alarms, err = alarm.New(alarm.Config{
			Channels: s.cfg.Alarms, Location: s.cfg.TimeZone, Logger: s.log,
			Egress: alarm.Egress{AllowLoopback: s.cfg.AlarmsToLoopback},
			Text:   s.lang.Lookup, NotSent: s.lang.NotSent, Mark: s.store.MarkAlarms, Links: s.links(),
			Observe: s.metrics.Alarm, Muted: s.book.Muted,
			Delivered: func(a *alarm.Alarm, channel string, err error) { s.book.Delivered(a.Key(), channel, err) },
		})
		if err != nil {
			return err
		}
		watch.Tell = s.alarms.Tell
	}
	s.watcher = alarm.NewWatcher(watch)
	if err := s.book.Refresh(ctx); err != nil { // nothing that is muted is sent at the start
		return fmt.Errorf("read mute windows: %w", err)
	}
	return nil
}

// links makes addresses of pages. Whether that is one was asked by New.
func (s *system) links() link.Base {
	base, _ := link.Parse(s.cfg.PublicURL)
	return base
}

// raised puts the failure of a run on record.
func (s *system) raised(e *store.Ending) {
	r := model.AlarmRecord{
		AlarmKey: model.AlarmKey{What: model.AlarmOnFailure, Kind: model.ChangeJob, ObjectID: e.Job.ID},
		GroupID:  e.Job.GroupID, LogID: e.Outcome.LogID, Last: time.Now(),
	}
	switch {
	case e.Outcome.Handle != nil:
		r.Message = e.Outcome.Handle.Msg.S
	case e.Outcome.Trigger != nil:
		r.Message = s.lang.NotSent(e.Outcome.Trigger.Address, e.Outcome.Trigger.Msg)
	}
	s.book.Raised(r)
}

// channels is what sends alarms as package ops sees it.
type channels struct {
	sender *alarm.Manager // nil without channels
	book   *alarm.Book
	list   []alarm.Channel
}

// Channels returns the channels without what they hold of secrets, and what this
// node sends through them now.
func (c channels) Channels() []ops.AlarmChannel {
	list := make([]ops.AlarmChannel, 0, len(c.list))
	var stats []alarm.ChannelStats // in the same order
	if c.sender != nil {
		stats = c.sender.Stats().Channels
	}
	for i := range c.list {
		ch := ops.AlarmChannel{Name: c.list[i].Name, Type: string(c.list[i].Type), Groups: c.list[i].Groups}
		if i < len(stats) {
			ch.Queued = stats[i].Queued
			if now := stats[i].Trying; now != nil {
				ch.Trying = &ops.ChannelTry{
					Attempt: now.Attempt, Attempts: now.Attempts, Next: now.Next, Error: now.Error,
				}
			}
		}
		list = append(list, ch)
	}
	return list
}

// Test sends a test message.
func (c channels) Test(ctx context.Context, channel string) error {
	if c.sender == nil {
		return alarm.ErrUnknownChannel
	}
	return c.sender.Test(ctx, channel)
}

// MutesChanged makes a window count here at once.
func (c channels) MutesChanged(ctx context.Context) error { return c.book.Refresh(ctx) }
