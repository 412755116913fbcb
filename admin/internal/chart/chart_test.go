package chart

import (
	"encoding/xml"
	"errors"
	"flag"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the golden files")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// drawing is what all charts are.
type drawing interface{ HTML() template.HTML }

// all returns one of each chart, with text in every place where text can be.
func all(text string) map[string]drawing {
	frame := func(id string) Frame {
		return Frame{ID: id, Title: text + " title", Unit: text + "runs", Table: text + "Table"}
	}
	label := func(t time.Time) string { return text + t.Format("15:04") }
	return map[string]drawing{
		"bars": &Bars{
			Frame: frame("b"), When: text + "time", Label: label,
			Series: []Series{{text + "ok", OK}, {text + "failed", Failed}},
			Buckets: []Bucket{
				{noon, []float64{3, 0}}, {noon.Add(time.Minute), []float64{0, 0}}, {noon.Add(2 * time.Minute), []float64{1000, 1}},
			},
		},
		"spark": &Spark{
			Frame: frame("s"), Values: []float64{0, 2, 1.234, 4}, Labels: []string{text + "a"},
			Heads: [2]string{text + "time", text + "number"},
		},
		"strip": &Strip{Frame: frame("r"), Ticks: func(d time.Duration) string { return text + d.String() }, Heads: [2]string{text + "run", text + "took"}, Runs: []StripRun{
			{"/runs/1", text + "ok", time.Millisecond, OK, false},
			{"/runs/2", text + "failed", time.Second, Failed, false},
			{"/runs/3", text + "running", 0, Running, false},
			{"", text + "waiting", 0, Waiting, false},
			{"javascript:alert(1)", text + "skipped", time.Minute, Skipped, false},
			{"//other/5", text + "lost", 48 * time.Hour, Lost, false},
			{"/runs/6", text + "killed", time.Second, Killed, false},
			{"/runs/8", text + "timed out", time.Second, Timeout, false},
			{"/runs/7?q=" + text, text + "odd", time.Hour, Class(`"><script>`), false},
		}},
		"density": &Density{
			Frame: frame("d"), Start: noon, Step: time.Minute, Label: label,
			Cells: []Cell{{0, nil}, {1, []string{text + "job"}}, {8, []string{text + "a", text + "b"}}, {3, nil}, {-1, nil}},
			Heads: [3]string{text + "time", text + "number", text + "jobs"},
		},
		"calendar": &Calendar{
			Frame: frame("c"), Start: noon, Counts: []int{1, 0, 4, 2, 3, -1, 1, 1, 1, 1, 1, 5, 1}, Most: 5,
			Months:   [12]string{text + "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"},
			Weekdays: [7]string{text + "Mon", "", "Wed", "", "Fri", "", ""}, Heads: [3]string{text + "month", text + "days", text + "fires"},
		},
		"graph": &Graph{
			Frame: frame("g"), Heads: [2]string{text + "job", text + "child"},
			Nodes: []Node{
				{1, text + "settle", "/jobs/1", OK},
				{2, text + "report with a very long name of a job", "", Failed},
				{3, text + "mail", "/jobs/3", Plain},
				{4, text + "again", "//evil", Lost},
			},
			Edges: []Edge{{1, 2}, {1, 3}, {2, 4}, {3, 4}, {4, 1}, {1, 1}, {1, 2}, {1, 99}},
		},
	}
}

// elements and attributes that charts are made of.
var (
	elements = []string{
		"figure", "figcaption", "span", "div", "svg", "title", "g", "a", "rect", "line", "path", "circle", "polyline", "text",
		"details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td",
	}
	attributes = []string{
		"class", "id", "xmlns", "viewBox", "width", "height", "role", "aria-label", "href", "x", "y", "x1", "x2", "y1", "y2",
		"d", "points", "cx", "cy", "r", "rx", "scope", "tabindex",
	}
)

// inspect reads a chart strictly and returns its texts and the values of its
// attributes.
func inspect(t *testing.T, html template.HTML) (texts, values []string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(string(html))); ; {
		tok, err := d.Token()
		if errors.Is(err, io.EOF) {
			return texts, values
		}
		require.NoError(t, err, string(html))
		switch tok := tok.(type) {
		case xml.StartElement:
			require.Contains(t, elements, tok.Name.Local)
			for _, a := range tok.Attr {
				require.Contains(t, attributes, a.Name.Local)
				if a.Name.Local == "href" {
					require.Regexp(t, `^/[^/\\]`, a.Value)
				}
				values = append(values, a.Value)
			}
		case xml.CharData:
			texts = append(texts, string(tok))
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Fatalf("%T in %s", tok, html)
		}
	}
}

