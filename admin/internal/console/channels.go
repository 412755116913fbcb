package console

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// channelRow is a line of the list of channels.
type channelRow struct {
	ops.AlarmChannel
	Now    string // what is being sent through it; "" is nothing
	Before string // why the attempt before was none; "" is nothing
}

// channels are those that the visitor is told of, and the number of the others
// that are for what the visitor sees.
func (c *call) channels(ctx context.Context) (list []channelRow, hidden int, err error) {
	known, err := c.s.cfg.Ops.AlarmChannels(ctx, c.who)
	for _, ch := range known {
		if ch.Name == "" {
			hidden++
			continue
		}
		row := channelRow{AlarmChannel: ch}
		if now := ch.Trying; now != nil {
			row.Before = now.Error
			row.Now = c.t("alarms.trying", now.Attempt, now.Attempts)
			if !now.Next.IsZero() {
				next := now.Next.In(c.s.cfg.Location).Format(time.TimeOnly)
				row.Now = c.t("alarms.trying.next", now.Attempt, now.Attempts, next)
			}
			if ch.Queued > 0 {
				row.Now += " · " + c.t("alarms.queued", say.Count(ch.Queued))
			}
		}
		list = append(list, row)
	}
	return list, hidden, err
}
