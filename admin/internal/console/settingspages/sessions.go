package settingspages

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const sessionsPerPage = 100

// sessionRow is a login in the list.
type sessionRow struct {
	ops.SessionView
	This    bool   // the one that asks
	Browser string // what it is, shortly
	User    string // path of the user; "" where it is not shown
	End     string // path of the action
}

// sessionsPage is the list of logins.
type sessionsPage struct {
	Tabs    []web.Tab
	Rows    []sessionRow
	Columns []web.Column
	Sorts   []web.Order
	Keep    url.Values // whose they are, for the form of orders
	All     bool       // everybody's are shown
	Of      string     // name of the user whose are shown; "" for one's own and everybody's
	EndAll  string     // path of the action that ends those of Of
	Others  int        // of one's own, beside this one
	Prev    string
	Next    string
}

// sessionColumns are the columns of the list but for the action; the first is for
// everybody's.
var sessionColumns = []web.Sortable{
	{Name: model.OrderUser, Key: "users.name"},
	{Key: "sessions.browser"},
	{Key: "sessions.client"},
	{Name: model.OrderSeen, Key: "sessions.seen", Descending: true},
	{Name: model.OrderCreated, Key: "sessions.began", Descending: true},
	{Name: model.OrderExpires, Key: "sessions.expires"},
}

// sessions shows one's own logins, and to administrators those of others.
func (c *call) sessions(ctx context.Context) error {
	p := sessionsPage{Tabs: c.settingsTabs("sessions")}
	user, filter := c.User.ID, c.Filter("who", "user", "sort")
	if c.User.Admin {
		switch id := c.Num("user", 0); {
		case id > 0 && id <= 1<<31-1:
			u, err := c.Cfg.Ops.User(ctx, c.Who, int32(id))
			if err != nil {
				return err
			}
			user, p.Of = u.ID, u.Username
			if u.ID != c.User.ID {
				p.EndAll = "/settings/users/" + strconv.Itoa(id) + "/sessions"
			}
		case c.Str("who") == "all":
			user, p.All = 0, true
		}
	}
	page := max(c.Num("page", 1), 1)
	list, err := c.Cfg.Ops.ListSessions(ctx, c.Who, model.SessionFilter{
		UserID: user, Order: c.OrderOf("sort", ""), Offset: (page - 1) * sessionsPerPage, Limit: sessionsPerPage + 1,
	})
	if err != nil {
		return err
	}
	columns := sessionColumns[1:]
	if p.All {
		columns = sessionColumns
	}
	p.Columns = c.Columns("/settings/sessions", filter, "-seen_at", columns)
	p.Sorts, p.Keep = c.Orders(filter.Get("sort"), "-seen_at", columns), c.Filter("who", "user")
	turn := func(to int) string {
		filter.Set("page", strconv.Itoa(to))
		return "/settings/sessions?" + filter.Encode()
	}
	if page > 1 {
		p.Prev = turn(page - 1)
	}
	if len(list) > sessionsPerPage {
		list, p.Next = list[:sessionsPerPage], turn(page+1)
	}
	this := auth.SessionID(c.Session)
	for _, v := range list {
		row := sessionRow{
			SessionView: v, This: v.ID == this, Browser: browserOf(v.Agent), End: "/settings/sessions/" + v.ID + "/end",
		}
		if p.All {
			row.User = "/settings/sessions?user=" + strconv.Itoa(int(v.UserID))
		}
		if v.UserID == c.User.ID && !row.This {
			p.Others++
		}
		p.Rows = append(p.Rows, row)
	}
	return c.Render(ctx, "sessions", c.settingsHead(c.T("settings.sessions")), p)
}

// browserOf names the browser and the system of a user agent, as far as that
// can be told from it; else it is how the text begins.
func browserOf(agent string) string {
	pick := func(names ...string) string {
		for i := 0; i+1 < len(names); i += 2 {
			if strings.Contains(agent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	browser := pick("Edg/", "Edge", "OPR/", "Opera", "Firefox/", "Firefox", "Chrome/", "Chrome", "Safari/", "Safari",
		"curl/", "curl")
	system := pick("Windows", "Windows", "Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Mac OS X", "macOS",
		"Linux", "Linux")
	switch {
	case browser != "" && system != "":
		return browser + ", " + system
	case browser != "":
		return browser
	}
	short, _, _ := strings.Cut(agent, " ")
	return short
}

// endSession ends a login; the present one leads to the login page.
func (c *call) endSession(ctx context.Context) error {
	id := c.R.PathValue("id")
	back := c.Local(c.Str("back"), "/settings/sessions")
	if err := c.Cfg.Ops.EndSession(ctx, c.Who, id); err != nil {
		return c.Refuse(back, err)
	}
	if id == auth.SessionID(c.Session) {
		c.Cookie(web.SessionCookie, "", -time.Second)
		c.Cookie(web.OlderCookie, "", -time.Second)
		return c.Done("/signin", c.T("sessions.did.this"))
	}
	return c.Done(back, c.T("sessions.did.end"))
}

// endOthers ends one's own logins but this one.
func (c *call) endOthers(ctx context.Context) error {
	n, err := c.Cfg.Ops.EndUserSessions(ctx, c.Who, c.User.ID, auth.SessionID(c.Session))
	if err != nil {
		return c.Refuse("/settings/sessions", err)
	}
	return c.Done("/settings/sessions", c.T("sessions.did.others", n))
}

// endUser ends all logins of a user.
func (c *call) endUser(ctx context.Context) error {
	id := c.ID32("id")
	back := c.Local(c.Str("back"), "/settings/sessions?user="+strconv.Itoa(int(id)))
	keep := ""
	if id == c.User.ID {
		keep = auth.SessionID(c.Session)
	}
	n, err := c.Cfg.Ops.EndUserSessions(ctx, c.Who, id, keep)
	if err != nil {
		return c.Refuse("/settings/sessions", err)
	}
	return c.Done(back, c.T("sessions.did.others", n))
}
