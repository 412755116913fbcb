package chart

import (
	"html/template"
	"strconv"
	"strings"
	"time"
)

// maxCells bounds a density strip.
const maxCells = 240

// Cell is a stretch of time in a density strip.
type Cell struct {
	Count int
	Names []string // of what fires then: all of it, or as many as are worth naming
}

// Density shows how much is due in each of the coming stretches of time.
type Density struct {
	Frame
	Start time.Time
	Step  time.Duration
	Cells []Cell                   // at most 240
	Label func(t time.Time) string // of a cell; nil is 15:04
	Heads [3]string                // of the table: time, number, names
}

const densityWidth, densityHeight = 640, 36

// HTML draws the strip.
func (d *Density) HTML() template.HTML {
	cells := d.Cells[:min(len(d.Cells), maxCells)]
	label := d.Label
	if label == nil {
		label = func(t time.Time) string { return t.Format("15:04") }
	}
	top := 0
	rows := make([][]string, 0, len(cells))
	for i, cell := range cells {
		top = max(top, cell.Count)
		if cell.Count > 0 {
			rows = append(rows, []string{
				label(d.at(i)), strconv.Itoa(cell.Count), strings.Join(cell.Names, ", "),
			})
		}
	}
	return d.figure("density", densityWidth, densityHeight, func(c *canvas) {
		if len(cells) == 0 {
			return
		}
		slot := float64(densityWidth) / float64(len(cells))
		for i, cell := range cells {
			c.open("g")
			title := label(d.at(i)) + " · " + strconv.Itoa(max(cell.Count, 0))
			if len(cell.Names) > 0 {
				title += "\n" + strings.Join(cell.Names, "\n")
			}
			c.text("title", title)
			height := 4 + 16*float64(level(cell.Count, top))/4 // the height says it too, not the shade alone
			c.tag("rect", "class", "chart-l"+strconv.Itoa(level(cell.Count, top)), "x", num(float64(i)*slot),
				"y", num(20-height), "width", num(max(slot-1, 0.5)), "height", num(height))
			c.end("g")
		}
		axis := func(i int, class string, x float64) {
			c.text("text", label(d.at(i)), "class", class, "x", num(x), "y", num(densityHeight-3))
		}
		axis(0, "chart-axis", 0)
		axis(len(cells)/2, "chart-axis", float64(len(cells)/2)*slot)
		axis(len(cells), "chart-axis chart-end", densityWidth)
	}, d.Heads[:], rows)
}

func (d *Density) at(i int) time.Time { return d.Start.Add(time.Duration(i) * d.Step) }

// level is 0 for nothing and 1 to 4 in quarters of the most.
func level(n, most int) int {
	if n <= 0 || most <= 0 {
		return 0
	}
	return min(1+(n*4-1)/most, 4)
}

// Calendar is a year from any day on as a heat map: a column a week, a row a
// weekday.
type Calendar struct {
	Frame
	Start    time.Time  // the first day
	Counts   []int      // by day, from Start on; at most 366
	Most     int        // where counting has ended: so many or more; 0 is nowhere
	Months   [12]string // short names
	Weekdays [7]string  // short names, Monday first
	Heads    [3]string  // of the table: month, days with any, number
}

const (
	calendarCell = 12
	calendarLeft = 30
	calendarTop  = 14
	calendarDays = 366
)

// HTML draws the year.
func (cal *Calendar) HTML() template.HTML {
	counts := cal.Counts[:min(len(cal.Counts), calendarDays)]
	most := 0
	for _, n := range counts {
		most = max(most, n)
	}
	first := time.Date(cal.Start.Year(), cal.Start.Month(), cal.Start.Day(), 0, 0, 0, 0, time.UTC)
	offset := (int(first.Weekday()) + 6) % 7
	return cal.figure("calendar", calendarLeft+54*calendarCell, calendarTop+7*calendarCell, func(c *canvas) {
		for _, d := range []int{0, 2, 4} {
			c.text("text", cal.Weekdays[d], "class", "chart-axis", "x", "0",
				"y", num(float64(calendarTop+d*calendarCell+9)))
		}
		for i, n := range counts {
			at := first.AddDate(0, 0, i)
			x, y := calendarLeft+(offset+i)/7*calendarCell, calendarTop+(offset+i)%7*calendarCell
			if at.Day() == 1 {
				c.text("text", cal.Months[at.Month()-1], "class", "chart-axis", "x", num(float64(x)), "y", "9")
			}
			c.open("rect", "class", "chart-l"+strconv.Itoa(level(n, most)), "x", num(float64(x)), "y", num(float64(y)),
				"width", num(calendarCell-2), "height", num(calendarCell-2))
			c.text("title", at.Format(time.DateOnly)+" · "+cal.number(n, n == cal.Most))
			c.end("rect")
		}
	}, cal.Heads[:], cal.rows(first, counts))
}

// rows are the months with how many days have any, and how much that is in all.
func (cal *Calendar) rows(first time.Time, counts []int) (rows [][]string) {
	for i := 0; i < len(counts); {
		at := first.AddDate(0, 0, i)
		days, total, more := 0, 0, false
		for month := at.Month(); i < len(counts) && first.AddDate(0, 0, i).Month() == month; i++ {
			if n := counts[i]; n > 0 {
				days, total, more = days+1, total+n, more || n == cal.Most
			}
		}
		rows = append(rows, []string{
			cal.Months[at.Month()-1] + " " + strconv.Itoa(at.Year()), strconv.Itoa(days), cal.number(total, more),
		})
	}
	return rows
}

func (cal *Calendar) number(n int, more bool) string {
	text := strconv.Itoa(max(n, 0))
	if more && cal.Most > 0 {
		text += "+"
	}
	return text
}

// Edges returns the beginnings of n stretches of time and the end of the last.
func Edges(from time.Time, step time.Duration, n int) []time.Time {
	list := make([]time.Time, n+1)
	for i := range list {
		list[i] = from.Add(time.Duration(i) * step)
	}
	return list
}

// YearEdges returns an instant, the midnights of the twelve months behind it, and the
// one after them, in the instant's zone.
func YearEdges(from time.Time) []time.Time {
	list := []time.Time{from}
	end := time.Date(from.Year()+1, from.Month(), from.Day(), 0, 0, 0, 0, from.Location())
	for d := 1; list[len(list)-1].Before(end); d++ {
		list = append(list, time.Date(from.Year(), from.Month(), from.Day()+d, 0, 0, 0, 0, from.Location()))
	}
	return list
}

// Count counts in each stretch between two edges how often next fires there,
// its beginning included; it stops counting at most. next returns the first
// instant after its argument, and the zero time when there is none.
func Count(next func(after time.Time) time.Time, edges []time.Time, most int) []int {
	if len(edges) < 2 {
		return nil
	}
	counts := make([]int, len(edges)-1)
	for i := range counts {
		at := next(edges[i].Add(-time.Nanosecond))
		for counts[i] < most && !at.IsZero() && at.Before(edges[i+1]) {
			counts[i]++
			at = next(at)
		}
		if at.IsZero() {
			break
		}
	}
	return counts
}
