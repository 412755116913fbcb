package alarmpages

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/parts"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// endedAlarms is the list of alarms that have ended, and what it is narrowed to.
type endedAlarms struct {
	Filter       url.Values // as it stands in the address
	Filtered     bool
	Problem      string
	Seen         []web.Option // groups whose alarms the visitor sees
	Kinds        []web.Option
	Recent       []parts.AlarmRow
	EndedColumns []web.Column
	EndedSorts   []web.Order
	Next         string // path of the next page; "" at the end
	First        string // path of the first page; "" on it
	Renew        string // path of what renews itself; "" when it does not
}

// endedAlarms reads a page of the list.
func (c *call) endedAlarms(ctx context.Context, p *endedAlarms) error {
	p.Filter = c.Filter("of", "what", "from", "to", "sort", "open")
	p.Filtered = len(c.Filter("of", "what", "from", "to")) > 0
	for _, what := range append([]model.AlarmWhat{model.AlarmOnFailure}, model.AlarmRules()...) {
		p.Kinds = append(p.Kinds, web.Option{Value: string(what), Text: c.T("alarms.what." + string(what))})
	}
	f := model.AlarmFilter{Ended: true, Limit: alarmsRecent, What: model.AlarmWhat(c.Str("what"))}
	if of := c.Str("of"); of != "" {
		id, _ := strconv.ParseInt(of, 10, 32)
		f.GroupIDs = []int32{int32(id)} // 0 is no group
	}
	for name, to := range map[string]*time.Time{"from": &f.From, "to": &f.To} {
		text := c.Str(name)
		if text == "" {
			continue
		}
		at, err := time.ParseInLocation(web.InputTime, text, c.Cfg.Location)
		if err != nil {
			p.Problem = c.T("audit.badtime", text)
			continue
		}
		*to = at
	}
	f.Order = c.OrderOf("sort", "before")
	columns := alarmColumns("alarms.until", endedOrders)
	p.EndedColumns = c.Columns("/alarms", p.Filter, "-first_at", columns)
	p.EndedSorts = c.Orders(p.Filter.Get("sort"), "-first_at", columns)
	ended, err := c.Cfg.Ops.Alarms(ctx, c.Who, f)
	if err != nil {
		return err
	}
	p.Recent = c.AlarmRows(ended)
	if len(ended) == alarmsRecent {
		p.Next = web.PathWith("/alarms", p.Filter, "before", web.Place(ended[len(ended)-1].Mark(f.Order.By)))
	}
	if f.Order.After != nil {
		p.First = web.PathWith("/alarms", p.Filter)
		return nil
	}
	p.Renew = web.PathWith("/alarms", p.Filter, "part", "recent")
	return nil
}
