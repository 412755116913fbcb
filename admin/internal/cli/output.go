package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"
)

// Form is the form in which a command prints what it found.
type Form struct {
	Output string `help:"${output}" short:"o" enum:"table,json,yaml" default:"table" env:"-"`
}

// Print writes value as JSON or YAML, or a table that fill makes.
func (o *Form) Print(con Console, value any, fill func(w io.Writer)) error {
	switch o.Output {
	case "json":
		encoder := json.NewEncoder(con.Out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case "yaml":
		return printYAML(con.Out, value)
	}
	table := tabwriter.NewWriter(con.Out, 0, 0, 2, ' ', 0)
	fill(table)
	return table.Flush()
}

// aside is where goes what is not the output itself: JSON and YAML stay whole.
func (o *Form) aside(con Console) io.Writer {
	if o.Output == "table" {
		return con.Out
	}
	return con.Err
}

// printYAML writes what the JSON of a value says.
func printYAML(w io.Writer, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil { // JSON is YAML; the order of fields stays
		return err
	}
	plainStyle(&node)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return err
	}
	return encoder.Close()
}

// plainStyle writes blocks, and quotes only where it is needed.
func plainStyle(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		plainStyle(child)
	}
}

// Row writes the cells of a table. What comes from elsewhere cannot control the
// terminal.
func Row(w io.Writer, cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, Safe(fmt.Sprint(cell)))
	}
	fmt.Fprintln(w)
}

// Safe shows what a terminal would obey.
func Safe(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// clock is an instant in a table, in the zone of this machine.
func clock(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func dash(s string) string { return cmp.Or(s, "-") }
