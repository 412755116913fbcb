//go:build brokenoutbox

package store

// outboxBroken leaves runs without their row in xxljob_run: whoever starts
// after a crash does not know of them.
const outboxBroken = true
