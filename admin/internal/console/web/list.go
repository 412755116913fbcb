package web

import (
	"cmp"
	"maps"
	"net/url"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// Tab is one of several pages about the same.
type Tab struct {
	Text, Path string
	Current    bool
}

// Fact is a setting in words.
type Fact struct {
	Name, Value string
	Mono        bool
	Links       []Crumb // stand in place of Value, where there are any
}

// Column is the head of a column by which the list can be sorted.
type Column struct {
	Text, Path string
	Sort       string // ascending, descending, or "" when it is not this one
	Class      string
}

// Option is an entry of a choice.
type Option struct{ Value, Text string }

// Sortable is a column by which a list can be sorted: the name of the order, ""
// for none, the key of the text, and whether it begins with the greatest.
type Sortable struct {
	Name, Key, Class string
	Descending       bool
}

// Filter returns the named parameters that are set.
func (c *Call) Filter(names ...string) url.Values {
	v := url.Values{}
	for _, name := range names {
		if text := c.Str(name); text != "" {
			v.Set(name, text)
		}
	}
	return v
}

// PathWith is a path with a filter and further parameters; one that is "" is left
// out.
func PathWith(path string, v url.Values, pairs ...string) string {
	w := maps.Clone(v)
	for i := 0; i+1 < len(pairs); i += 2 {
		if w.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			w.Del(pairs[i])
		}
	}
	if len(w) == 0 {
		return path
	}
	return path + "?" + w.Encode()
}

// Columns are the heads of the columns of a list; usual is its order without a
// choice.
func (c *Call) Columns(path string, v url.Values, usual string, cols []Sortable) []Column {
	return c.ColumnsBy("sort", path, v, usual, cols)
}

// ColumnsBy is Columns where the order is in another parameter than sort.
func (c *Call) ColumnsBy(param, path string, v url.Values, usual string, cols []Sortable) []Column {
	list := make([]Column, len(cols))
	sorted, descending := strings.CutPrefix(cmp.Or(v.Get(param), usual), "-")
	for i, col := range cols {
		list[i] = Column{Text: c.T(col.Key), Class: col.Class}
		if col.Name == "" {
			continue
		}
		down := col.Descending
		if col.Name == sorted {
			list[i].Sort = "ascending"
			if down = !descending; descending {
				list[i].Sort = "descending"
			}
		}
		sort := col.Name
		if down {
			sort = "-" + sort
		}
		if sort == usual {
			sort = ""
		}
		list[i].Path = PathWith(path, v, param, sort)
	}
	return list
}

// Order is an order of a list to choose from, where its columns have no heads.
type Order struct {
	Option
	Current bool
}

// Orders are the orders of a list, each column both ways; chosen is the one that
// counts, and usual that without a choice.
func (c *Call) Orders(chosen, usual string, cols []Sortable) []Order {
	var list []Order
	if usual == "" { // an order that no column has
		list = append(list, Order{Option{"", c.T("sort.usual")}, chosen == ""})
	}
	for _, col := range cols {
		if col.Name == "" {
			continue
		}
		for _, way := range []struct{ sign, key string }{{"", "sort.up"}, {"-", "sort.down"}} {
			value := way.sign + col.Name
			o := Order{Option{value, c.T(way.key, c.T(col.Key))}, value == cmp.Or(chosen, usual)}
			if value == usual {
				o.Value = ""
			}
			list = append(list, o)
		}
	}
	return list
}

// OrderOf reads the order of a list from the address, and where in it the page
// begins.
func (c *Call) OrderOf(param, place string) model.Order {
	o := model.OrderOf(c.Str(param))
	text := strings.SplitN(c.Str(place), ".", 3)
	id, err := strconv.ParseInt(text[0], 10, 64)
	if err != nil || id <= 0 {
		return o
	}
	o.After = &model.Mark{ID: id}
	if len(text) == 3 {
		o.After.Number, _ = strconv.ParseInt(text[1], 10, 64)
		o.After.Text = text[2]
	}
	return o
}

// Place writes down where a page of a list ends.
func Place(m model.Mark) string {
	text := strconv.FormatInt(m.ID, 10)
	if m.Number != 0 || m.Text != "" {
		text += "." + strconv.FormatInt(m.Number, 10) + "." + m.Text
	}
	return text
}

// GroupTitles are the titles of groups by their ids.
func GroupTitles(groups []*ops.Group) map[int32]string {
	titles := make(map[int32]string, len(groups))
	for _, g := range groups {
		titles[g.ID] = g.Title
	}
	return titles
}

// GroupOptions are groups to choose from.
func GroupOptions(groups []*ops.Group) []Option {
	list := make([]Option, len(groups))
	for i, g := range groups {
		list[i] = Option{strconv.Itoa(int(g.ID)), g.Title + " (" + g.AppName + ")"}
	}
	return list
}

// GroupsToChoose are the groups in which the visitor is an editor, of which one has
// to be chosen.
func (c *Call) GroupsToChoose(groups []*ops.Group) []Option {
	return append([]Option{{"", c.T("edit.choose")}}, GroupOptions(c.Having(model.RoleEditor, groups))...)
}

// maxPicked bounds how many rows are ticked one by one: those of some pages.
const maxPicked = 1000

// IDs returns the positive numbers of a parameter that may be there several
// times, each once.
func (c *Call) IDs(name string) []int32 {
	var list []int32
	seen := map[int32]bool{}
	for _, text := range c.R.PostForm[name] {
		id, err := strconv.ParseInt(text, 10, 32)
		if err == nil && id > 0 && !seen[int32(id)] && len(list) < maxPicked {
			list = append(list, int32(id))
			seen[int32(id)] = true
		}
	}
	return list
}

// Positive returns a parameter that is a positive number, and else "": Java's
// pages say 0 and -1 for everything.
func (c *Call) Positive(name string) string {
	n, err := strconv.ParseInt(c.Str(name), 10, 64)
	if err != nil || n <= 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// InputTime is the form of a field of date and time.
const InputTime = "2006-01-02T15:04"

// State is how something is, above all a run: a kind for its shape, and a word.
type State struct{ Kind, Text string }

// Query makes a query string out of names and values; empty values are left
// out.
func Query(pairs ...string) string {
	v := url.Values{}
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	if len(v) == 0 {
		return ""
	}
	return "?" + v.Encode()
}
