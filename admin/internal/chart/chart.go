package chart

import (
	_ "embed"
	"html/template"
	"math"
	"strconv"
	"strings"
)

// Stylesheet is the CSS of all charts, to be served as a file.
//
//go:embed chart.css
var Stylesheet string

// Frame is what every chart has.
type Frame struct {
	// ID is unique in the page. Letters, digits and hyphens; others are dropped.
	ID string
	// Title says what the chart shows, Unit what its numbers count.
	Title, Unit string
	// Table is the label of the disclosure over the numbers, as "Table".
	Table string

	legend []Series // what stands for what, where there is more than one
}

// Class is the result that a mark stands for: it decides colour and shape. An
// unknown one is drawn as Lost.
type Class string

// The classes.
const (
	OK      Class = "ok"
	Failed  Class = "failed"
	Timeout Class = "timeout" // failed, by its time limit
	Running Class = "running"
	Waiting Class = "waiting"
	Skipped Class = "skipped"
	Lost    Class = "lost"
	Killed  Class = "killed" // by a person
	Plain   Class = "plain"  // no result: lateness, a number of things
)

// name is the CSS class.
func (c Class) name() string {
	switch c {
	case OK, Failed, Timeout, Running, Waiting, Skipped, Lost, Killed, Plain:
		return "c-" + string(c)
	}
	return "c-" + string(Lost)
}

// sign stands for the class in a text.
func (c Class) sign() string {
	switch c {
	case OK:
		return "✓"
	case Failed, Timeout:
		return "✕"
	case Running:
		return "●"
	case Waiting:
		return "◷"
	case Skipped:
		return "⊘"
	case Lost:
		return "?"
	case Killed, Plain:
	}
	return "■"
}

// canvas builds one chart.
type canvas struct {
	strings.Builder
}

// tag writes an element of SVG that has no content; attrs are names and values
// in turn.
func (c *canvas) tag(name string, attrs ...string) {
	c.begin(name, attrs)
	c.WriteString("/>")
}

// open writes a start tag.
func (c *canvas) open(name string, attrs ...string) {
	c.begin(name, attrs)
	c.WriteByte('>')
}

func (c *canvas) begin(name string, attrs []string) {
	c.WriteString("<" + name)
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i+1] == "" {
			continue
		}
		c.WriteString(" " + attrs[i] + `="` + escape(attrs[i+1]) + `"`)
	}
}

func (c *canvas) end(name string) { c.WriteString("</" + name + ">") }

// text writes an element with a text.
func (c *canvas) text(name, text string, attrs ...string) {
	c.open(name, attrs...)
	c.WriteString(escape(text))
	c.end(name)
}

// html is what was built. Everything in it went through escape.
func (c *canvas) html() template.HTML {
	return template.HTML(c.String()) //nolint:gosec // escaped piece by piece
}

// escape makes a text harmless in content and in quoted attributes. Characters
// that neither HTML nor XML know are replaced.
func escape(s string) string {
	if harmless(s) {
		return s
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r == 0x7f || r == 0xfffe || r == 0xffff {
			return '\ufffd'
		}
		return r
	}, strings.ToValidUTF8(s, "\ufffd"))
	return template.HTMLEscapeString(s)
}

// harmless reports whether nothing in a text needs to be replaced, as in most of
// the thousands that a chart consists of.
func harmless(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c < ' ', c > '~', c == '<', c == '>', c == '&', c == '"', c == '\'':
			return false
		}
	}
	return true
}

// id keeps what may stand in an id.
func (f *Frame) id() string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '-' {
			return r
		}
		return -1
	}, f.ID)
}

// figure writes a big chart: caption, picture and the table behind a disclosure.
func (f *Frame) figure(
	kind string, width, height float64, draw func(*canvas), head []string, rows [][]string,
) template.HTML {
	var c canvas
	c.open("figure", "class", "chart chart-"+kind, "id", f.id())
	c.open("figcaption")
	c.text("span", f.Title)
	if f.Unit != "" {
		c.WriteByte(' ')
		c.text("span", f.Unit, "class", "chart-unit")
	}
	if len(f.legend) > 1 {
		c.open("span", "class", "chart-keys")
		for _, s := range f.legend {
			c.text("span", s.Class.sign()+" "+s.Name, "class", "chart-key "+s.Class.name())
		}
		c.end("span")
	}
	c.end("figcaption")
	f.svg(&c, width, height, draw)
	if len(rows) > 0 {
		c.open("details", "class", "chart-data")
		c.text("summary", f.Table)
		c.table(f.Title, head, rows)
		c.end("details")
	}
	c.end("figure")
	return c.html()
}

// small writes a chart that stands in a line of a list; its table is out of
// sight.
func (f *Frame) small(
	kind string, width, height float64, draw func(*canvas), head []string, rows [][]string,
) template.HTML {
	var c canvas
	c.open("div", "class", "chart-small chart-"+kind, "id", f.id())
	f.svg(&c, width, height, draw)
	if len(rows) > 0 {
		c.open("div", "class", "chart-hidden")
		c.table(f.Title, head, rows)
		c.end("div")
	}
	c.end("div")
	return c.html()
}

// svg writes the picture with its name.
func (f *Frame) svg(c *canvas, width, height float64, draw func(*canvas)) {
	label := f.Title
	if f.Unit != "" {
		label += " (" + f.Unit + ")"
	}
	c.open("svg", "xmlns", "http://www.w3.org/2000/svg", "viewBox", "0 0 "+num(width)+" "+num(height),
		"width", num(width), "height", num(height), "role", "group")
	c.text("title", label)
	draw(c)
	c.end("svg")
}

// table writes numbers for those who do not see the picture.
func (c *canvas) table(caption string, head []string, rows [][]string) {
	c.open("table")
	c.text("caption", caption)
	c.open("thead")
	c.open("tr")
	for _, h := range head {
		c.text("th", h, "scope", "col")
	}
	c.end("tr")
	c.end("thead")
	c.open("tbody")
	for _, row := range rows {
		c.open("tr")
		for _, cell := range row {
			c.text("td", cell)
		}
		c.end("tr")
	}
	c.end("tbody")
	c.end("table")
}

// link opens a link if the address is a path of this site, and reports it. One
// without a label has a title within.
func (c *canvas) link(href, label string, attrs ...string) bool {
	if !strings.HasPrefix(href, "/") || strings.HasPrefix(href, "//") || strings.HasPrefix(href, `/\`) {
		return false
	}
	c.open("a", append([]string{"href", href, "aria-label", label}, attrs...)...)
	return true
}

// num is a coordinate or a number of a table: at most two decimals.
func num(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		v = 0
	}
	return strconv.FormatFloat(math.Round(v*100)/100, 'f', -1, 64)
}

// amount is a value that can be drawn.
func amount(v float64) float64 {
	if math.IsNaN(v) || v < 0 {
		return 0
	}
	return min(v, 1e15)
}

// ceiling is the next round number: 1, 2, 2.5, 5, 10, 20 …
func ceiling(v float64) float64 {
	if v <= 0 {
		return 1
	}
	base := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 2.5, 5, 10} {
		if v <= f*base {
			return f * base
		}
	}
	return 10 * base
}

// shorten cuts a label to so many letters, of which those of East Asia and
// pictures take two; the whole of it stands in a title.
func shorten(s string, most int) string {
	wide := 0
	for i, r := range s {
		step := 1
		if r >= 0x1100 && (r <= 0x11ff || r >= 0x2600) {
			step = 2
		}
		if wide += step; wide > most {
			runes := []rune(s[:i])
			return string(runes[:max(len(runes)-1, 0)]) + "…"
		}
	}
	return s
}
