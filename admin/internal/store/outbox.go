//go:build !brokenoutbox

package store

// outboxBroken is true in the program on which package e2e shows that its
// checker finds a broken promise, and in no other.
const outboxBroken = false
