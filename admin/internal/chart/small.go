package chart

import (
	"html/template"
	"math"
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

// Strip shows the last runs of a job: the height is the duration on a
// logarithmic scale from 1 ms to a day, colour and shape are the result, a click
// leads to the run.
type Strip struct {
	Frame
	Runs  []StripRun // the oldest first; at most the last 50 are shown
	Heads [2]string  // of the table: run, duration
}

const (
	stripSlot   = 6
	stripBar    = 4
	stripHeight = 28
)

// HTML draws the strip.
func (s *Strip) HTML() template.HTML {
	runs := s.Runs[max(0, len(s.Runs)-stripMax):]
	rows := make([][]string, len(runs))
	for i, r := range runs {
		rows[i] = []string{r.Label, ""}
		if r.Took > 0 {
			rows[i][1] = r.Took.String()
		}
	}
	return s.small("strip", stripMax*stripSlot, stripHeight, func(c *canvas) {
		first := stripMax - len(runs) // the newest stands at the right end
		for i, r := range runs {
			r.draw(c, float64((first+i)*stripSlot))
		}
	}, s.Heads[:], rows)
}

// height of a bar by its duration, from 4 to the whole.
func (r *StripRun) height() float64 {
	const low, high = 0.0, 7.94 // log10 of 1 ms and of a day, in ms
	ms := max(float64(r.Took)/float64(time.Millisecond), 1)
	part := min(max(math.Log10(ms)-low, 0)/(high-low), 1)
	return 5 + part*(stripHeight-6)
}

func (r *StripRun) draw(c *canvas, x float64) {
	linked := c.link(r.Href, r.Label)
	if !linked {
		c.open("g")
	}
	c.text("title", r.Label)
	height := r.height()
	y := stripHeight - height
	c.tag("rect", "class", "chart-hit", "x", num(x), "y", "0", "width", num(stripSlot), "height", num(stripHeight))
	c.shape(r.Class, x+1, y, stripBar, height)
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
