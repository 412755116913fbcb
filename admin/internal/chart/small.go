package chart

import (
	"html/template"
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
}

// Strip shows the last runs of a job: the height is the duration, from zero to
// Top, colour and shape are the result, a click leads to the run. A bar that is
// higher than Top has a gap below its end.
type Strip struct {
	Frame
	Runs  []StripRun // the oldest first; at most the last 50 are shown
	Slots int        // how many runs there is room for; 0 is 50
	Heads [2]string  // of the table: run, duration
}

const (
	stripSlot   = 6
	stripBar    = 4
	stripHeight = 28
	stripLeast  = 4 // height of a bar that took no time
)

// Top is the duration that a bar of full height stands for: the longest one, or
// where a few are far longer than the others, what nine of ten do not exceed. It
// is 0 when no duration is known.
func (s *Strip) Top() time.Duration {
	var all []time.Duration
	for _, r := range s.shown() {
		if r.Took > 0 {
			all = append(all, r.Took)
		}
	}
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	most, nine := all[len(all)-1], all[max(len(all)*9/10, 1)-1]
	if most > 2*nine {
		return nine
	}
	return most
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
	runs, slots, top := s.shown(), s.slots(), s.Top()
	rows := make([][]string, len(runs))
	for i, r := range runs {
		rows[i] = []string{r.Label, ""}
		if r.Took > 0 {
			rows[i][1] = r.Took.String()
		}
	}
	return s.small("strip", float64(slots*stripSlot), stripHeight, func(c *canvas) {
		first := slots - len(runs) // the newest stands at the right end
		for i, r := range runs {
			r.draw(c, float64((first+i)*stripSlot), top)
		}
	}, s.Heads[:], rows)
}

// height of a bar by its duration.
func (r *StripRun) height(top time.Duration) float64 {
	if top <= 0 {
		return stripLeast
	}
	return stripLeast + min(float64(r.Took)/float64(top), 1)*(stripHeight-stripLeast-1)
}

func (r *StripRun) draw(c *canvas, x float64, top time.Duration) {
	linked := c.link(r.Href, r.Label)
	if !linked {
		c.open("g")
	}
	c.text("title", r.Label)
	height := r.height(top)
	y := stripHeight - height
	c.tag("rect", "class", "chart-hit", "x", num(x), "y", "0", "width", num(stripSlot), "height", num(stripHeight))
	c.shape(r.Class, x+1, y, stripBar, height)
	if r.Took > top {
		c.tag("line", "class", "chart-cut", "x1", num(x), "y1", num(y+8), "x2", num(x+stripSlot), "y2", num(y+5))
	}
	if linked {
		c.end("a")
	} else {
		c.end("g")
	}
}

// shape draws a bar in the shape of its result: ok is whole, failed is crossed
// out, running is open at the top, waiting is an outline, skipped has a stroke
// through it, lost is dashed.
func (c *canvas) shape(class Class, x, y, width, height float64) {
	name := class.name()
	box := []string{"class", name, "x", num(x), "y", num(y), "width", num(width), "height", num(height)}
	line := func(x1, y1, x2, y2 float64) {
		c.tag("line", "class", name+" chart-mark", "x1", num(x1), "y1", num(y1), "x2", num(x2), "y2", num(y2))
	}
	switch class {
	case OK, Plain:
		c.tag("rect", box...)
	case Failed:
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
	case Lost:
		box[1] += " chart-open chart-dashed"
		c.tag("rect", box...)
	default:
		c.shape(Lost, x, y, width, height)
	}
}
