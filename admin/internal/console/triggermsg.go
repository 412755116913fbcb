package console

import (
	"html"
	"slices"
	"strings"
)

// said is a line of what was sent and answered.
type said struct{ Name, Value string }

// triggerTexts reads the text of a trigger, which is stored as HTML in the form
// of the Java console: lines between <br>, escaped values, and headings between
// arrows. Everything in it is text here, also what an older admin did not escape.
func triggerTexts(msg string) []said {
	msg = strings.NewReplacer("<br/>", "\n", "<br />", "\n", "<br>", "\n", ">>>>>>>>>>>", "\n", "<<<<<<<<<<<", "\n").
		Replace(msg)
	var list []said
	for line := range strings.SplitSeq(msg, "\n") {
		line = strings.TrimSpace(html.UnescapeString(untagged(line)))
		if line == "" {
			continue
		}
		name, value, ok := strings.Cut(line, "：")
		if !ok {
			list = append(list, said{Value: line})
			continue
		}
		list = append(list, said{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	return list
}

// appended begins what an admin writes behind the message of an executor: which
// children were started, that a retry follows.
const appended = `<br><br><span style="color:#`

// splitMessage cuts a stored message into what the executor said and what admins
// have written behind it.
func splitMessage(msg string) (own string, more []said) {
	at := strings.Index(msg, appended)
	if at < 0 {
		return msg, nil
	}
	return msg[:at], triggerTexts(msg[at:])
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

// triggerOutcome is what came of sending: the last of the lines that have a
// name. Headings, of a retry that follows, may stand behind it.
func triggerOutcome(msg string) string {
	list := triggerTexts(msg)
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
