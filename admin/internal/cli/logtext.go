package cli

import (
	"regexp"
	"strings"
	"unicode"
)

const (
	escapeChar  = '\x1b'
	resetColour = "\x1b[0m"
)

var (
	// logBreaks are what executors write into their lines for Java's page.
	logBreaks = regexp.MustCompile(` ?<br ?/?>`)
	// leadingBreak stands where Java's executor begins a block of lines.
	leadingBreak = regexp.MustCompile(`(?m)^<br>`)
	// sequences are what terminals take for commands; those that end in m are
	// colours.
	sequences = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]?|\][^\x07\x1b]*(?:\x07|\x1b\\)?)?`)
	colours   = regexp.MustCompile(`^\x1b\[[0-9;]*m$`)
)

// logText is a piece of a log as a terminal may have it: the breaks of Java's page
// are line feeds, colours stay, and all other control characters go.
func logText(text string) string {
	text = logBreaks.ReplaceAllString(leadingBreak.ReplaceAllString(text, ""), "\n")
	painted := false
	text = sequences.ReplaceAllStringFunc(text, func(sequence string) string {
		if !colours.MatchString(sequence) {
			return ""
		}
		painted = true
		return sequence
	})
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' && r != escapeChar {
			return -1
		}
		return r
	}, text)
	if painted {
		text += resetColour
	}
	return text
}
