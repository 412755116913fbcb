package console

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/auth"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const sessionsPerPage = 100

// registerSessions registers what is about logins.
func (s *Server) registerSessions() {
	s.page("/settings/sessions", httpx.LoggedIn, (*call).sessions)
	s.action("/settings/sessions/{id}/end", httpx.LoggedIn, (*call).endSession)
	s.action("/settings/sessions/others", httpx.LoggedIn, (*call).endOthers)
	s.action("/settings/users/{id}/sessions", httpx.Admin, (*call).endUser)
}

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
	Tabs   []tab
	Rows   []sessionRow
	All    bool   // everybody's are shown
	Of     string // name of the user whose are shown; "" for one's own and everybody's
	EndAll string // path of the action that ends those of Of
	Others int    // of one's own, beside this one
	Prev   string
	Next   string
}

// sessions shows one's own logins, and to administrators those of others.
func (c *call) sessions(ctx context.Context) error {
	p := sessionsPage{Tabs: c.settingsTabs("sessions")}
	user, filter := c.user.ID, c.filter("who", "user")
	if c.user.Admin {
		switch id := c.num("user", 0); {
		case id > 0 && id <= 1<<31-1:
			u, err := c.s.cfg.Ops.User(ctx, c.who, int32(id))
			if err != nil {
				return err
			}
			user, p.Of = u.ID, u.Username
			if u.ID != c.user.ID {
				p.EndAll = "/settings/users/" + strconv.Itoa(id) + "/sessions"
			}
		case c.str("who") == "all":
			user, p.All = 0, true
		}
	}
	page := max(c.num("page", 1), 1)
	list, err := c.s.cfg.Ops.Sessions(ctx, c.who, user, (page-1)*sessionsPerPage, sessionsPerPage+1)
	if err != nil {
		return err
	}
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
	this := auth.SessionID(c.session)
	for _, v := range list {
		row := sessionRow{
			SessionView: v, This: v.ID == this, Browser: browserOf(v.Agent), End: "/settings/sessions/" + v.ID + "/end",
		}
		if p.All {
			row.User = "/settings/sessions?user=" + strconv.Itoa(int(v.UserID))
		}
		if v.UserID == c.user.ID && !row.This {
			p.Others++
		}
		p.Rows = append(p.Rows, row)
	}
	return c.render(ctx, "sessions", c.settingsHead(c.t("settings.sessions")), p)
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
	id := c.r.PathValue("id")
	back := c.local(c.str("back"), "/settings/sessions")
	if err := c.s.cfg.Ops.EndSession(ctx, c.who, id); err != nil {
		return c.refuse(back, err)
	}
	if id == auth.SessionID(c.session) {
		c.cookie(sessionCookie, "", -time.Second)
		c.cookie(olderCookie, "", -time.Second)
		return c.done("/signin", c.t("sessions.did.this"))
	}
	return c.done(back, c.t("sessions.did.end"))
}

// endOthers ends one's own logins but this one.
func (c *call) endOthers(ctx context.Context) error {
	n, err := c.s.cfg.Ops.EndUserSessions(ctx, c.who, c.user.ID, auth.SessionID(c.session))
	if err != nil {
		return c.refuse("/settings/sessions", err)
	}
	return c.done("/settings/sessions", c.t("sessions.did.others", n))
}

// endUser ends all logins of a user.
func (c *call) endUser(ctx context.Context) error {
	id := c.id32("id")
	back := c.local(c.str("back"), "/settings/sessions?user="+strconv.Itoa(int(id)))
	keep := ""
	if id == c.user.ID {
		keep = auth.SessionID(c.session)
	}
	n, err := c.s.cfg.Ops.EndUserSessions(ctx, c.who, id, keep)
	if err != nil {
		return c.refuse("/settings/sessions", err)
	}
	return c.done(back, c.t("sessions.did.others", n))
}
