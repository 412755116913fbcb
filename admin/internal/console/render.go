package console

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/frame"
	"github.com/xxljob-go/xxljob/admin/internal/console/say"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// funcs are what every template may call.
func (s *Server) funcs(key frame.Key) template.FuncMap {
	return template.FuncMap{
		"T":       key.Lang.Console,
		"path":    func(parts ...any) string { return key.Prefix + frame.Join(parts) },
		"asset":   func(name string) string { return key.Prefix + "/static/" + s.assets.Name(name) },
		"has":     s.has,
		"icon":    frame.Icon,
		"dict":    frame.Dict,
		"list":    func(items ...any) []any { return items },
		"ago":     func(t time.Time) string { return say.Ago(key.Lang, s.cfg.Now(), t) },
		"stamp":   func(t time.Time) string { return say.Stamp(t.In(s.cfg.Location)) },
		"stampMs": func(t time.Time) string { return say.StampMs(t.In(s.cfg.Location)) },
		"exact": func(t time.Time) string {
			return t.Format("2006-01-02 ") + key.Lang.Console("weekday."+strconv.Itoa(int(t.Weekday()))) +
				t.Format(" 15:04:05 ") + say.Offset(t)
		},
		"iso":   func(t time.Time) string { return t.In(s.cfg.Location).Format(time.RFC3339) },
		"took":  func(d time.Duration) string { return say.Took(key.Lang, d) },
		"count": say.Count,
		"join":  strings.Join,
	}
}

// crumb is a step of the way to a page.
type crumb struct {
	Text string
	Path string // "" for the page itself
}

// head is what a page says of itself.
type head struct {
	Title   string
	Section string  // of the rail: overview, jobs, runs, executors, alarms, settings, help
	Crumbs  []crumb // above the title; without the page itself
	Script  string  // a module of static/ that the page needs beside app.js
	Reload  int     // seconds until the page loads itself again where scripts do not run; 0 is never
}

// navItem is an entry of the rail.
type navItem struct {
	Name, Path string
	Current    bool
}

// view is what a template gets: P is the page's own struct.
type view struct {
	head
	Lang    string // for the attribute lang
	Langs   []langItem
	Theme   string
	User    string // "" when nobody is logged in
	Admin   bool
	May     rights // in some group
	CSRF    string
	Here    string // path and query of this page, behind the context path
	Again   bool   // it can be loaded again at Here
	Nav     []navItem
	Flash   *flash
	Clock   string
	Zone    string
	Node    Cluster
	Version string
	P       any
}

type langItem struct {
	Code, Name string
	Current    bool
}

// langNames are the codes and the names of the languages in themselves.
var langNames = []struct {
	lang       i18n.Lang
	code, name string
}{
	{i18n.ZhCN, "zh-CN", "简体中文"},
	{i18n.ZhTC, "zh-TW", "繁體中文"},
	{i18n.En, "en", "English"},
}

// sections are the entries of the rail, shown when their page is there.
var sections = []struct {
	name, path string
	admin      bool
}{
	{"overview", "/", false},
	{"jobs", "/jobs", false},
	{"runs", "/runs", false},
	{"executors", "/executors", false},
	{"alarms", "/alarms", false},
	{"settings", "/settings", false},
	{"help", "/help", false},
}

// render answers with a page.
func (c *call) render(ctx context.Context, name string, h head, p any) error {
	return c.renderStatus(ctx, http.StatusOK, name, h, p)
}

func (c *call) renderStatus(ctx context.Context, status int, name string, h head, p any) error {
	v := view{
		head: h, Theme: c.theme, CSRF: c.csrf(), Here: c.here(), Flash: c.takeFlash(),
		Clock: c.now().Format(time.TimeOnly), Zone: say.ZoneName(c.s.cfg.Location, c.now()),
		Version: c.s.cfg.Version, Again: c.r.Method == http.MethodGet, P: p,
	}
	for _, l := range langNames {
		if l.lang == c.lang {
			v.Lang = l.code
		}
		v.Langs = append(v.Langs, langItem{l.code, l.name, l.lang == c.lang})
	}
	if c.user != nil {
		v.User, v.Admin, v.May = c.user.Username, c.user.Admin, rightsOf(c.who.CanAnywhere)
		v.Node = c.status(ctx)
		for _, item := range sections {
			if c.s.has(item.path) && (!item.admin || c.user.Admin) {
				v.Nav = append(v.Nav, navItem{item.name, item.path, item.name == h.Section})
			}
		}
	}
	page, err := c.s.templates.Page(frame.Key{Lang: c.lang, Prefix: httpx.Prefix(c.r)}, name)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	var body bytes.Buffer
	if err := page.ExecuteTemplate(&body, "layout", v); err != nil {
		return fmt.Errorf("console: render %s: %w", name, err)
	}
	httpx.WriteBody(c.w, status, httpx.TypeHTML, body.Bytes())
	return nil
}

// part answers with one named template of a page: what a script puts in place
// of what is there.
func (c *call) part(page, name string, p any) error {
	set, err := c.s.templates.Page(frame.Key{Lang: c.lang, Prefix: httpx.Prefix(c.r)}, page)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	var body bytes.Buffer
	v := view{CSRF: c.csrf(), Admin: c.who.Admin, May: rightsOf(c.who.CanAnywhere), Here: c.here(), P: p}
	if err := set.ExecuteTemplate(&body, name, v); err != nil {
		return fmt.Errorf("console: render %s of %s: %w", name, page, err)
	}
	tag := tagOf(body.Bytes())
	c.w.Header().Set("ETag", tag)
	if c.r.Header.Get("If-None-Match") == tag {
		c.w.WriteHeader(http.StatusNotModified)
		return nil
	}
	httpx.WriteBody(c.w, http.StatusOK, httpx.TypeHTML, body.Bytes())
	return nil
}

// relative finds times in words of a page: scripts let them go on.
var relative = regexp.MustCompile(`(<time [^>]*>)[^<]*</time>`)

// tagOf tells answers apart that say something else, but for the relative times in
// them, which go on in the page.
func tagOf(body []byte) string {
	sum := sha256.Sum256(relative.ReplaceAll(body, []byte("$1")))
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

// here is the address of the page behind the context path, to come back to. A part
// of it is asked for with a parameter more.
func (c *call) here() string {
	if c.r.Method != http.MethodGet && c.r.Method != http.MethodHead {
		return "/"
	}
	path, raw := httpx.Path(c.r), c.r.URL.RawQuery
	if query := c.r.URL.Query(); query.Has("part") {
		query.Del("part")
		raw = query.Encode()
	}
	if raw != "" {
		path += "?" + raw
	}
	return path
}
