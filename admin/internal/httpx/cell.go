package httpx

import "strings"

// Cell is text for a cell of a CSV file: a spreadsheet does not take it for a
// formula.
func Cell(text string) string {
	if text != "" && strings.ContainsRune("=+-@\t\r", rune(text[0])) {
		return "'" + text
	}
	return text
}
