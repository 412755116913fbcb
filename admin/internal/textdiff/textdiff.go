// Package textdiff compares two texts line by line, for people to read. It is
// bounded, whatever it is given, and imports nothing of ours.
package textdiff

import "strings"

// Op says where a line stands.
type Op uint8

// The places.
const (
	Same Op = iota // in both texts
	Gone           // in the old one alone
	New            // in the new one alone
)

// Line is a line of a comparison.
type Line struct {
	Op   Op
	Old  int    // its number in the old text, from 1 on; 0 where it is not there
	New  int    // its number in the new text likewise
	Text string // without the line break
}

const (
	// maxLines bounds the lines of one text that are compared one by one; what
	// is longer, between the same beginning and end, is shown as replaced.
	maxLines = 20_000
	// maxSteps bounds how many lines may differ before that is done too: time
	// and memory grow with its square.
	maxSteps = 1000
)

// Lines compares two texts. Read without the lines that are New the result is
// the old text, without those that are Gone the new one. A text that is empty
// has no lines; a line break at the end begins no further line, and whether it
// is there makes no difference.
func Lines(before, after string) []Line {
	a, b := split(before), split(after)
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	w := writer{a: a, b: b, list: make([]Line, 0, max(len(a), len(b)))}
	w.same(head)
	w.middle(a[head:len(a)-tail], b[head:len(b)-tail])
	w.same(tail)
	return w.list
}

func split(text string) []string {
	if text == "" {
		return nil
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimSuffix(line, "\r")
	}
	return lines
}

// writer puts the lines of both texts into one list.
type writer struct {
	a, b []string
	i, j int // how much of them is written
	list []Line
}

func (w *writer) same(n int) {
	for range n {
		w.list = append(w.list, Line{Same, w.i + 1, w.j + 1, w.b[w.j]})
		w.i, w.j = w.i+1, w.j+1
	}
}

func (w *writer) gone(n int) {
	for range n {
		w.list = append(w.list, Line{Gone, w.i + 1, 0, w.a[w.i]})
		w.i++
	}
}

func (w *writer) new(n int) {
	for range n {
		w.list = append(w.list, Line{New, 0, w.j + 1, w.b[w.j]})
		w.j++
	}
}

// middle writes what differs: by the shortest script that makes b of a, where
// that is found within the bounds.
func (w *writer) middle(a, b []string) {
	if len(a) <= maxLines && len(b) <= maxLines {
		if steps, ok := script(a, b); ok {
			for _, s := range steps {
				w.gone(s.gone)
				w.new(s.new)
				w.same(s.same)
			}
			return
		}
	}
	w.gone(len(a))
	w.new(len(b))
}

// step is a part of a script: so many lines go, so many come, so many stay.
type step struct{ gone, new, same int }

// script finds the shortest way from a to b (Myers 1986): front[k] is how far
// into a one gets on the diagonal k with d lines that differ. ok is false when
// more than maxSteps differ.
func script(a, b []string) (steps []step, ok bool) {
	limit := min(len(a)+len(b), maxSteps)
	front := make([]int32, 2*limit+3)
	at := func(k int) int { return k + limit + 1 }
	var trace [][]int32 // the diagonals -d to d of each round
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := front[at(k+1)] // down: a line of b comes
			if k != -d && (k == d || front[at(k-1)] >= x) {
				x = front[at(k-1)] + 1 // right: a line of a goes
			}
			for int(x) < len(a) && int(x)-k < len(b) && a[x] == b[int(x)-k] {
				x++
			}
			front[at(k)] = x
			if int(x) >= len(a) && int(x)-k >= len(b) {
				return walkBack(trace, len(a), len(b), d), true
			}
		}
		trace = append(trace, append([]int32(nil), front[at(-d):at(d)+1]...))
	}
	return nil, false
}

// walkBack reads the way from the end. trace[d] holds the diagonals -d to d.
func walkBack(trace [][]int32, x, y, d int) []step {
	var back []step // from the end to the beginning
	for ; d > 0; d-- {
		k := x - y
		reached := func(k int) int { // in the round before
			if k < -(d-1) || k > d-1 {
				return -1
			}
			return int(trace[d-1][k+d-1])
		}
		from, comes := k-1, 0
		if k == -d || k != d && reached(k-1) < reached(k+1) {
			from, comes = k+1, 1
		}
		startX := reached(from)
		startY := startX - from
		back = append(back, step{gone: 1 - comes, new: comes, same: x - startX - (1 - comes)})
		x, y = startX, startY
	}
	steps := make([]step, 0, len(back)+1)
	steps = append(steps, step{same: x})
	for i := len(back) - 1; i >= 0; i-- {
		steps = append(steps, back[i])
	}
	return steps
}

// Hunk is a part of a comparison: some lines, and how many that are the same
// were left out before them.
type Hunk struct {
	Skipped int
	Lines   []Line
}

// Hunks leaves out of a comparison what is the same and more than around lines
// away from what differs. The second result is how many lines were left out
// behind the last hunk. Where nothing differs there are no hunks.
func Hunks(list []Line, around int) (hunks []Hunk, skipped int) {
	keep := make([]bool, len(list))
	for i, l := range list {
		if l.Op == Same {
			continue
		}
		for n := max(i-around, 0); n <= min(i+around, len(list)-1); n++ {
			keep[n] = true
		}
	}
	for i, l := range list {
		switch {
		case !keep[i]:
			skipped++
		case i == 0 || !keep[i-1]:
			hunks, skipped = append(hunks, Hunk{Skipped: skipped, Lines: []Line{l}}), 0
		default:
			last := &hunks[len(hunks)-1]
			last.Lines = append(last.Lines, l)
		}
	}
	return hunks, skipped
}
