package frame

import (
	"errors"
	"fmt"
	"html/template"
	"strings"
)

// Join writes the parts of a path one behind the other.
func Join(parts []any) string {
	var b strings.Builder
	for _, p := range parts {
		fmt.Fprint(&b, p)
	}
	return b.String()
}

// Dict makes the argument of a component out of names and values.
func Dict(pairs ...any) (map[string]any, error) {
	if len(pairs)%2 != 0 {
		return nil, errors.New("dict wants names and values")
	}
	m := make(map[string]any, len(pairs)/2)
	for i := 0; i < len(pairs); i += 2 {
		name, ok := pairs[i].(string)
		if !ok {
			return nil, fmt.Errorf("dict: %v is no name", pairs[i])
		}
		m[name] = pairs[i+1]
	}
	return m, nil
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

// Icon is one of our own drawings; an unknown name is nothing.
func Icon(name string) template.HTML {
	drawing, ok := icons[name]
	if !ok {
		return ""
	}
	return template.HTML(`<svg class="icon" viewBox="0 0 16 16" width="16" height="16" fill="none" ` +
		`stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true">` +
		drawing + `</svg>`) //nolint:gosec // a constant of ours
}
