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
	Filter   url.Values // as it stands in the address
	Filtered bool
	Problem  string
	Seen     []web.Option // groups whose alarms the visitor sees
	Kinds    []web.Option
	Recent   []parts.AlarmRow
	Next     string // path of the next page; "" at the end
	First    string // path of the first page; "" on it
	Renew    string // path of what renews itself; "" when it does not
}

// endedAlarms reads a page of the list.
func (c *call) endedAlarms(ctx context.Context, p *endedAlarms) error {
	p.Filter = c.Filter("of", "what", "from", "to")
	p.Filtered = len(p.Filter) > 0
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
	before, _ := strconv.ParseInt(c.Str("before"), 10, 64)
	f.BeforeID = max(before, 0)
	ended, err := c.Cfg.Ops.Alarms(ctx, c.Who, f)
	if err != nil {
		return err
	}
	p.Recent = c.AlarmRows(ended)
	at := func(name, value string) string {
		q := url.Values{name: {value}}
		for key := range p.Filter {
			q.Set(key, p.Filter.Get(key))
		}
		return "/alarms?" + q.Encode()
	}
	if len(ended) == alarmsRecent {
		p.Next = at("before", strconv.FormatInt(ended[len(ended)-1].ID, 10))
	}
	if f.BeforeID > 0 {
		p.First = "/alarms"
		if p.Filtered {
			p.First += "?" + p.Filter.Encode()
		}
		return nil
	}
	p.Renew = at("part", "recent")
	return nil
}
