package runpages_test

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/console/consoletest"
	"github.com/xxljob-go/xxljob/internal/wire"
)

const paniced = "panic: no such order\n\ngoroutine 35 [running]:\nruntime/debug.Stack()\n\t/src/stack.go:26 +0x5e"

// logOf plays a log of as many lines, in answers of so many.
func logOf(lines []string, part int) func(wire.LogRequest) (wire.LogResult, error) {
	return func(r wire.LogRequest) (wire.LogResult, error) {
		from := int(r.FromLineNum)
		to := min(from+part-1, len(lines))
		if from > len(lines) {
			return wire.LogResult{FromLineNum: r.FromLineNum, ToLineNum: r.FromLineNum - 1, IsEnd: true}, nil
		}
		return wire.LogResult{
			FromLineNum: r.FromLineNum, ToLineNum: int32(to), LogContent: strings.Join(lines[from-1:to], "\n") + "\n",
		}, nil
	}
}

// TestToTheFailingLine: one address leads to the line of the log that says why,
// with scripts and without, however far down it stands, and what may be done is
// on that page.
func TestToTheFailingLine(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	bad := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, paniced)
	fine := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 200, "")
	open := w.Run(j, consoletest.Noon.Add(-time.Second), 0, 0, "")
	at := func(id int64) string { return consoletest.RunPath(id) + "?at=fail" }

	lines := []string{"start", "one", "two", "JobThread Exception:panic: no such order", "", "goroutine 35 [running]:", "end"}
	w.Parts.Text = logOf(lines, 100)
	rec := v.Get(at(bad))
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Equal(t, consoletest.RunPath(bad)+"?fail=4#L4", rec.Header().Get("Location"))
	for _, target := range []string{consoletest.RunPath(bad) + "?fail=4", consoletest.RunPath(bad)} { // the log is short: nobody has to ask
		page := v.Text(target)
		assert.Contains(t, page, `<span class="ll fail" id="L4"><a class="ln" href="#L4" id="fail" title="This line says why the run failed">4</a>`)
		assert.Equal(t, 1, strings.Count(page, `"ll fail"`))
		assert.Contains(t, page, `<a class="button" href="#L4">To the failing line</a>`)
		assert.Contains(t, page, "Run again")
	}
	assert.NotContains(t, v.Text(at(fine)), "failing line")
	assert.NotContains(t, v.Text(at(open)), "failing line")

	var long []string
	for i := range 5000 {
		long = append(long, fmt.Sprintf("line %d", i+1))
	}
	long[3999] = "ERROR panic: no such order"
	w.Parts.Text = logOf(long, 1500)
	assert.Equal(t, consoletest.RunPath(bad)+"?line=3800&fail=4000#L4000", v.Get(at(bad)).Header().Get("Location"))
	page := v.Text(consoletest.RunPath(bad) + "?line=3800&fail=4000")
	assert.Contains(t, page, `<span class="ll fail" id="L4000">`)
	assert.Contains(t, page, `<a href="`+consoletest.RunPath(bad)+`#log">Shown from line 3800 on: read it from the beginning</a>`)
	page = v.Text(consoletest.RunPath(bad))
	assert.NotContains(t, page, `"ll fail"`)
	assert.Contains(t, page, `href="`+at(bad)+`">To the failing line</a>`)

	w.Parts.Text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	page = v.Text(at(bad))
	assert.Contains(t, page, "connection refused")
	assert.Contains(t, page, "Run again")
}

// TestPanicIsOneLine: the headline is what the handler panicked with; the stack
// stands below it, whole and folded.
func TestPanicIsOneLine(t *testing.T) {
	t.Parallel()
	w := consoletest.New(t)
	j := w.Job(w.Group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.As(w.Admin)
	bad := w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, paniced)
	page := v.Text(consoletest.RunPath(bad))
	assert.Contains(t, page, `<p class="said">panic: no such order</p>`)
	assert.Contains(t, page, "<summary>All that the executor said, with its stack (5 lines)</summary>"+`<pre class="said">`+paniced+"</pre>")
	assert.NotContains(t, page, "What the executor said</h2>")
	list := v.Text("/runs")
	assert.Contains(t, list, "panic: no such order")
	assert.NotContains(t, list, "goroutine")
	assert.NotContains(t, v.Text("/jobs/"+strconv.Itoa(int(j.ID))), "goroutine")

	page = v.Text(consoletest.RunPath(w.Run(j, consoletest.Noon.Add(-time.Minute), time.Second, 500, "one line")))
	assert.NotContains(t, page, "with its stack")
	assert.Contains(t, page, "What the executor said</h2>\n"+`<pre class="said">one line</pre>`)
}
