package console

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

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
	w := newWorld(t)
	j := w.job(w.group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.as(w.admin)
	bad := w.run(j, noon.Add(-time.Minute), time.Second, 500, paniced)
	fine := w.run(j, noon.Add(-time.Minute), time.Second, 200, "")
	open := w.run(j, noon.Add(-time.Second), 0, 0, "")
	at := func(id int64) string { return runPath(id) + "?at=fail" }

	lines := []string{"start", "one", "two", "JobThread Exception:panic: no such order", "", "goroutine 35 [running]:", "end"}
	w.parts.text = logOf(lines, 100)
	rec := v.get(at(bad))
	assert.Equal(t, http.StatusSeeOther, rec.Code)
	assert.Equal(t, runPath(bad)+"?fail=4#L4", rec.Header().Get("Location"))
	for _, target := range []string{runPath(bad) + "?fail=4", runPath(bad)} { // the log is short: nobody has to ask
		page := v.text(target)
		assert.Contains(t, page, `<span class="ll fail" id="L4"><a class="ln" href="#L4" id="fail" title="This line says why the run failed">4</a>`)
		assert.Equal(t, 1, strings.Count(page, `"ll fail"`))
		assert.Contains(t, page, `<a class="button" href="#L4">To the failing line</a>`)
		assert.Contains(t, page, "Run again")
	}
	assert.NotContains(t, v.text(at(fine)), "failing line")
	assert.NotContains(t, v.text(at(open)), "failing line")

	var long []string
	for i := range 5000 {
		long = append(long, fmt.Sprintf("line %d", i+1))
	}
	long[3999] = "ERROR panic: no such order"
	w.parts.text = logOf(long, 1500)
	assert.Equal(t, runPath(bad)+"?line=3800&fail=4000#L4000", v.get(at(bad)).Header().Get("Location"))
	page := v.text(runPath(bad) + "?line=3800&fail=4000")
	assert.Contains(t, page, `<span class="ll fail" id="L4000">`)
	assert.Contains(t, page, `<a href="`+runPath(bad)+`#log">Shown from line 3800 on: read it from the beginning</a>`)
	page = v.text(runPath(bad))
	assert.NotContains(t, page, `"ll fail"`)
	assert.Contains(t, page, `href="`+at(bad)+`">To the failing line</a>`)

	w.parts.text = func(wire.LogRequest) (wire.LogResult, error) {
		return wire.LogResult{}, errors.New("connection refused")
	}
	page = v.text(at(bad))
	assert.Contains(t, page, "connection refused")
	assert.Contains(t, page, "Run again")
}

// TestPanicIsOneLine: the headline is what the handler panicked with; the stack
// stands below it, whole and folded.
func TestPanicIsOneLine(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	j := w.job(w.group("settle", "Settle", "http://10.0.0.1:9999/"), "settle")
	v := w.as(w.admin)
	bad := w.run(j, noon.Add(-time.Minute), time.Second, 500, paniced)
	page := v.text(runPath(bad))
	assert.Contains(t, page, `<p class="said">panic: no such order</p>`)
	assert.Contains(t, page, "<summary>All that the executor said, with its stack (5 lines)</summary>"+`<pre class="said">`+paniced+"</pre>")
	assert.NotContains(t, page, "What the executor said</h2>")
	list := v.text("/runs")
	assert.Contains(t, list, "panic: no such order")
	assert.NotContains(t, list, "goroutine")
	assert.NotContains(t, v.text("/jobs/"+strconv.Itoa(int(j.ID))), "goroutine")

	page = v.text(runPath(w.run(j, noon.Add(-time.Minute), time.Second, 500, "one line")))
	assert.NotContains(t, page, "with its stack")
	assert.Contains(t, page, "What the executor said</h2>\n"+`<pre class="said">one line</pre>`)
}