// goldenMax is how much of a chart its golden file holds.
const goldenMax = 3000

func TestGolden(t *testing.T) {
	t.Parallel()
	for name, c := range all("") {
		got := string(c.HTML())
		inspect(t, template.HTML(got))
		file := filepath.Join("testdata", name+".html")
		// A line an element, so that a difference can be read.
		got = strings.ReplaceAll(got, "><", ">\n<") + "\n"
		got = got[:min(len(got), goldenMax)]
		if *update {
			require.NoError(t, os.WriteFile(file, []byte(got), 0o600))
		}
		want, err := os.ReadFile(file)
		require.NoError(t, err)
		assert.Equal(t, string(want), got, name)
	}
}

// TestNothingWrittenBecomesMarkup puts markers in every text.
func TestNothingWrittenBecomesMarkup(t *testing.T) {
	t.Parallel()
	for _, marker := range []string{
		`<script>marker()</script>`, `"><img src=x onerror=marker()>`, `' onload='marker()`, `</title></svg><b>`,
		`]]><!--`, "\x00\x01\u202e\ufffe\xff</text>", `&#60;script&#62;`, `javascript:marker()`, `{{.}}`,
	} {
		for name, c := range all(marker) {
			html := c.HTML()
			texts, values := inspect(t, html)
			for _, bad := range []string{"<script", "<img", "<b>", "<!--"} {
				assert.NotContains(t, string(html), bad, name)
			}
			shown := strings.Map(func(r rune) rune {
				if r < ' ' || r == '\ufffe' {
					return '\ufffd'
				}
				return r
			}, strings.ToValidUTF8(marker, "\ufffd"))
			whole := strings.Join(append(texts, values...), "\n")
			assert.Contains(t, whole, shown, "%s shows it whole", name)
		}
	}
	frame := Frame{ID: `a" onload="x-1`}
	assert.Equal(t, "aonloadx-1", frame.id())
}

func TestEmptyAndOdd(t *testing.T) {
	t.Parallel()
	for _, c := range []drawing{
		&Bars{}, &Spark{}, &Strip{}, &Density{}, &Calendar{Start: noon}, &Graph{},
		&Bars{Series: []Series{{"a", OK}}, Buckets: []Bucket{{noon, nil}, {noon, []float64{math.NaN()}}, {noon, []float64{math.Inf(1)}}, {noon, []float64{-3}}}},
		&Spark{Values: []float64{math.Inf(1), math.NaN(), -1}},
		&Strip{Runs: []StripRun{{Took: math.MaxInt64}, {Took: -1}}},
		&Density{Cells: []Cell{{math.MaxInt, nil}, {math.MinInt, nil}}},
		&Calendar{Start: noon, Counts: make([]int, 1000)},
		&Graph{Nodes: []Node{{ID: 1}, {ID: 1}}, Edges: []Edge{{1, 1}}},
	} {
		html := string(c.HTML())
		inspect(t, template.HTML(html))
		assert.NotContains(t, html, "NaN")
		assert.NotContains(t, html, "Inf")
	}
}

func TestBounds(t *testing.T) {
	t.Parallel()
	buckets := make([]Bucket, 5000)
	for i := range buckets {
		buckets[i] = Bucket{noon.Add(time.Duration(i) * time.Minute), []float64{1}}
	}
	b := Bars{Series: []Series{{"ok", OK}}, Buckets: buckets}
	assert.Equal(t, maxBuckets, strings.Count(string(b.HTML()), `class="c-ok"`))
	nodes, edges := make([]Node, 300), make([]Edge, 300)
	for i := range nodes {
		nodes[i], edges[i] = Node{ID: int64(i)}, Edge{int64(i), int64(i+1) % 300}
	}
	g := Graph{Nodes: nodes, Edges: edges}
	assert.Equal(t, graphMax, strings.Count(string(g.HTML()), "chart-node"))
	s := Strip{Runs: make([]StripRun, 300)}
	assert.Equal(t, stripMax, strings.Count(string(s.HTML()), "chart-hit"))
}

