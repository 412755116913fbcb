package logtext

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
)

const goPanic = "panic: no such order\n\ngoroutine 35 [running]:\nruntime/debug.Stack()\n\t/usr/lib/go/debug/stack.go:26 +0x5e\n" +
	"panic({0x1, 0x2})\n\t/usr/lib/go/panic.go:783 +0x132\nmain.settle()\n\t/src/main.go:12"

const javaWrapped = "java.lang.reflect.InvocationTargetException\n" +
	"\tat sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)\n" +
	"\tat com.xxl.job.core.thread.JobThread.run(JobThread.java:166)\n" +
	"Caused by: java.lang.IllegalStateException: order 7 is gone\n" +
	"\tat demo.Jobs.settle(Jobs.java:42)\n\t... 12 more\n"

func TestHeadline(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, message, want string
		stack               bool
	}{
		{"empty", "", "", false},
		{"one line", " boom ", "boom", false},
		{"lines", "boom\nat step 3\n\nof 4", "boom at step 3 of 4", false},
		{"panic in Go", goPanic, "panic: no such order", true},
		{"panic of lines", "panic: a\nb\n\ngoroutine 1 [running]:\nx", "panic: a b", true},
		{"Java", "java.lang.RuntimeException: boom\r\n\tat a.B.c(B.java:1)\r\n", "java.lang.RuntimeException: boom", true},
		{"Java, a wrapper", javaWrapped, "java.lang.IllegalStateException: order 7 is gone", true},
		{
			"Java, wrappers",
			"java.util.concurrent.ExecutionException: java.lang.reflect.InvocationTargetException\n\tat a.b(C.java:1)\n" +
				"Caused by: java.lang.reflect.InvocationTargetException\n\tat a.b(C.java:2)\nCaused by: x.Y: z\n\tat a.b(C.java:3)",
			"x.Y: z", true,
		},
		{
			"Java, a cause", "x.SettleException: settle failed\n\tat a.b(C.java:1)\nCaused by: java.net.ConnectException: refused\n\t... 2 more",
			"x.SettleException: settle failed ← java.net.ConnectException: refused", true,
		},
		{"Java, the cause again", "x.A: y: z\n\tat a.b(C.java:1)\nCaused by: y: z\n", "x.A: y: z", true},
		{"Python", "Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\n    x\nValueError: bad\n", "ValueError: bad", true},
		{"nothing but a stack", "goroutine 1 [running]:\nmain.main()", "goroutine 1 [running]:", true},
	} {
		assert.Equal(t, tt.want, strings.TrimSpace(Headline(tt.message)), tt.name)
		assert.Equal(t, tt.stack, HasStack(tt.message), tt.name)
	}
}

const (
	head  = "2026-11-21 19:59:01 [a#b]-[1]-[x] "
	start = head + "<br>----------- xxl-job job execute start -----------<br>----------- Param:\n"
	bad   = head + "<br>----------- xxl-job job execute end(error) -----------\n"
	done  = head + "<br>----------- xxl-job job callback finish.\n"
)

func result(msg string) string {
	return head + "<br>----------- xxl-job job execute end(finish) -----------<br>----------- Result: handleCode=500, handleMsg = " + msg + "\n"
}

