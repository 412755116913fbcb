package settingspages

import (
	"context"
	"log/slog"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	auditsPerPage = 100
	auditBatch    = 1000 // records that are read of an export at once
	auditShort    = 160  // characters of a detail that are shown at once
)

// auditPage is what was changed.
type auditPage struct {
	Tabs     []web.Tab
	Filter   url.Values // as it stands in the address
	Filtered bool
	Actions  []string
	Columns  []web.Column
	Sorts    []web.Order
	List     []auditRow
	File     string // path of the export of what the filter selects
	Older    string // path of the next page; "" at the end
	Newest   string // path of the first page; "" on it
	Problem  string
}

// auditRow is a record in the list.
type auditRow struct {
	model.Audit
	Did   string // the action in words; "" for one that has none
	Of    string // the object in words
	Mine  string // path of the list of the user's records
	Path  string // path of the object; "" where it has no page
	Short string // how the detail begins; "" when it is shown whole
}

// auditFields are the parameters of the filter.
var auditFields = []string{"user", "action", "object", "text", "from", "to"}

// auditFilter reads the filter from the address.
func (c *call) auditFilter() (f model.AuditFilter, problem string) {
	f = model.AuditFilter{
		User: c.Str("user"), Action: c.Str("action"), Object: c.auditObject(c.Str("object")), Text: c.Str("text"),
	}
	for name, to := range map[string]*time.Time{"from": &f.From, "to": &f.To} {
		text := c.Str(name)
		if text == "" {
			continue
		}
		t, err := time.ParseInLocation(web.InputTime, text, c.Cfg.Location)
		if err != nil {
			problem = c.T("audit.badtime", text)
			continue
		}
		*to = t
	}
	return f, problem
}

// auditColumns are the columns of the list: it has no bound, so that only its ids
// can order it.
var auditColumns = []web.Sortable{
	{Name: model.OrderTime, Key: "audit.at", Descending: true},
	{Key: "users.name"},
	{Key: "audit.action"},
	{Key: "audit.object"},
	{Key: "audit.detail"},
}

// audit shows what people and programs have changed.
func (c *call) audit(ctx context.Context) error {
	filter := c.Filter(append([]string{"sort"}, auditFields...)...)
	f, problem := c.auditFilter()
	f.Order, f.Limit = c.OrderOf("sort", "before"), auditsPerPage
	list, err := c.Cfg.Ops.Audits(ctx, c.Who, f)
	if err != nil {
		return err
	}
	at := func(path string, more ...string) string {
		v := url.Values{}
		for name := range filter {
			v.Set(name, filter.Get(name))
		}
		for i := 0; i+1 < len(more); i += 2 {
			v.Set(more[i], more[i+1])
		}
		if len(v) == 0 {
			return path
		}
		return path + "?" + v.Encode()
	}
	p := auditPage{
		Tabs: c.settingsTabs("audit"), Filter: filter, Filtered: len(c.Filter(auditFields...)) > 0,
		Actions: auditActions(),
		File:    web.PathWith("/settings/audit.csv", filter, "sort", ""), Problem: problem,
		Columns: c.Columns("/settings/audit", filter, "-at", auditColumns),
		Sorts:   c.Orders(filter.Get("sort"), "-at", auditColumns),
	}
	for _, a := range list {
		p.List = append(p.List, auditRow{
			Audit: a, Did: c.auditDid(a.Action), Of: c.auditOf(a.Object), Path: c.objectPath(a.Object),
			Mine: at("/settings/audit", "user", a.User), Short: shortDetail(a.Detail),
		})
	}
	if len(list) == auditsPerPage {
		p.Older = at("/settings/audit", "before", strconv.FormatInt(list[len(list)-1].ID, 10))
	}
	if f.Order.After != nil {
		p.Newest = at("/settings/audit")
	}
	return c.Render(ctx, "audit", c.settingsHead(c.T("settings.audit")), p)
}

// auditActions are the families of actions, for the filter.
func auditActions() []string {
	return []string{
		"alarm", "group", "job", "key", "log", "member", "mute", "rule", "session", "setting", "settings", "setup",
		"user",
	}
}

// shortDetail is how a long detail begins.
func shortDetail(detail string) string {
	if r := []rune(detail); len(r) > auditShort {
		return string(r[:auditShort]) + "…"
	}
	return ""
}

// auditDid is an action in words, or "".
func (c *call) auditDid(action string) string {
	if key := "audit.did." + action; i18n.HasConsole(key) {
		return c.T(key)
	}
	return ""
}

// auditOf is what an action was done to, as "job 12".
func (c *call) auditOf(object string) string {
	if kind, id, ok := strings.Cut(object, " "); ok && i18n.HasConsole("audit.of."+kind) {
		return c.T("audit.of."+kind, id)
	}
	return object
}

// auditObject is an object as it is on record, of one in the words of the page.
func (c *call) auditObject(text string) string {
	for _, kind := range []string{"job", "group", "log", "user", "key", "session"} {
		before, after, _ := strings.Cut(c.T("audit.of."+kind), "{0}")
		if id, ok := strings.CutPrefix(text, before); ok && after == "" && id != "" {
			return kind + " " + id
		}
	}
	return text
}

// objectPath is the page of what a record is about.
func (c *call) objectPath(object string) string {
	kind, id, ok := strings.Cut(object, " ")
	if n, err := strconv.ParseInt(id, 10, 64); !ok || err != nil || n <= 0 {
		return ""
	}
	switch kind {
	case "job":
		return "/jobs/" + id
	case "group":
		return "/executors/" + id
	case "log":
		return "/runs/" + id
	case "user":
		return "/settings/users/" + id
	}
	return ""
}

// auditCSV exports what the filter selects, the newest first.
func (c *call) auditCSV(ctx context.Context) error {
	f, _ := c.auditFilter()
	f.Limit = auditBatch
	return httpx.AuditFile{
		Format: httpx.FormatCSV, Zone: c.Cfg.Location,
		Next: func(beforeID int64) ([]model.Audit, error) {
			f.BeforeID = beforeID
			return c.Cfg.Ops.Audits(ctx, c.Who, f)
		},
		Failed: func(err error) {
			c.Cfg.Logger.ErrorContext(ctx, "export of the audit log ended early", slog.Any("err", err))
		},
	}.Serve(c.W)
}