func TestAggregate(t *testing.T) {
	t.Parallel()
	points := []Point{
		{noon.Add(90 * time.Second), 0, 1},
		{noon, 0, 2},
		{noon.Add(59 * time.Second), 1, 1},
		{noon.Add(3 * time.Minute), 0, 9},
		{noon.Add(-time.Second), 0, 9},
		{noon, 2, 9},
		{noon, -1, 9},
		{noon.Add(30 * time.Second), 0, 1},
	}
	assert.Equal(t, []Bucket{
		{noon, []float64{3, 1}}, {noon.Add(time.Minute), []float64{1, 0}}, {noon.Add(2 * time.Minute), []float64{0, 0}},
	}, Aggregate(points, 2, noon.Add(time.Second), noon.Add(3*time.Minute), Minute, nil))
	assert.Empty(t, Aggregate(points, 2, noon, noon, Minute, nil))
	assert.Len(t, Aggregate(nil, 1, time.Time{}, noon, Day, time.UTC), maxBuckets)
	assert.Len(t, Aggregate(nil, 1, noon.Add(-100*24*time.Hour), noon, Minute, time.UTC), maxBuckets)
}

// TestAggregateFollowsTheClock has a day of 23 and one of 25 hours, and the hour
// that comes twice.
func TestAggregateFollowsTheClock(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	for day, hours := range map[time.Time]int{
		time.Date(2026, 3, 29, 0, 0, 0, 0, berlin): 23, time.Date(2026, 10, 25, 0, 0, 0, 0, berlin): 25,
	} {
		end := day.AddDate(0, 0, 1)
		var points []Point
		for at := day; at.Before(end); at = at.Add(10 * time.Minute) {
			points = append(points, Point{At: at, Value: 1})
		}
		byHour := Aggregate(points, 1, day, end, Hour, berlin)
		require.Len(t, byHour, hours)
		for _, b := range byHour {
			assert.InDelta(t, 6, b.Values[0], 0, b.Start.String())
		}
		byDay := Aggregate(points, 1, day.AddDate(0, 0, -1), end.AddDate(0, 0, 1), Day, berlin)
		require.Len(t, byDay, 3)
		assert.InDelta(t, 6*hours, byDay[1].Values[0], 0)
	}
	kathmandu := time.FixedZone("+0545", 5*3600+45*60)
	b := Aggregate([]Point{{At: noon, Value: 1}}, 1, noon, noon.Add(time.Hour), Hour, kathmandu)
	assert.Equal(t, "17:00", b[0].Start.Format("15:04"))
}

func TestStepFor(t *testing.T) {
	t.Parallel()
	assert.Equal(t, []Step{Minute, Hour, Day}, []Step{StepFor(3 * time.Hour), StepFor(7 * 24 * time.Hour), StepFor(30 * 24 * time.Hour)})
}

func TestCount(t *testing.T) {
	t.Parallel()
	every := func(d time.Duration) func(time.Time) time.Time {
		return func(after time.Time) time.Time { return after.Truncate(d).Add(d) }
	}
	assert.Equal(t, []int{2, 2, 2}, Count(every(30*time.Second), Edges(noon, time.Minute, 3), 100))
	assert.Equal(t, []int{5, 5}, Count(every(time.Second), Edges(noon, time.Minute, 2), 5))
	assert.Equal(t, []int{1, 0, 0}, Count(func(after time.Time) time.Time {
		if after.Before(noon) {
			return noon
		}
		return time.Time{}
	}, Edges(noon, time.Minute, 3), 5))
	assert.Nil(t, Count(nil, nil, 5))
	for year, days := range map[int]int{2026: 365, 2027: 366} { // 29 February 2028
		from := time.Date(year, 11, 22, 15, 30, 0, 0, time.UTC)
		edges := YearEdges(from)
		assert.Len(t, edges, days+1)
		assert.Equal(t, from, edges[0], "what is over today does not count")
		assert.Equal(t, time.Date(year, 11, 23, 0, 0, 0, 0, time.UTC), edges[1])
		assert.Equal(t, time.Date(year+1, 11, 22, 0, 0, 0, 0, time.UTC), edges[days])
	}
}

