//go:build linux

package e2e

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// faulty is the program with failpoints, a wall clock that can be stepped and a
// journal whose disk can hang. The faults are put under the sources with
// go build -overlay, so that what is tested is otherwise what is shipped.
var faulty = sync.OnceValues(func() (string, error) {
	overlay, err := writeOverlay()
	if err != nil {
		return "", err
	}
	return build("kitchensink-faulty", "-tags", "xxljob_failpoint", "-overlay", overlay)
})

func writeOverlay() (string, error) {
	root, err := filepath.Abs("../..")
	if err != nil {
		return "", err
	}
	faults := filepath.Join(root, "internal", "e2e", "testdata", "faulty")
	clock, original, err := steppedClock()
	if err != nil {
		return "", err
	}
	overlay, err := json.Marshal(map[string]map[string]string{"Replace": {
		original: clock,
		filepath.Join(root, "examples", "kitchensink", "clock_fault.go"): filepath.Join(faults, "clock.go"),
		filepath.Join(root, "internal", "journal", "disk_fault.go"):      filepath.Join(faults, "disk.go"),
	}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(binDir, "overlay.json")
	return path, os.WriteFile(path, overlay, 0o600)
}

// steppedClock writes a copy of the time package's Now that adds a step to the
// wall clock and leaves the monotonic one alone, as a step of the system's
// clock does.
func steppedClock() (changed, original string, err error) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output() //nolint:noctx // answers at once
	if err != nil {
		return "", "", err
	}
	original = filepath.Join(strings.TrimSpace(string(goroot)), "src", "time", "time.go")
	source, err := os.ReadFile(original)
	if err != nil {
		return "", "", err
	}
	const now = "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n"
	text := strings.Replace(string(source), now, now+"\tsec += clockStep\n", 1)
	if text == string(source) {
		return "", "", errors.New("time.Now does not look as expected: adapt steppedClock to this Go release")
	}
	text += "\nvar clockStep int64\n\nfunc StepClock(seconds int64) { clockStep = seconds }\n"
	changed = filepath.Join(binDir, "time.go")
	if err := os.WriteFile(changed, []byte(text), 0o600); err != nil {
		return "", "", fmt.Errorf("write the stepped clock: %w", err)
	}
	return changed, original, nil
}
