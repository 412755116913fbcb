//go:build !xxljob_failpoint

package xxljob

// failpointFromEnv returns nil: only crash tests, which build with the tag
// xxljob_failpoint, let the environment kill the process.
func failpointFromEnv() func(string) { return nil }
