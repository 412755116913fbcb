package chart

import (
	"html/template"
	"math"
	"slices"
	"strings"
	"time"
)

// sparkMax is how many values a spark line has at most.
const sparkMax = 200

// Spark is a line of numbers without axes, for a line of a list.
type Spark struct {
	Frame
	Values []float64 // the oldest first; at most the last 200 are drawn
	Labels []string  // of the values, for the table; may be shorter
	Heads  [2]string // of the table: label, value
}

const sparkWidth, sparkHeight = 120, 24

// HTML draws the line.
func (s *Spark) HTML() template.HTML {
	skip := max(0, len(s.Values)-sparkMax)
	values := s.Values[skip:]
	top := 0.0
	rows := make([][]string, len(values))
	for i, v := range values {
		top = max(top, amount(v))
		rows[i] = []string{"", num(amount(v))}
		if skip+i < len(s.Labels) {
			rows[i][0] = s.Labels[skip+i]
		}
	}
	if top == 0 {
		top = 1
	}
	return s.small("spark", sparkWidth, sparkHeight, func(c *canvas) {
		if len(values) == 0 {
			return
		}
		gap := float64(sparkWidth-4) / float64(max(len(values)-1, 1))
		points := make([]string, len(values))
		x, y := 0.0, 0.0
		for i, v := range values {
			x, y = 2+float64(i)*gap, sparkHeight-3-amount(v)/top*(sparkHeight-6)
			points[i] = num(x) + "," + num(y)
		}
		c.tag("polyline", "class", "chart-line", "points", strings.Join(points, " "))
		c.tag("circle", "class", "chart-dot", "cx", num(x), "cy", num(y), "r", "2")
	}, s.Heads[:], rows)
}

// stripMax is how many runs a strip shows.
const stripMax = 50

// StripRun is a run in a strip.
type StripRun struct {
	Href  string        // path of its page; "" is none
	Label string        // result, duration and time, in words
	Took  time.Duration // 0 while unknown
	Class Class
	// Unsent is a run that was not started: a short cross without a bar, since it
	// took no time.
	Unsent bool
}

// Strip shows the last runs of a job: the height is the duration, colour and
// shape are the result, a click leads to the run. Heights are linear up to the
// knee of Scale; the few runs that took far longer stand above it, on a scale
// that shortens them, with a gap where their bars pass the knee.
type Strip struct {
	Frame
	Runs  []StripRun // the oldest first; at most the last 50 are shown
	Slots int        // how many runs there is room for; 0 is 50
	Heads [2]string  // of the table: run, duration
	// Ticks are what stands at the lines of a large strip, at the knee and at the
	// top, and make it a large one. Without it the strip is one for a line of a
	// list: lower, and with no table, since its runs are links that say the same.
	Ticks func(took time.Duration) string
}

// stripSize is how large a strip is drawn, how high a bar is that took no time, so
// that its shape is seen, and how high the knee stands where some are above it.
type stripSize struct{ slot, bar, height, least, knee, axis float64 }

func (s *Strip) size() stripSize {
	if s.Ticks != nil {
		return stripSize{slot: 9, bar: 7, height: 96, least: 8, knee: 60, axis: 64}
	}
	return stripSize{slot: 6, bar: 4, height: 28, least: 5, knee: 18}
}

// Scale says what heights stand for: those up to knee are linear, and a bar of
// full height is top. They are the same unless the longest run took more than
// twice what nine of ten do not exceed, and 0 when no duration is known.
func (s *Strip) Scale() (knee, top time.Duration) {
	var all []time.Duration
	for _, r := range s.shown() {
		if r.Took > 0 {
			all = append(all, r.Took)
		}
	}
	if len(all) == 0 {
		return 0, 0
	}
	slices.Sort(all)
	most, nine := all[len(all)-1], all[max(len(all)*9/10, 1)-1]
	if most/2 > nine {
		return nine, most
	}
	return most, most
}

// slots is how many runs there is room for.
func (s *Strip) slots() int {
	if s.Slots <= 0 || s.Slots > stripMax {
		return stripMax
	}
	return s.Slots
}

func (s *Strip) shown() []StripRun { return s.Runs[max(0, len(s.Runs)-s.slots()):] }

// HTML draws the strip.
func (s *Strip) HTML() template.HTML {
	runs, slots := s.shown(), s.slots()
	d := stripDrawing{stripSize: s.size()}
	d.short, d.top = s.Scale()
	kind, rows := "strip", [][]string(nil)
	if s.Ticks != nil {
		kind, rows = "strip chart-tall", make([][]string, len(runs))
		for i, r := range runs {
			rows[i] = []string{r.Label, ""}
			if r.Took > 0 {
				rows[i][1] = s.Ticks(r.Took)
			}
		}
	}
	return s.small(kind, float64(slots)*d.slot+d.axis, d.height, func(c *canvas) {
		if s.Ticks != nil {
			d.axes(c, float64(slots)*d.slot, s.Ticks)
		}
		first := slots - len(runs) // the newest stands at the right end
		for i, r := range runs {
			d.draw(c, &r, float64(first+i)*d.slot, i == len(runs)-1)
		}
	}, s.Heads[:], rows)
}

