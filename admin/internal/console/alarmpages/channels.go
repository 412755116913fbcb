package alarmpages

import (
	"context"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
)

// channels are those that the visitor is told of, and the number of the others
// that are for what the visitor sees.
func (c *call) channels(ctx context.Context) (list []parts.ChannelRow, hidden int, err error) {
	known, err := c.Cfg.Ops.AlarmChannels(ctx, c.Who)
	for _, ch := range known {
		if ch.Name == "" {
			hidden++
			continue
		}
		row := parts.ChannelRow{AlarmChannel: ch}
		if now := ch.Trying; now != nil {
			row.Before = now.Error
			row.Now = c.T("alarms.trying", now.Attempt, now.Attempts)
			if !now.Next.IsZero() {
				next := now.Next.In(c.Cfg.Location).Format(time.TimeOnly)
				row.Now = c.T("alarms.trying.next", now.Attempt, now.Attempts, next)
			}
			if ch.Queued > 0 {
				row.Now += " · " + c.T("alarms.queued", say.Count(ch.Queued))
			}
		}
		list = append(list, row)
	}
	return list, hidden, err
}
