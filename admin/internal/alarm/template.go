package alarm

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ErrTemplate is in every error about the template of a webhook.
var ErrTemplate = errors.New("template of a webhook")

// fields are the values that a template can name. Texts are escaped for the
// inside of a JSON string; numbers may stand outside of one too.
var fields = map[string]func(m *message) string{
	"kind":         func(m *message) string { return string(m.alarm.Kind) },
	"subject":      func(m *message) string { return m.subject },
	"title":        func(m *message) string { return m.title },
	"text":         func(m *message) string { return m.text(0) },
	"content":      func(m *message) string { return m.brief },
	"group":        func(m *message) string { return m.alarm.Group },
	"group_id":     func(m *message) string { return strconv.Itoa(int(m.alarm.Job.GroupID)) },
	"job_id":       func(m *message) string { return strconv.Itoa(int(m.alarm.Job.ID)) },
	"job_name":     func(m *message) string { return m.alarm.Job.Name },
	"handler":      func(m *message) string { return m.alarm.Job.Handler.S },
	"author":       func(m *message) string { return m.alarm.Job.Author.S },
	"address":      func(m *message) string { return m.alarm.Address },
	"log_id":       func(m *message) string { return strconv.FormatInt(m.alarm.LogID, 10) },
	"code":         func(m *message) string { return strconv.Itoa(int(m.alarm.Code())) },
	"trigger_code": func(m *message) string { return strconv.Itoa(int(m.alarm.TriggerCode)) },
	"trigger_msg":  func(m *message) string { return plainHTML(m.alarm.TriggerMsg) },
	"handle_code":  func(m *message) string { return strconv.Itoa(int(m.alarm.HandleCode)) },
	"handle_msg":   func(m *message) string { return plain(m.alarm.HandleMsg) },
	"count":        func(m *message) string { return strconv.Itoa(m.alarm.Count) },
	"time":         func(m *message) string { return m.alarm.At.In(m.zone).Format(time.RFC3339) },
	"url":          func(m *message) string { return m.link },
	"time_ms":      func(m *message) string { return strconv.FormatInt(m.alarm.At.UnixMilli(), 10) },
}

// numbers are the fields whose values are digits, perhaps with a sign.
var numbers = []string{
	"group_id", "job_id", "log_id", "code", "trigger_code", "handle_code", "count", "time_ms",
}

// Fields returns the names that a webhook's template knows, sorted.
func Fields() []string { return slices.Sorted(maps.Keys(fields)) }

// template is a JSON body with fields in it. It has no conditions, loops or
// calls, and a value that looks like a field is not looked at again.
type template struct {
	parts []part
}

// part is a piece of text, or a field where name is not empty.
type part struct{ text, name string }

// defaultTemplate is the body of a webhook that has no template of its own.
var defaultTemplate = func() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, name := range Fields() {
		if i > 0 {
			b.WriteByte(',')
		}
		quote := `"`
		if slices.Contains(numbers, name) {
			quote = ""
		}
		b.WriteString(`"` + name + `":` + quote + "{{" + name + "}}" + quote)
	}
	b.WriteByte('}')
	return b.String()
}()

// parseTemplate reads a template: JSON in which {{name}} stands for a field,
// inside of a string or, for the numbers, anywhere. Its errors wrap ErrTemplate
// and say where and what is wrong.
func parseTemplate(source string) (*template, error) {
	t := new(template)
	for rest := source; ; {
		before, after, found := strings.Cut(rest, "{{")
		t.parts = append(t.parts, part{text: before})
		if !found {
			break
		}
		at := len(source) - len(after) - 2
		name, tail, closed := strings.Cut(after, "}}")
		if !closed {
			return nil, fmt.Errorf("%w: {{ at byte %d has no }}", ErrTemplate, at)
		}
		name = strings.TrimSpace(name)
		if fields[name] == nil {
			return nil, fmt.Errorf("%w: unknown field %q at byte %d; known are %s",
				ErrTemplate, cut(name, 40), at, strings.Join(Fields(), ", "))
		}
		t.parts = append(t.parts, part{name: name})
		rest = tail
	}
	return t, t.check()
}

// check renders the template once with values that would break it where a text
// stands outside of a string.
func (t *template) check() error {
	probe := t.render(func(name string) string {
		if slices.Contains(numbers, name) {
			return "-1"
		}
		return "\\ \" a"
	})
	var value any
	if err := json.Unmarshal(probe, &value); err != nil {
		return fmt.Errorf("%w: it is no JSON once its fields are filled in (%w); texts belong inside of quotes",
			ErrTemplate, err)
	}
	return nil
}

// body returns the JSON for a message.
func (t *template) body(m *message) []byte {
	return t.render(func(name string) string { return fields[name](m) })
}

func (t *template) render(value func(name string) string) []byte {
	var body []byte
	for _, p := range t.parts {
		if p.name == "" {
			body = append(body, p.text...)
			continue
		}
		body = append(body, escaped(value(p.name))...)
	}
	return body
}

// escaped returns the text as it stands between the quotes of a JSON string.
func escaped(text string) []byte {
	quoted, err := json.Marshal(text) // replaces what is not UTF-8; a string has no other fault
	if err != nil {
		return nil
	}
	return quoted[1 : len(quoted)-1]
}
