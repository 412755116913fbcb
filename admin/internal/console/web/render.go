package web

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
		"asset":   func(name string) string { return key.Prefix + "/static/" + s.Assets.Name(name) },
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

// Crumb is a step of the way to a page.
type Crumb struct {
	Text string
	Path string // "" for the page itself
}

// Under is the way to a page of a section that is not its first.
func (c *Call) Under(section string) []Crumb {
	return []Crumb{{c.T("nav." + section), "/" + section}}
}

// Head is what a page says of itself.
type Head struct {
	Title   string
	Section string  // of the rail: overview, jobs, runs, executors, alarms, settings, help
	Crumbs  []Crumb // above the title; without the page itself
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
	Head
	Lang    string // for the attribute lang
	Langs   []langItem
	Theme   string
	User    string // "" when nobody is logged in
	Admin   bool
	May     Rights // in some group
	CSRF    string
	Here    string // path and query of this page, behind the context path
	Again   bool   // it can be loaded again at Here
	Nav     []navItem
	Flash   *Flash
	Clock   string
	Zone    string
	Node    Cluster
	Foot    Foot
	Version string
	P       any
}

type langItem struct {
	Code, Name string
	Current    bool
}

// LangNames are the codes and the names of the languages in themselves.
var LangNames = []struct {
	Lang       i18n.Lang
	Code, Name string
}{
	{i18n.ZhCN, "zh-CN", "简体中文"},
	{i18n.ZhTC, "zh-TW", "繁體中文"},
	{i18n.En, "en", "English"},
}

// Sections are the entries of the rail, shown when their page is there.
var Sections = []struct {
	Name, Path string
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

// Render answers with a page.
func (c *Call) Render(ctx context.Context, name string, h Head, p any) error {
	return c.RenderStatus(ctx, http.StatusOK, name, h, p)
}

// RenderStatus is Render with another status.
func (c *Call) RenderStatus(ctx context.Context, status int, name string, h Head, p any) error {
	v := view{
		Head: h, Theme: c.theme, CSRF: c.csrf(), Here: c.Here(), Flash: c.takeFlash(),
		Clock: c.Now().Format(time.TimeOnly), Zone: say.ZoneName(c.Cfg.Location, c.Now()),
		Version: c.Cfg.Version, Again: c.R.Method == http.MethodGet, P: p,
	}
	for _, l := range LangNames {
		if l.Lang == c.Lang {
			v.Lang = l.Code
		}
		v.Langs = append(v.Langs, langItem{l.Code, l.Name, l.Lang == c.Lang})
	}
	if c.User != nil {
		v.User, v.Admin, v.May = c.User.Username, c.User.Admin, RightsOf(c.Who.CanAnywhere)
		v.Node = c.Status(ctx)
		v.Foot = c.FootOf(v.Node)
		for _, item := range Sections {
			if c.Has(item.Path) && (!item.admin || c.User.Admin) {
				v.Nav = append(v.Nav, navItem{item.Name, item.Path, item.Name == h.Section})
			}
		}
	}
	page, err := c.s.Templates.Page(frame.Key{Lang: c.Lang, Prefix: httpx.Prefix(c.R)}, name)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	var body bytes.Buffer
	if err := page.ExecuteTemplate(&body, "layout", v); err != nil {
		return fmt.Errorf("console: render %s: %w", name, err)
	}
	httpx.WriteBody(c.W, status, httpx.TypeHTML, body.Bytes())
	return nil
}

// Part answers with one named template of a page: what a script puts in place
// of what is there.
func (c *Call) Part(page, name string, p any) error {
	set, err := c.s.Templates.Page(frame.Key{Lang: c.Lang, Prefix: httpx.Prefix(c.R)}, page)
	if err != nil {
		return fmt.Errorf("console: %w", err)
	}
	var body bytes.Buffer
	v := view{CSRF: c.csrf(), Admin: c.Who.Admin, May: RightsOf(c.Who.CanAnywhere), Here: c.Here(), P: p}
	if err := set.ExecuteTemplate(&body, name, v); err != nil {
		return fmt.Errorf("console: render %s of %s: %w", name, page, err)
	}
	tag := tagOf(body.Bytes())
	c.W.Header().Set("ETag", tag)
	if c.R.Header.Get("If-None-Match") == tag {
		c.W.WriteHeader(http.StatusNotModified)
		return nil
	}
	httpx.WriteBody(c.W, http.StatusOK, httpx.TypeHTML, body.Bytes())
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

// Here is the address of the page behind the context path, to come back to. A part
// of it is asked for with a parameter more.
func (c *Call) Here() string {
	if c.R.Method != http.MethodGet && c.R.Method != http.MethodHead {
		return "/"
	}
	path, raw := httpx.Path(c.R), c.R.URL.RawQuery
	if query := c.R.URL.Query(); query.Has("part") {
		query.Del("part")
		raw = query.Encode()
	}
	if raw != "" {
		path += "?" + raw
	}
	return path
}
