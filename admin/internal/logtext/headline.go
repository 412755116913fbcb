// Package logtext reads what handlers write when they fail: the line to show of a
// message that holds a stack, and the line of a log that says why a run failed.
// It knows Go, Java and Python, is bounded by what it is given, and imports
// nothing of ours.
package logtext

import (
	"regexp"
	"strings"
)

// causedBy begins the lines of Java that name what was wrapped.
const causedBy = "Caused by: "

// traceback begins a stack of Python, which ends with the error.
const traceback = "Traceback (most recent call last)"

// frame is a line of a stack, or the one before the first.
var frame = regexp.MustCompile(
	`^(?:\s*at [\w$.<>/@ -]+\(.*\)|\s*\.\.\. \d+ (?:more|common frames)|goroutine \d+ |\s+File ".*", line \d+)`)

// wrapper is an exception of Java that says nothing but that there was another.
var wrapper = regexp.MustCompile(
	`^java\.(?:lang\.reflect\.(?:InvocationTarget|UndeclaredThrowable)|util\.concurrent\.(?:Execution|Completion))` +
		`Exception\b(?:: (?:java\.lang\.reflect\.InvocationTargetException|null))?\s*$`)

// Headline is what a message says in one line: what stands before its stack, and
// the cause that it names last. A message without a stack is its headline, with
// spaces for line breaks.
func Headline(message string) string {
	head, causes := parts(message)
	said := strings.Join(strings.Fields(strings.Join(head, " ")), " ")
	cause := ""
	if len(causes) > 0 {
		cause = causes[len(causes)-1]
	}
	switch {
	case cause != "" && (said == "" || len(head) == 1 && wrapper.MatchString(head[0])):
		return cause
	case said == "":
		line, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
		return strings.Join(strings.Fields(line), " ")
	case cause == "" || strings.HasSuffix(said, cause):
		return said
	}
	return said + " ← " + cause
}

// HasStack reports whether the message holds a stack, which its headline leaves
// out.
func HasStack(message string) bool {
	for line := range strings.Lines(message) {
		if frame.MatchString(line) || strings.HasPrefix(line, traceback) {
			return true
		}
	}
	return false
}

// parts are the lines before the stack of a message, and the causes that it names
// without a repeated one.
func parts(message string) (head, causes []string) {
	message = strings.TrimSpace(message)
	if strings.HasPrefix(message, traceback) {
		return lastError(message), nil
	}
	stack := false
	for line := range strings.Lines(message) {
		line = strings.TrimRight(line, "\r\n")
		if cause, ok := strings.CutPrefix(line, causedBy); ok {
			stack = true
			if cause = strings.TrimSpace(cause); cause != "" && !wrapper.MatchString(cause) {
				causes = append(causes, cause)
			}
			continue
		}
		if stack = stack || frame.MatchString(line); !stack && strings.TrimSpace(line) != "" {
			head = append(head, strings.TrimSpace(line))
		}
	}
	return head, causes
}

// lastError is the last line of a stack of Python that is no frame.
func lastError(message string) []string {
	last := traceback
	for line := range strings.Lines(message) {
		if strings.TrimSpace(line) != "" && line[0] != ' ' && line[0] != '\t' {
			last = strings.TrimSpace(line)
		}
	}
	return []string{last}
}