// stripDrawing is a strip on its scale.
type stripDrawing struct {
	stripSize

	short, top time.Duration // knee and top of the scale
}

// room is how high bars are up to the knee.
func (d *stripDrawing) room() float64 {
	if d.short < d.top {
		return d.knee
	}
	return d.height - 1
}

// high is the height of a bar by its duration.
func (d *stripDrawing) high(took time.Duration) float64 {
	switch room := d.room(); {
	case d.top <= 0 || took <= 0:
		return d.least
	case took <= d.short:
		return d.least + float64(took)/float64(d.short)*(room-d.least)
	default:
		above := math.Log(float64(took)/float64(d.short)) / math.Log(float64(d.top)/float64(d.short))
		return room + 4 + above*(d.height-5-room) // the gap is within the 4
	}
}

// axes draws the lines of knee and top with their durations.
func (d *stripDrawing) axes(c *canvas, width float64, text func(time.Duration) string) {
	line := func(y float64) {
		c.tag("line", "class", "chart-grid", "x1", "0", "y1", num(y), "x2", num(width), "y2", num(y))
	}
	at := func(y float64, took time.Duration, below float64) {
		line(y)
		c.text("text", text(took), "class", "chart-axis", "x", num(width+6), "y", num(y+below))
	}
	line(d.height - 0.5)
	if d.top == 0 {
		return
	}
	at(1, d.top, 9)
	if d.short < d.top {
		at(d.height-d.room(), d.short, 4)
	} else {
		at((d.height+1-d.least)/2, d.top/2, 4)
	}
}

// draw draws a run at x. A strip is one stop of the tabulator, at its newest run;
// with a script the arrows lead along it.
func (d *stripDrawing) draw(c *canvas, r *StripRun, x float64, newest bool) {
	var attrs []string
	if !newest {
		attrs = []string{"tabindex", "-1"}
	}
	linked := c.link(r.Href, "", attrs...)
	if !linked {
		c.open("g")
	}
	c.text("title", r.Label)
	c.tag("rect", "class", "chart-hit", "x", num(x)) // the style sheet says how large
	switch {
	case r.Unsent:
		c.cross(r.Class, x+1, d.height-d.bar-1, d.bar)
	case r.Class == Failed || r.Class == Timeout || r.Class == Lost: // seen at a glance, however short the run was
		c.tag("rect", "class", r.Class.name()+" chart-fault", "x", num(x+1), "y", "0", "width", num(d.bar),
			"height", num(d.height))
		fallthrough
	default:
		d.column(c, r, x)
	}
	if linked {
		c.end("a")
	} else {
		c.end("g")
	}
}

// column draws the bar of a run at x.
func (d *stripDrawing) column(c *canvas, r *StripRun, x float64) {
	height := math.Round(d.high(r.Took)*10) / 10
	c.shape(r.Class, x+1, d.height-height, d.bar, height)
	if r.Took > d.short && d.short > 0 {
		y := d.height - d.room()
		c.tag("path", "class", "chart-cut", "d", "M"+num(x)+" "+num(y)+"l"+num(d.slot)+"-3")
	}
}

// cross draws a cross in a square.
func (c *canvas) cross(class Class, x, y, size float64) {
	name := class.name() + " chart-mark"
	c.tag("line", "class", name, "x1", num(x), "y1", num(y), "x2", num(x+size), "y2", num(y+size))
	c.tag("line", "class", name, "x1", num(x+size), "y1", num(y), "x2", num(x), "y2", num(y+size))
}

// shape draws a bar in the shape of its result: ok is whole, failed and timed out
// are crossed out, running is open at the top, waiting is an outline, skipped has a
// stroke through it, lost is dashed, killed is an outline with a block on top.
func (c *canvas) shape(class Class, x, y, width, height float64) {
	name := class.name()
	box := []string{"class", name, "x", num(x), "y", num(y), "width", num(width), "height", num(height)}
	line := func(x1, y1, x2, y2 float64) {
		c.tag("line", "class", name+" chart-mark", "x1", num(x1), "y1", num(y1), "x2", num(x2), "y2", num(y2))
	}
	switch class {
	case OK, Plain:
		c.tag("path", "class", name, "d", "M"+num(x)+" "+num(y+height)+"V"+num(y)+"h"+num(width)+"V"+num(y+height))
	case Failed, Timeout:
		c.tag("rect", box...)
		line(x, y, x+width, y+width)
		line(x+width, y, x, y+width)
	case Running:
		c.tag("path", "class", name+" chart-open",
			"d", "M"+num(x)+" "+num(y)+"V"+num(y+height)+"H"+num(x+width)+"V"+num(y))
	case Skipped:
		box[1] += " chart-open"
		c.tag("rect", box...)
		line(x, y+height, x+width, y)
	case Waiting:
		box[1] += " chart-open"
		c.tag("rect", box...)
	case Killed:
		box[1] += " chart-open"
		c.tag("rect", box...)
		c.tag("rect", "class", name, "x", num(x), "y", num(y), "width", num(width), "height", num(min(width, height)))
	case Lost:
		box[1] += " chart-open chart-dashed"
		c.tag("rect", box...)
	default:
		c.shape(Lost, x, y, width, height)
	}
}
