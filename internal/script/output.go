package script

import (
	"fmt"
	"io"
)

// limitedWriter passes on at most limit bytes, then one line that says so, then
// nothing. A negative limit is none. Write never fails, so that its source is
// always drained. It is not safe for concurrent use.
type limitedWriter struct {
	out      io.Writer
	limit    int64
	written  int64
	cut      bool
	lastByte byte
}

func (w *limitedWriter) Write(p []byte) (int, error) {
	if w.cut {
		return len(p), nil
	}
	pass := p
	if w.limit >= 0 {
		pass = p[:min(int64(len(p)), w.limit-w.written)]
	}
	if len(pass) > 0 {
		_, _ = w.out.Write(pass) // see Run: errors are for the owner of out
		w.written += int64(len(pass))
		w.lastByte = pass[len(pass)-1]
	}
	if len(pass) < len(p) {
		w.cut = true
		w.mark()
	}
	return len(p), nil
}

// mark writes the last line, on a line of its own.
func (w *limitedWriter) mark() {
	lead := ""
	if w.written > 0 && w.lastByte != '\n' {
		lead = "\n"
	}
	_, _ = fmt.Fprintf(w.out, "%s----------- script output cut: more than %d bytes -----------\n",
		lead, w.limit)
}
