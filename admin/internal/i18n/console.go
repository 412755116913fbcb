package i18n

import (
	"fmt"
	"maps"
	"strconv"
	"strings"
)

// pageTexts are texts of the console by key, in the order of [Langs]:
// simplified Chinese, traditional Chinese, English.
type pageTexts map[string][3]string

// consoleParts are the texts of the console, a part of it a file.
var consoleParts = []pageTexts{
	consoleJobList, consoleDeleted, consoleAudit,
	consoleFrame, consoleHome, consoleJobs, consoleEdit, consoleAdmin, consoleHelp, consoleRuns, consoleExecutors,
	consoleAlarms, consoleHistory, consoleCode, consoleSetup, consoleSystem, consoleRoles, consoleRefused,
}

// console holds all of them.
var console = merged(consoleParts)

func merged(parts []pageTexts) pageTexts {
	all := pageTexts{}
	for _, part := range parts {
		maps.Copy(all, part)
	}
	return all
}

// Console returns a text of the console with {0}, {1} … replaced by args, which
// are put in as they are; {0|run|runs} is the first word where the first of them is
// 1, and else the second. A key that does not exist is returned as it is.
func (l Lang) Console(key string, args ...any) string {
	texts, ok := console[key]
	if !ok {
		return key
	}
	text := texts[ZhCN]
	if int(l) < len(texts) {
		text = texts[l]
	}
	return expand(text, args)
}

// expand puts args in. {0} is the first of them, and {0|run|runs} is one of two
// words: the first where it is 1. What was put in is not looked at again.
func expand(text string, args []any) string {
	var b strings.Builder
	for len(args) > 0 {
		before, rest, ok := strings.Cut(text, "{")
		inside, after, closed := strings.Cut(rest, "}")
		number, words, plural := strings.Cut(inside, "|")
		n, err := strconv.Atoi(number)
		if !ok || !closed {
			break
		}
		b.WriteString(before)
		text = after
		switch {
		case err != nil || n < 0 || n >= len(args):
			b.WriteString("{" + inside + "}")
		case plural:
			one, many, _ := strings.Cut(words, "|")
			if fmt.Sprint(args[n]) == "1" {
				many = one
			}
			b.WriteString(many)
		default:
			fmt.Fprint(&b, args[n])
		}
	}
	return b.String() + text
}

// HasConsole reports whether the console has a text of this key.
func HasConsole(key string) bool {
	_, ok := console[key]
	return ok
}