func TestCeiling(t *testing.T) {
	t.Parallel()
	for v, want := range map[float64]float64{0: 1, 1: 1, 1.1: 2, 7: 10, 24: 25, 26: 50, 999: 1000, 0.03: 0.05} {
		assert.InDelta(t, want, ceiling(v), 1e-9)
	}
}

// TestStylesheetKnowsEveryClass compares the style sheet with what is drawn.
func TestStylesheetKnowsEveryClass(t *testing.T) {
	t.Parallel()
	unstyled := []string{"chart-bars", "chart-spark", "chart-strip", "chart-density", "chart-calendar", "chart-graph"}
	for name, c := range all("") {
		for part := range strings.SplitSeq(string(c.HTML()), `class="`) {
			classes, _, _ := strings.Cut(part, `"`)
			if strings.HasPrefix(classes, "<") {
				continue
			}
			for class := range strings.FieldsSeq(classes) {
				if !slices.Contains(unstyled, class) {
					assert.Contains(t, Stylesheet, "."+class, name)
				}
			}
		}
	}
}

func BenchmarkBars(b *testing.B) {
	points := make([]Point, 10_000)
	for i := range points {
		points[i] = Point{At: noon.Add(time.Duration(i*7919%86400) * time.Second), Series: i % 3, Value: 1}
	}
	b.ReportAllocs()
	for b.Loop() {
		bars := Bars{
			Frame: Frame{ID: "b", Title: "runs", Unit: "a minute"}, Series: []Series{{"ok", OK}, {"failed", Failed}, {"lost", Lost}},
			Buckets: Aggregate(points, 3, noon, noon.Add(24*time.Hour), Minute, time.UTC),
		}
		_ = bars.HTML()
	}
}

func BenchmarkStrip(b *testing.B) {
	runs := make([]StripRun, stripMax)
	for i := range runs {
		runs[i] = StripRun{Href: "/runs/1", Label: "ok 1.2 s", Took: time.Second, Class: OK}
	}
	b.ReportAllocs()
	for b.Loop() {
		s := Strip{Runs: runs}
		_ = s.HTML()
	}
}

// TestStripScale: heights are linear up to the knee, and those above it stay in
// their order and within the picture.
func TestStripScale(t *testing.T) {
	t.Parallel()
	strip := func(seconds ...int) *Strip {
		s := &Strip{}
		for _, n := range seconds {
			s.Runs = append(s.Runs, StripRun{Took: time.Duration(n) * time.Second, Class: OK})
		}
		return s
	}
	tests := []struct {
		name      string
		give      []int
		knee, top time.Duration
	}{
		{name: "none"},
		{name: "all at once", give: []int{0, 0, 0}},
		{name: "alike", give: []int{10, 11, 12}, knee: 12 * time.Second, top: 12 * time.Second},
		{name: "twice is not far", give: []int{5, 5, 5, 5, 5, 5, 5, 5, 5, 10}, knee: 10 * time.Second, top: 10 * time.Second},
		{name: "one far out", give: []int{5, 6, 5, 6, 5, 6, 5, 6, 5, 60}, knee: 6 * time.Second, top: time.Minute},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			knee, top := strip(tt.give...).Scale()
			assert.Equal(t, tt.knee, knee, "knee")
			assert.Equal(t, tt.top, top, "top")
		})
	}
	for _, size := range []func(time.Duration) string{nil, time.Duration.String} {
		s := &Strip{Ticks: size}
		d := stripDrawing{stripSize: s.size(), short: 6 * time.Second, top: 60 * time.Second}
		last := 0.0
		for _, took := range []time.Duration{0, 1, 3, 5, 6, 7, 12, 30, 60} {
			high := d.high(took * time.Second)
			assert.Greater(t, high, last, "%d s", took)
			assert.LessOrEqual(t, high, d.height)
			last = high
		}
	}
	assert.Contains(t, string(strip(1, 2).HTML()), `chart-strip`)
	assert.NotContains(t, string(strip(1, 2).HTML()), "<table", "in a line of a list the links say the same")
	tall := strip(5, 6, 5, 6, 5, 6, 5, 6, 5, 60)
	tall.Ticks = time.Duration.String
	for _, want := range []string{">6s</text>", ">1m0s</text>", "chart-cut", "<table"} {
		assert.Contains(t, string(tall.HTML()), want)
	}
}
