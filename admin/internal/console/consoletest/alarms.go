package consoletest

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/console"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Alarms are two channels, of which one is broken.
type Alarms struct {
	Tested []string
	Trying *ops.ChannelTry // of the broken one
}

// Channels are both of them.
func (p *Alarms) Channels() []ops.AlarmChannel {
	return []ops.AlarmChannel{{Name: "ding", Type: "dingtalk"}, {
		Name: Evil, Type: "webhook", Trying: p.Trying, Queued: 3,
	}}
}

// Test keeps that it was asked; the broken one says why it is.
func (p *Alarms) Test(_ context.Context, channel string) error {
	p.Tested = append(p.Tested, channel)
	if channel != "ding" {
		return errors.New("answered HTTP 500 " + Evil)
	}
	return nil
}

// MutesChanged does nothing.
func (p *Alarms) MutesChanged(context.Context) error { return nil }

// Alarming is a world with channels.
func Alarming(t *testing.T) (*World, *Alarms) {
	t.Helper()
	played := &Alarms{}
	return New(t, func(c *console.Config) {
		c.Ops = withAlarms(t, c, played)
	}), played
}

// withAlarms is the service of the world with channels.
func withAlarms(t *testing.T, c *console.Config, played *Alarms) *ops.Service {
	t.Helper()
	db, ok := c.History.(ops.Store)
	require.True(t, ok)
	passwords, ok := c.Auth.(ops.Passwords)
	require.True(t, ok)
	stand := &Parts{}
	service, err := ops.New(ops.Config{
		Store: db, Scheduler: stand, Dispatcher: stand, Executors: stand, Registry: stand, Completion: stand,
		Passwords: passwords, Location: time.UTC, Lang: i18n.En, Now: func() time.Time { return Noon }, Alarms: played,
	})
	require.NoError(t, err)
	return service
}
