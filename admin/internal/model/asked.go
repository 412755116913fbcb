package model

import "strings"

// Asked is an executor that was asked before a trigger was sent to one: whether
// it is there, or idle.
type Asked struct {
	Question string // in the words of the admin that asked
	Address  string
	OK       bool
	Answer   string
	Took     string // until the answer; "" where that is not on record
}

// The lines on an executor that was asked, in every language and of every admin;
// the last one is of ours alone.
const (
	askedAddress = "address"
	askedCode    = "code"
	askedMsg     = "msg"
	AskedTook    = "took"
)

// AskedOf takes those executors out of the lines of a trigger that were asked
// before it was sent, in the order in which they were.
func AskedOf(lines []TriggerLine) (asked []Asked, rest []TriggerLine) {
	for i := 0; i < len(lines); i++ {
		if !isAsked(lines[i:]) {
			rest = append(rest, lines[i])
			continue
		}
		a := Asked{Address: lines[i].Value, OK: lines[i+1].Value == "200", Answer: lines[i+2].Value}
		a.Question, rest = question(rest)
		if i += 2; i+1 < len(lines) && lines[i+1].Name == AskedTook {
			i++
			a.Took = lines[i].Value
		}
		asked = append(asked, a)
	}
	return asked, rest
}

// isAsked reports whether the lines begin with an executor that was asked.
func isAsked(lines []TriggerLine) bool {
	return len(lines) > 2 && lines[0].Name == askedAddress && lines[1].Name == askedCode && lines[2].Name == askedMsg
}

// question takes what was asked from the end of the lines before the answer: a
// line of its own, or what stands behind the words that none was chosen.
func question(before []TriggerLine) (asked string, rest []TriggerLine) {
	if len(before) == 0 {
		return "", before
	}
	last := &before[len(before)-1]
	if title, named := strings.CutSuffix(last.Value, "："); named {
		at := max(strings.LastIndex(title, ", "), strings.LastIndex(title, "，"), 0)
		last.Value = strings.TrimRight(title[:at], ", ，")
		return strings.TrimLeft(title[at:], ", ，"), before
	}
	if last.Value == "" && last.Name != "" {
		return last.Name, before[:len(before)-1]
	}
	return "", before
}
