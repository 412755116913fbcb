package chart

import (
	"html/template"
	"sort"
	"time"
)

// maxBuckets bounds the bars of a chart and the time that Aggregate covers.
const maxBuckets = 1500

// Step is the width of a bucket.
type Step int

// The steps.
const (
	Minute Step = iota
	Hour
	Day // of the wall clock: 23 or 25 hours where it is put forward or back
)

// StepFor chooses the step for a stretch of time: minutes up to 3 hours, hours
// up to 8 days, days beyond.
func StepFor(span time.Duration) Step {
	switch {
	case span <= 3*time.Hour:
		return Minute
	case span <= 8*24*time.Hour:
		return Hour
	}
	return Day
}

// floor is the beginning of the bucket that holds t, on the clock of loc.
func (s Step) floor(t time.Time, loc *time.Location) time.Time {
	t = t.In(loc)
	switch s {
	case Day:
		return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, loc)
	case Hour:
		// Not by time.Date: an hour may come twice.
		return t.Add(-time.Duration(t.Minute())*time.Minute - time.Duration(t.Second())*time.Second -
			time.Duration(t.Nanosecond()))
	case Minute:
	}
	return t.Add(-time.Duration(t.Second())*time.Second - time.Duration(t.Nanosecond()))
}

// next is the beginning of the bucket after the one that begins at t.
func (s Step) next(t time.Time) time.Time {
	switch s {
	case Day:
		return time.Date(t.Year(), t.Month(), t.Day()+1, 0, 0, 0, 0, t.Location())
	case Hour:
		return t.Add(time.Hour)
	case Minute:
	}
	return t.Add(time.Minute)
}

// Point is a number at an instant. Series is the index of what it belongs to.
type Point struct {
	At     time.Time
	Series int
	Value  float64
}

// Bucket is what a bar stands for: the sums of its series from Start on.
type Bucket struct {
	Start  time.Time
	Values []float64 // one a series
}

// Aggregate adds points up in buckets from the one that holds from to the one
// before to; points outside, and of other series than 0 … series-1, do not
// count. Of more than 1,500 buckets it keeps the newest. The points may come in
// any order.
func Aggregate(points []Point, series int, from, to time.Time, step Step, loc *time.Location) []Bucket {
	var buckets []Bucket
	if loc == nil {
		loc = time.UTC
	}
	if longest := maxBuckets * 24 * time.Hour; to.Sub(from) > longest {
		from = to.Add(-longest)
	}
	for at := step.floor(from, loc); at.Before(to); at = step.next(at) {
		buckets = append(buckets, Bucket{Start: at})
		if len(buckets) == 2*maxBuckets {
			buckets = append(buckets[:0], buckets[maxBuckets:]...)
		}
	}
	buckets = buckets[max(0, len(buckets)-maxBuckets):]
	values := make([]float64, len(buckets)*max(series, 0))
	for i := range buckets {
		buckets[i].Values = values[i*series : (i+1)*series : (i+1)*series]
	}
	for _, p := range points {
		if p.Series < 0 || p.Series >= series || !p.At.Before(to) {
			continue
		}
		i := sort.Search(len(buckets), func(i int) bool { return buckets[i].Start.After(p.At) }) - 1
		if i >= 0 {
			buckets[i].Values[p.Series] += p.Value
		}
	}
	return buckets
}

// Series is one of the things that are counted.
type Series struct {
	Name  string
	Class Class
}

// Bars are stacked bars over time.
type Bars struct {
	Frame
	Series  []Series
	Buckets []Bucket                 // at most 1,500 are drawn, the newest
	When    string                   // heading of the column of times
	Label   func(t time.Time) string // of a bucket; nil is RFC 3339
}

const (
	barsWidth, barsHeight = 640, 140
	barsLeft, barsBottom  = 44, 20
)

// HTML draws the bars.
func (b *Bars) HTML() template.HTML {
	buckets := b.Buckets[max(0, len(b.Buckets)-maxBuckets):]
	label := b.Label
	if label == nil {
		label = func(t time.Time) string { return t.Format(time.RFC3339) }
	}
	head := []string{b.When}
	for _, s := range b.Series {
		head = append(head, s.Name)
	}
	rows := make([][]string, len(buckets))
	for i, bucket := range buckets {
		row := []string{label(bucket.Start)}
		for s := range b.Series {
			row = append(row, num(bucket.at(s)))
		}
		rows[i] = row
	}
	b.legend = b.Series
	return b.figure("bars", barsWidth, barsHeight, func(c *canvas) { b.draw(c, buckets, label) }, head, rows)
}

func (b *Bucket) at(series int) float64 {
	if series >= len(b.Values) {
		return 0
	}
	return amount(b.Values[series])
}

func (b *Bars) draw(c *canvas, buckets []Bucket, label func(time.Time) string) {
	top := 0.0
	for _, bucket := range buckets {
		sum := 0.0
		for s := range b.Series {
			sum += bucket.at(s)
		}
		top = max(top, sum)
	}
	top = ceiling(top)
	const floor = barsHeight - barsBottom
	parts := []float64{0, 0.5, 1}
	if top <= 1 { // of things that come whole
		parts = []float64{0, 1}
	}
	for _, part := range parts {
		y := floor - part*(floor-8)
		c.tag("line", "class", "chart-grid", "x1", num(barsLeft), "x2", num(barsWidth), "y1", num(y), "y2", num(y))
		c.text("text", num(top*part), "class", "chart-axis chart-end", "x", num(barsLeft-4), "y", num(y+4))
	}
	if len(buckets) == 0 {
		return
	}
	slot := float64(barsWidth-barsLeft) / float64(len(buckets))
	width := max(slot*0.8, min(slot, 0.5))
	for i, bucket := range buckets {
		b.bar(c, bucket, label(bucket.Start), barsLeft+float64(i)*slot, width, (floor-8)/top)
	}
	last := len(buckets) - 1
	c.text("text", label(buckets[0].Start), "class", "chart-axis", "x", num(barsLeft), "y", num(barsHeight-5))
	if last > 0 {
		c.text("text", label(buckets[last].Start), "class", "chart-axis chart-end",
			"x", num(barsWidth), "y", num(barsHeight-5))
	}
}

// bar draws one bucket: its series on top of one another, with a title that
// says them all.
func (b *Bars) bar(c *canvas, bucket Bucket, label string, x, width, scale float64) {
	y, title := float64(barsHeight-barsBottom), label
	empty := true
	for s, series := range b.Series {
		if v := bucket.at(s); v > 0 {
			title += "\n" + series.Name + ": " + num(v)
			empty = false
		}
	}
	if empty {
		return
	}
	c.open("g")
	c.text("title", title)
	for s, series := range b.Series {
		height := bucket.at(s) * scale
		if height <= 0 {
			continue
		}
		height = max(height, 1) // a single failure among thousands is still seen
		y -= height
		c.tag("rect", "class", series.Class.name(), "x", num(x), "y", num(y),
			"width", num(width), "height", num(height))
	}
	c.end("g")
}
