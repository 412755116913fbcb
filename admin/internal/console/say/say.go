// Package say writes instants, durations and numbers as people read them, in the
// language of a page.
package say

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// Ago says when t was, or will be, seen from now: "2 min ago", "in 3 h".
func Ago(lang i18n.Lang, now, t time.Time) string {
	if t.IsZero() {
		return "–"
	}
	d, key := now.Sub(t), "time.ago"
	if d < 0 {
		d, key = -d, "time.in"
	}
	switch {
	case d < time.Second:
		return lang.Console("time.now")
	case d < time.Minute:
		return lang.Console(key, lang.Console("time.s", int(d/time.Second)))
	case d < time.Hour:
		return lang.Console(key, lang.Console("time.min", int(d/time.Minute)))
	case d < 48*time.Hour:
		return lang.Console(key, lang.Console("time.h", int(d/time.Hour)))
	default:
		return lang.Console(key, lang.Console("time.d", int(d/(24*time.Hour))))
	}
}

// Stamp is an exact instant with its zone.
func Stamp(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return "–"
	}
	return t.Format("2006-01-02 15:04:05 ") + Offset(t)
}

// StampMs is stamp with milliseconds.
func StampMs(t time.Time) string { return t.Format("2006-01-02 15:04:05.000 ") + Offset(t) }

// Offset is how far the zone of an instant is from UTC: short names such as CST
// stand for more than one.
func Offset(t time.Time) string {
	if _, seconds := t.Zone(); seconds == 0 {
		return "UTC"
	}
	return "UTC" + t.Format("-07:00")
}

// ZoneName is the name of the zone of the pages.
func ZoneName(loc *time.Location, now time.Time) string {
	if name := loc.String(); name != "Local" && name != "" {
		return name
	}
	return Offset(now.In(loc))
}

// Took is a duration as people say it: 340 ms, 1.24 s, 3 min 5 s, 2 h 4 min.
func Took(lang i18n.Lang, d time.Duration) string {
	switch {
	case d < 0:
		return "–"
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		seconds := strings.TrimSuffix(strconv.FormatFloat(d.Truncate(10*time.Millisecond).Seconds(), 'f', 2, 64), ".00")
		return lang.Console("time.s", seconds)
	case d < time.Hour:
		return inTwo(lang, "time.min", d, time.Minute, "time.s", time.Second)
	case d < 48*time.Hour:
		return inTwo(lang, "time.h", d, time.Hour, "time.min", time.Minute)
	default:
		return inTwo(lang, "time.d", d, 24*time.Hour, "time.h", time.Hour)
	}
}

// inTwo is a duration in a unit, and its rest in a smaller one.
func inTwo(lang i18n.Lang, key string, d, unit time.Duration, smallKey string, small time.Duration) string {
	text := lang.Console(key, int(d/unit))
	if rest := int(d % unit / small); rest > 0 {
		text += " " + lang.Console(smallKey, rest)
	}
	return text
}

// Millis is a short duration to a tenth of a millisecond.
func Millis(d time.Duration) string {
	if d >= 10*time.Second {
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	}
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64) + " ms"
}

// Count writes a whole number with a mark between thousands.
func Count(n any) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
