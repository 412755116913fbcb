package journal

import (
	"context"
	"flag"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVar); role != "" {
		os.Exit(asChild(context.Background(), role))
	}
	// A failure that depends on timing is of no use as a file.
	_ = flag.Set("rapid.nofailfile", "true")
	goleak.VerifyTestMain(m)
}
