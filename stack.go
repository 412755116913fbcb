package xxljob

import (
	"bytes"
	"runtime/pprof"
)

// goroutineStack returns the stack of the goroutines that carry the profiler
// label of a job thread: the thread's own and those that its handler started.
func goroutineStack(label string) string {
	var profile bytes.Buffer
	if err := pprof.Lookup("goroutine").WriteTo(&profile, 1); err != nil {
		return "goroutine profile: " + err.Error()
	}
	want := []byte(`"` + threadLabel + `":"` + label + `"`)
	var found []byte
	for block := range bytes.SplitSeq(profile.Bytes(), []byte("\n\n")) {
		if bytes.Contains(block, want) {
			found = append(append(found, block...), '\n')
		}
	}
	if found == nil {
		return "goroutine not found: it has ended meanwhile"
	}
	return string(found)
}
