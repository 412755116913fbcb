//go:build linux

package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// table is a table of figures with a title.
type table struct {
	title string
	head  []string
	rows  [][]string
	notes []string // paragraphs below it
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

// print writes Markdown whose columns also stand under one another in a
// terminal: the first to the left, figures to the right.
func (t *table) print(w io.Writer) {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if t.title != "" {
		fmt.Fprintf(w, "### %s\n\n", t.title)
	}
	printRow(w, widths, t.head)
	rule := make([]string, len(widths))
	for i, width := range widths {
		rule[i] = strings.Repeat("-", max(width-1, 2)) + ":"
	}
	rule[0] = strings.Repeat("-", widths[0])
	fmt.Fprintf(w, "| %s |\n", strings.Join(rule, " | "))
	for _, row := range t.rows {
		printRow(w, widths, row)
	}
	fmt.Fprintln(w)
	for _, note := range t.notes {
		fmt.Fprintf(w, "%s\n\n", note)
	}
}

func printRow(w io.Writer, widths []int, cells []string) {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		blank := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
		if i == 0 {
			padded[i] = cell + blank
		} else {
			padded[i] = blank + cell
		}
	}
	fmt.Fprintf(w, "| %s |\n", strings.Join(padded, " | "))
}

// How figures are written.

func count(n int) string { return grouped(int64(n)) }

func micro(us float64) string { return fmt.Sprintf("%.1f µs", us) }

func rate(perSecond float64) string { return grouped(int64(perSecond)) }

func mega(megabytes float64) string { return fmt.Sprintf("%.0f MB", megabytes) }

func milli(d time.Duration) string { return fmt.Sprintf("%.1f ms", float64(d.Microseconds())/1000) }

func seconds(d time.Duration) string { return fmt.Sprintf("%.2f s", d.Seconds()) }

// grouped writes a number with a comma before each three digits.
func grouped(n int64) string {
	if n < 0 {
		return "-" + grouped(-n)
	}
	digits := strconv.FormatInt(n, 10)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
