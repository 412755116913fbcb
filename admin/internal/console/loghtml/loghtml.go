// Package loghtml shows the log of a run on a page: numbered lines, escaped, with
// the colours of terminals as classes.
package loghtml

import (
	"html"
	"html/template"
	"strconv"
	"strings"
	"unicode/utf8"
)

// lineShown is how many bytes of a line the page shows; the download has it all.
const lineShown = 20_000

// Marks are what is put to the lines of a log.
type Marks struct {
	More string // behind a line that is too long to be shown
	Fail int    // the number of the line that says why the run failed; 0 is none
	Why  string // that it does, in words
}

// Lines turns lines of a log into HTML: numbered, escaped, with colours of
// terminals as classes. first is the number of the first line.
func Lines(text string, first int, m Marks) template.HTML {
	var b strings.Builder
	var p painter
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		n := strconv.Itoa(first)
		class, mark := "ll", ""
		if first == m.Fail {
			class, mark = "ll fail", ` id="fail" title="`+html.EscapeString(m.Why)+`"`
		}
		b.WriteString(`<span class="` + class + `" id="L` + n + `">`)
		b.WriteString(`<a class="ln" href="#L` + n + `"` + mark + `>` + n + `</a><span class="lt">`)
		line = strings.TrimPrefix(strings.TrimSuffix(line, "\r"), "<br>")
		cut := len(line) > lineShown
		if cut {
			line = strings.ToValidUTF8(line[:lineShown], "")
		}
		p.line(&b, breaks.Replace(line))
		if cut {
			b.WriteString(`<span class="cut"> … ` + html.EscapeString(m.More) + `</span>`)
		}
		b.WriteString("</span>\n</span>")
		first++
	}
	return template.HTML(b.String()) //nolint:gosec // escaped piece by piece
}

// breaks are what executors write into their lines for Java's page, which takes
// them for markup. Here they break the line and leave its number.
var breaks = strings.NewReplacer(" <br>", "\n", "<br>", "\n", "<br/>", "\n")

// painter keeps what the escape sequences of terminals have switched on.
type painter struct {
	fore, back            int
	bold, italic, underln bool
}

// line writes a line with what the sequences in it say as classes. Other
// sequences are left out, other control characters are shown as unknown.
func (p *painter) line(b *strings.Builder, line string) {
	for line != "" {
		at := strings.IndexByte(line, 0x1b)
		text := line
		if at >= 0 {
			text = line[:at]
		}
		p.piece(b, text)
		if at < 0 {
			return
		}
		line = p.sequence(line[at+1:])
	}
}

// piece writes text in the present colours.
func (p *painter) piece(b *strings.Builder, text string) {
	if text == "" {
		return
	}
	text = html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0x7f {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD")))
	class := p.class()
	if class == "" {
		b.WriteString(text)
		return
	}
	b.WriteString(`<span class="` + class + `">` + text + `</span>`)
}

func (p *painter) class() string {
	var list []string
	if p.fore > 0 {
		list = append(list, "af"+strconv.Itoa(p.fore))
	}
	if p.back > 0 {
		list = append(list, "ab"+strconv.Itoa(p.back))
	}
	for _, s := range []struct {
		on   bool
		name string
	}{{p.bold, "abold"}, {p.italic, "aitalic"}, {p.underln, "aunder"}} {
		if s.on {
			list = append(list, s.name)
		}
	}
	return strings.Join(list, " ")
}

// sequence reads what follows an escape character and returns the rest.
func (p *painter) sequence(rest string) string {
	if rest == "" || rest[0] != '[' {
		return rest
	}
	end := 1
	for end < len(rest) && rest[end] >= 0x20 && rest[end] <= 0x3f {
		end++
	}
	if end == len(rest) {
		return ""
	}
	if rest[end] == 'm' {
		p.paint(rest[1:end])
	}
	return rest[end+1:]
}

// paint takes the numbers of one sequence.
func (p *painter) paint(params string) {
	skip := 0
	for text := range strings.SplitSeq(params, ";") {
		n, err := strconv.Atoi(text)
		if text != "" && err != nil {
			return
		}
		switch {
		case skip == -1: // behind 38 or 48: what kind of colour follows
			skip = map[int]int{5: 1, 2: 3}[n]
		case skip > 0:
			skip--
		case n == 38 || n == 48: // a palette of its own, which is not shown
			skip = -1
		default:
			p.set(n)
		}
	}
}

// set takes one number.
func (p *painter) set(n int) {
	switch {
	case n == 0:
		*p = painter{}
	case n == 1:
		p.bold = true
	case n == 3:
		p.italic = true
	case n == 4:
		p.underln = true
	case n == 22:
		p.bold = false
	case n == 23:
		p.italic = false
	case n == 24:
		p.underln = false
	case n >= 30 && n <= 37, n >= 90 && n <= 97:
		p.fore = n
	case n == 39:
		p.fore = 0
	case n >= 40 && n <= 47, n >= 100 && n <= 107:
		p.back = n
	case n == 49:
		p.back = 0
	}
}
