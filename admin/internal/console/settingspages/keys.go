package settingspages

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/console/web"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

const keysPerPage = 100

// keyRow is an API key in the list.
type keyRow struct {
	*model.Key
	State  web.State
	Scope  []string // titles of the groups; empty is all
	Revoke string   // path of the action; "" of a key that does not count
}

// keyForm is the form of a new key.
type keyForm struct {
	Name    string
	Verbs   []string
	All     bool
	Chosen  []string
	Days    string // until it expires; "" is never
	Problem string
}

// HasVerb reports whether a verb is chosen, Has whether a group is.
func (f *keyForm) HasVerb(v string) bool { return slices.Contains(f.Verbs, v) }

// Has reports whether a group is chosen.
func (f *keyForm) Has(id string) bool { return slices.Contains(f.Chosen, id) }

// keysPage is the list of API keys, and the form of a new one.
type keysPage struct {
	Tabs    []web.Tab
	Keys    []keyRow
	Columns []web.Column
	Sorts   []web.Order
	Older   string
	Newest  string
	Form    *keyForm
	Verbs   []web.Option
	Terms   []web.Option
	Groups  []web.Option
	Made    *model.Key // that was made just now
	Secret  string     // of Made: it is on this answer and nowhere else
}

// keyColumns are the columns of the list but for the action.
var keyColumns = []web.Sortable{
	{Key: "keys.state", Class: "fit"},
	{Name: model.OrderName, Key: "keys.name"},
	{Key: "keys.prefix"},
	{Key: "keys.verbs"},
	{Key: "keys.scope"},
	{Name: model.OrderExpires, Key: "keys.expires"},
	{Name: model.OrderUsed, Key: "keys.used", Descending: true},
	{Name: model.OrderID, Key: "keys.by", Descending: true},
}

func (c *call) keys(ctx context.Context) error {
	return c.showKeys(ctx, http.StatusOK, keysPage{Form: &keyForm{Verbs: []string{"read"}, All: true, Days: "90"}})
}

func (c *call) showKeys(ctx context.Context, status int, p keysPage) error {
	var order model.Order
	filter := url.Values{}
	if c.R.Method == http.MethodGet { // else what was typed into the form is no order
		order, filter = c.OrderOf("sort", "before"), c.Filter("sort")
	}
	list, err := c.Cfg.Ops.ListKeys(ctx, c.Who, model.KeyFilter{Order: order, Limit: keysPerPage})
	if err != nil {
		return err
	}
	groups, err := c.Cfg.Ops.PermittedGroups(ctx, c.Who)
	if err != nil {
		return err
	}
	titles := web.GroupTitles(groups)
	for _, k := range list {
		p.Keys = append(p.Keys, c.keyRow(k, titles))
	}
	if len(list) == keysPerPage {
		p.Older = web.PathWith("/settings/keys", filter, "before", web.Place(list[len(list)-1].Mark(order.By)))
	}
	if order.After != nil {
		p.Newest = web.PathWith("/settings/keys", filter)
	}
	p.Columns = c.Columns("/settings/keys", filter, "-id", keyColumns)
	p.Sorts = c.Orders(filter.Get("sort"), "-id", keyColumns)
	p.Tabs, p.Groups = c.settingsTabs("keys"), web.GroupOptions(groups)
	for _, v := range model.Verbs() {
		p.Verbs = append(p.Verbs, web.Option{Value: string(v), Text: c.T("keys.verb." + string(v))})
	}
	for _, days := range []string{"7", "30", "90", "365"} {
		p.Terms = append(p.Terms, web.Option{Value: days, Text: c.T("keys.days", days)})
	}
	p.Terms = append(p.Terms, web.Option{Value: "", Text: c.T("keys.never")})
	return c.RenderStatus(ctx, status, "keys", c.settingsHead(c.T("settings.keys")), p)
}

func (c *call) keyRow(k *model.Key, titles map[int32]string) keyRow {
	row := keyRow{Key: k, State: web.State{Kind: "ok", Text: c.T("keys.valid")}}
	switch {
	case !k.Revoked.IsZero():
		row.State = web.State{Kind: "off", Text: c.T("keys.revoked")}
	case !k.Valid(c.Now()):
		row.State = web.State{Kind: "off", Text: c.T("keys.expired")}
	default:
		row.Revoke = "/settings/keys/" + strconv.FormatInt(k.ID, 10) + "/revoke"
	}
	for _, id := range k.GroupIDs {
		title := titles[id]
		if title == "" {
			title = "#" + strconv.Itoa(int(id))
		}
		row.Scope = append(row.Scope, title)
	}
	return row
}

// createKey makes a key and shows its secret on the answer itself.
func (c *call) createKey(ctx context.Context) error {
	f := &keyForm{
		Name: c.Str("name"), Verbs: c.R.PostForm["verb"],
		All: c.Str("scope") != "groups", Chosen: c.R.PostForm["group"],
		Days: c.Str("days"),
	}
	in := ops.KeyInput{Name: f.Name, AllGroups: f.All}
	for _, v := range f.Verbs {
		in.Verbs = append(in.Verbs, model.Verb(v))
	}
	if !f.All {
		in.GroupIDs = c.IDs("group")
	}
	if days := c.Num("days", 0); days > 0 {
		in.Expires = c.Now().Add(time.Duration(min(days, 36500)) * 24 * time.Hour)
	}
	k, secret, err := c.Cfg.Ops.CreateKey(ctx, c.Who, in)
	if err != nil {
		text, ours := c.Why(err)
		if !ours {
			return err
		}
		f.Problem = text
		return c.showKeys(ctx, http.StatusUnprocessableEntity, keysPage{Form: f})
	}
	c.W.Header().Set("Cache-Control", "no-store")
	return c.showKeys(ctx, http.StatusOK, keysPage{
		Form: &keyForm{Verbs: []string{"read"}, All: true, Days: "90"}, Made: k, Secret: secret,
	})
}

func (c *call) revokeKey(ctx context.Context) error {
	if err := c.Cfg.Ops.RevokeKey(ctx, c.Who, c.ID64("id")); err != nil {
		return c.Refuse("/settings/keys", err)
	}
	return c.Done("/settings/keys", c.T("keys.did.revoke"))
}
