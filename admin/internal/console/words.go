package console

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/i18n"
)

// ago says when t was, or will be, seen from now: "2 min ago", "in 3 h".
func ago(lang i18n.Lang, now, t time.Time) string {
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

// stamp is an exact instant with its zone.
func stamp(t time.Time) string {
	if t.IsZero() || t.Unix() == 0 {
		return "–"
	}
	return t.Format("2006-01-02 15:04:05 ") + offset(t)
}

// stampMs is stamp with milliseconds.
func stampMs(t time.Time) string { return t.Format("2006-01-02 15:04:05.000 ") + offset(t) }

// offset is how far the zone of an instant is from UTC: short names such as CST
// stand for more than one.
func offset(t time.Time) string {
	if _, seconds := t.Zone(); seconds == 0 {
		return "UTC"
	}
	return "UTC" + t.Format("-07:00")
}

// zoneName is the name of the zone of the pages.
func zoneName(loc *time.Location, now time.Time) string {
	if name := loc.String(); name != "Local" && name != "" {
		return name
	}
	return offset(now.In(loc))
}

// took is a duration as people say it: 340 ms, 1.24 s, 3 min 5 s, 2 h 4 min.
func took(lang i18n.Lang, d time.Duration) string {
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

// count writes a whole number with a mark between thousands.
func count(n any) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// icons are drawn on a grid of 16, in the colour of the text.
var icons = map[string]string{
	"overview": `<path d="M2 9.5 8 3l6 6.5"/><path d="M4 8v5.5h8V8"/>`,
	"jobs":     `<circle cx="8" cy="8" r="5.5"/><path d="M8 4.8V8l2.2 1.6"/>`,
	"runs":     `<path d="M2 4h3M2 8h8M2 12h5"/><path d="m11 9.5 3 2.2-3 2.3z"/>`,
	"executors": `<rect x="2.5" y="3" width="11" height="4" rx="1"/>` +
		`<rect x="2.5" y="9" width="11" height="4" rx="1"/>` +
		`<path d="M5 5h.01M5 11h.01"/>`,
	"alarms": `<path d="M4 11.5V7.5a4 4 0 0 1 8 0v4l1 1H3z"/><path d="M7 14.2h2"/>`,
	"settings": `<path d="M2 5h7M12 5h2M2 11h2M7 11h7"/><circle cx="10.5" cy="5" r="1.6"/>` +
		`<circle cx="5.5" cy="11" r="1.6"/>`,
	"help":   `<circle cx="8" cy="8" r="6"/><path d="M6.2 6.3a1.9 1.9 0 1 1 2.6 1.9c-.6.2-.8.6-.8 1.3M8 11.6h.01"/>`,
	"search": `<circle cx="7" cy="7" r="4.3"/><path d="m10.3 10.3 3.2 3.2"/>`,
	"user":   `<circle cx="8" cy="5.5" r="2.7"/><path d="M3 13.8c.5-2.8 2.4-4.3 5-4.3s4.5 1.5 5 4.3"/>`,
	"theme":  `<circle cx="8" cy="8" r="5.5"/><path d="M8 2.5v11a5.5 5.5 0 0 0 0-11z" fill="currentColor"/>`,
	"play":   `<path d="M5 3.3v9.4L12.5 8z" fill="currentColor"/>`,
}

// icon is one of our own drawings; an unknown name is nothing.
func icon(name string) template.HTML {
	drawing, ok := icons[name]
	if !ok {
		return ""
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" ` +
		`stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">` +
		drawing + `</svg>`) //nolint:gosec // a constant of ours
}
