package model

import (
	"html"
	"slices"
	"strings"
)

// TriggerLine is a line of what was sent and answered; Name is "" for a heading.
type TriggerLine struct{ Name, Value string }

// TriggerTexts reads the text of a trigger, which is stored as HTML in the form
// of the Java console: lines between <br>, escaped values, and headings between
// arrows. Everything in it is text here, also what an older admin did not escape. A text in which the breaks
// are line feeds is read likewise.
func TriggerTexts(msg string) []TriggerLine {
	msg = strings.NewReplacer("<br/>", "\n", "<br />", "\n", "<br>", "\n", ">>>>>>>>>>>", "\n", "<<<<<<<<<<<", "\n").
		Replace(msg)
	var list []TriggerLine
	for line := range strings.SplitSeq(msg, "\n") {
		line = strings.TrimSpace(html.UnescapeString(untagged(line)))
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "：")
		if !ok {
			list = append(list, TriggerLine{Value: line})
			continue
		}
		list = append(list, TriggerLine{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return list
}

// ourTags are those that admins put into the text themselves.
var ourTags = []string{"<span", "</span", "<p", "</p"}

// untagged takes out the tags that admins write; whatever else looks like one is
// what somebody wrote, and stays to be seen.
func untagged(line string) string {
	var b strings.Builder
	for {
		at := strings.IndexByte(line, '<')
		if at < 0 {
			b.WriteString(line)
			return b.String()
		}
		b.WriteString(line[:at])
		line = line[at:]
		end := strings.IndexByte(line, '>')
		if end < 0 || !isOurTag(line) {
			b.WriteByte('<')
			line = line[1:]
			continue
		}
		line = line[end+1:]
	}
}

func isOurTag(line string) bool {
	for _, tag := range ourTags {
		rest, ok := strings.CutPrefix(line, tag)
		if ok && rest != "" && (rest[0] == ' ' || rest[0] == '>') {
			return true
		}
	}
	return false
}

// TriggerOutcome is what came of sending: the last of the lines that have a
// name. Headings, of a retry that follows, may stand behind it.
func TriggerOutcome(msg string) string {
	list := TriggerTexts(msg)
	for _, line := range slices.Backward(list) {
		if line.Name != "" {
			return line.Value
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[len(list)-1].Value
}
