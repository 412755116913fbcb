package cron

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"pgregory.net/rapid"
)

// The tests of this file and of property_test.go share nothing with the code:
// an expression is drawn together with functions that say what it means.

// part is an item of a list with its meaning.
type part[T any] struct {
	text string
	has  func(T) bool
}

// join makes the list and its meaning.
func join[T any](parts []part[T]) part[T] {
	var texts []string
	for _, p := range parts {
		texts = append(texts, p.text)
	}
	return part[T]{text: strings.Join(texts, ","), has: func(v T) bool {
		return slices.ContainsFunc(parts, func(p part[T]) bool { return p.has(v) })
	}}
}

// drawValue draws a single value, a range with or without a step, or a step.
func drawValue(t *rapid.T, label string, low, high int) part[int] {
	a := rapid.IntRange(low, high).Draw(t, label+" from")
	b := rapid.IntRange(low, high).Draw(t, label+" to")
	step := rapid.IntRange(1, high-low).Draw(t, label+" step")
	size := high - low + 1
	wrapped := ((b-a)%size + size) % size // length of the range less one
	switch rapid.IntRange(0, 4).Draw(t, label+" kind") {
	case 0:
		return part[int]{strconv.Itoa(a), func(v int) bool { return v == a }}
	case 1:
		return part[int]{fmt.Sprintf("%d-%d", a, b), func(v int) bool { return (v-a+size)%size <= wrapped }}
	case 2:
		return part[int]{fmt.Sprintf("%d-%d/%d", a, b, step), func(v int) bool {
			ahead := (v - a + size) % size
			return ahead <= wrapped && ahead%step == 0
		}}
	case 3:
		return part[int]{fmt.Sprintf("%d/%d", a, step), func(v int) bool { return v >= a && (v-a)%step == 0 }}
	default:
		return part[int]{fmt.Sprintf("*/%d", step), func(v int) bool { return (v-low)%step == 0 }}
	}
}

func drawField(t *rapid.T, label string, low, high int) part[int] {
	if rapid.IntRange(0, 2).Draw(t, label+" star") == 0 {
		return part[int]{"*", func(int) bool { return true }}
	}
	n := rapid.IntRange(1, 3).Draw(t, label+" items")
	var parts []part[int]
	for range n {
		parts = append(parts, drawValue(t, label, low, high))
	}
	return join(parts)
}

// day is a date as time.Date gives it, at midnight UTC.
type day = time.Time

func lastOf(d day) int { return time.Date(d.Year(), d.Month()+1, 0, 0, 0, 0, 0, time.UTC).Day() }

// workday returns the workday nearest to day n of the month of d.
func workday(d day, n int) int {
	best, distance := 0, 99
	for c := 1; c <= lastOf(d); c++ {
		at := time.Date(d.Year(), d.Month(), c, 0, 0, 0, 0, time.UTC)
		if at.Weekday() == time.Saturday || at.Weekday() == time.Sunday {
			continue
		}
		if far := max(c-n, n-c); far < distance {
			best, distance = c, far
		}
	}
	return best
}

func drawMonthday(t *rapid.T) part[day] {
	n := rapid.IntRange(0, 30).Draw(t, "day")
	switch rapid.IntRange(0, 4).Draw(t, "day kind") {
	case 0:
		return part[day]{fmt.Sprintf("L-%d", n), func(d day) bool { return d.Day() == lastOf(d)-n }}
	case 1:
		return part[day]{fmt.Sprintf("L-%dW", n), func(d day) bool {
			return lastOf(d) > n && d.Day() == workday(d, lastOf(d)-n)
		}}
	case 2:
		return part[day]{fmt.Sprintf("%dW", n+1), func(d day) bool {
			return n+1 <= lastOf(d) && d.Day() == workday(d, n+1)
		}}
	case 3:
		return part[day]{"L", func(d day) bool { return d.Day() == lastOf(d) }}
	default:
		p := drawValue(t, "day", 1, 31)
		return part[day]{p.text, func(d day) bool { return p.has(d.Day()) }}
	}
}

// drawDays draws day-of-month, or day-of-week, and returns both fields.
func drawDays(t *rapid.T) (dom, dow string, has func(day) bool) {
	if rapid.IntRange(0, 2).Draw(t, "every day") == 0 {
		return "*", "?", func(day) bool { return true }
	}
	if rapid.Bool().Draw(t, "by month day") {
		var parts []part[day]
		for range rapid.IntRange(1, 3).Draw(t, "days") {
			parts = append(parts, drawMonthday(t))
		}
		p := join(parts)
		return p.text, "?", p.has
	}
	w := rapid.IntRange(1, 7).Draw(t, "weekday")
	name := rapid.SampledFrom([]string{strconv.Itoa(w), strings.ToUpper(time.Weekday(w - 1).String()[:3])}).Draw(t, "as")
	is := func(d day) bool { return int(d.Weekday()) == w-1 }
	switch rapid.IntRange(0, 2).Draw(t, "weekday kind") {
	case 0:
		return "?", name + "L", func(d day) bool { return is(d) && d.Day()+7 > lastOf(d) }
	case 1:
		nth := rapid.IntRange(1, 5).Draw(t, "nth")
		return "?", fmt.Sprintf("%s#%d", name, nth), func(d day) bool { return is(d) && (d.Day()-1)/7+1 == nth }
	default:
		p := drawField(t, "weekday", 1, 7)
		return "?", p.text, func(d day) bool { return p.has(int(d.Weekday()) + 1) }
	}
}

// meaning is an expression with what it means: has tells whether it names a
// time of the wall clock, given as one of UTC.
type meaning struct {
	expr      string
	everyHour bool
	hasDay    func(day) bool
	has       func(wall time.Time) bool
}

func drawMeaning(t *rapid.T) meaning {
	sec, minutes := drawField(t, "second", 0, 59), drawField(t, "minute", 0, 59)
	hours, mon := drawField(t, "hour", 0, 23), drawField(t, "month", 1, 12)
	dom, dow, hasDay := drawDays(t)
	years := part[int]{"", func(int) bool { return true }}
	if rapid.IntRange(0, 3).Draw(t, "with years") == 0 {
		years = drawValue(t, "year", 2020, 2030)
		if strings.Contains(years.text, "-") || strings.HasPrefix(years.text, "*") {
			years = part[int]{"2020/2", func(y int) bool { return y >= 2020 && y%2 == 0 }}
		}
	}
	m := meaning{
		expr: strings.TrimSpace(strings.Join([]string{sec.text, minutes.text, hours.text, dom, mon.text, dow, years.text}, " ")),
		hasDay: func(d day) bool {
			return years.has(d.Year()) && mon.has(int(d.Month())) && hasDay(d)
		},
	}
	m.everyHour = true
	for h := range 24 {
		m.everyHour = m.everyHour && hours.has(h)
	}
	m.has = func(wall time.Time) bool {
		return sec.has(wall.Second()) && minutes.has(wall.Minute()) && hours.has(wall.Hour()) && m.hasDay(wall)
	}
	return m
}