func TestFailing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, message, log string
		want               int
	}{
		{"nothing", "", "", 0},
		{"begun alone", "", start, 0},
		{"an error in Go", "no such order", start + head + "one\n" + head + "<br>----------- JobThread Exception:no such order\n" + bad + done, 3},
		{"logged before it was returned", "no such order", start + head + "ERROR x\n" + head + "ERROR no such order n=1\n" +
			head + "<br>----------- JobThread Exception:no such order\n" + bad, 3},
		{"a panic", goPanic, start + head + "one\n" + head + "<br>----------- JobThread Exception:" + goPanic + "\n" + bad, 3},
		{"Java", javaWrapped, start + head + "<br>----------- JobThread Exception:" + javaWrapped + bad, 5},
		{"Java, not reported so", "", start + "a\n" + head + "java.lang.IllegalStateException: order\n\tat x.y(Z.java:1)\n" + result("null"), 3},
		{"the level", "x y z", start + "INFO fine\nERROR bad\nINFO ERROR\n", 3},
		{"logfmt", "", "level=info msg=a\nlevel=error msg=b\n", 2},
		{"JSON", "", "{\"level\":\"info\"}\n{\"level\": \"error\"}\n", 2},
		{"colours", "", "fine\n\x1b[31mERR\x1b[0m\x1b[1mOR\x1b[0m bad\n", 2},
		{"no level", "", "no errors so far\nTERRORS\n", 2},
		{"a script", "script exit value(3) is failed", start + "a\nfoo: command not found\n\n" + result("script exit value(3) is failed") + done, 3},
		{"Python in a script", "script exit value(1) is failed", start + "a\nTraceback (most recent call last):\n  x\nValueError: bad\n" +
			result("script exit value(1) is failed"), 3},
		{"said with the result", "bad data", start + "a\n" + result("bad data") + done, 3},
		{"no reason", "", start + "a\nb\n" + result("null") + done, 3},
		{"too long", "", start + "a\n" + head + "<br>----------- xxl-job job execute timeout\n" + result("job execute timeout ") + done, 3},
		{"killed", "", start + "a\n" + head + "<br>----------- JobThread toStop, stopReason:kill\n" + bad, 3},
		{"an error before the time was over", "", start + "ERROR a\nb\n" + head + "<br>----------- xxl-job job execute timeout\n", 2},
		{"a short message", "no", start + "no\nERROR x\n", 3},
		{"cut off", "", start + "a\nb\n", 3},
	} {
		whole, parts := NewFinder(tt.message), NewFinder(tt.message)
		whole.Read(tt.log, 1)
		n := 1
		for line := range strings.Lines(tt.log) {
			parts.Read(line, n)
			n++
		}
		assert.Equal(t, tt.want, whole.Line(), tt.name)
		assert.Equal(t, tt.want, parts.Line(), "%s, in parts", tt.name)
	}
}

// TestManyCauses: what a handler writes into its message does not say how much work
// each line of its log is.
func TestManyCauses(t *testing.T) {
	t.Parallel()
	var message strings.Builder
	message.WriteString("x.Failure: it failed\n")
	for i := range 1000 {
		fmt.Fprintf(&message, "Caused by: x.Cause: number %d\n", i)
	}
	f := NewFinder(message.String())
	assert.Len(t, f.needles, 1+causesLooked)
	f.Read("x.Failure\nnumber 999\nx.Cause: number 999\n", 1)
	assert.Equal(t, 3, f.Line(), "the last cause is one of those that are looked for")
}

// FuzzFailing: the line exists, and is the same whatever the parts.
func FuzzFailing(f *testing.F) {
	f.Add(goPanic, start+"a\n"+bad, 2)
	f.Add(javaWrapped, "ERROR\n\n\x1b[31m", 1)
	f.Fuzz(func(t *testing.T, message, log string, cut int) {
		if strings.Contains(Headline(message), "\n") {
			t.Errorf("%q has more than a line", message)
		}
		whole, parts := NewFinder(message), NewFinder(message)
		for _, needle := range whole.needles {
			if utf8.ValidString(message) && !utf8.ValidString(needle) {
				t.Errorf("%q is cut within a character", needle)
			}
		}
		whole.Read(log, 1)
		lines := strings.Split(strings.TrimSuffix(log, "\n"), "\n")
		if whole.Line() < 0 || whole.Line() > len(lines) {
			t.Fatalf("line %d of %d", whole.Line(), len(lines))
		}
		cut = min(max(cut, 0), len(lines))
		if cut > 0 {
			parts.Read(strings.Join(lines[:cut], "\n")+"\n", 1)
		}
		if cut < len(lines) {
			parts.Read(strings.Join(lines[cut:], "\n")+"\n", cut+1)
		}
		if whole.Line() != parts.Line() {
			t.Errorf("line %d, in parts %d", whole.Line(), parts.Line())
		}
	})
}
