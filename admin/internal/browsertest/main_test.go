//go:build browser

package browsertest

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

// everything makes the walk look at each page in every combination of language,
// theme and width, and leave pictures: `make screens`. Without it each page is
// looked at light and dark, wide and narrow, in two of the languages.
var everything = flag.Bool("everything", false, "look at every combination, and leave pictures in build/screens")

// TestMain fails when all tests have passed and there is a page that none of
// them has opened, or an action that none has done.
func TestMain(m *testing.M) {
	flag.Parse()
	code := m.Run()
	stopChromium()
	if code == 0 && allTests() {
		if missing := journal.missing(); len(missing) > 0 {
			fmt.Fprintf(os.Stderr, "FAIL: no browser has opened or done this:\n\t%s\n", strings.Join(missing, "\n\t"))
			code = 1
		}
	}
	os.Exit(code)
}

// allTests reports whether no flag has left tests out.
func allTests() bool {
	for _, name := range []string{"test.run", "test.skip", "test.list"} {
		if flag.Lookup(name).Value.String() != "" {
			return false
		}
	}
	return true
}
