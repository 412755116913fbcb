package xxljob_test

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// What a handler writes to the run's log is what the admin shows for the run,
// while it is at work and afterwards.
func ExampleRun_Logger() {
	handler := func(ctx context.Context, run *xxljob.Run) error {
		run.Logf("%d files to copy", 2)
		logger := run.Logger().With(slog.String("bucket", "backup"))
		for _, name := range []string{"a.csv", "b.csv"} {
			logger.InfoContext(ctx, "copied", slog.String("file", name))
		}
		checkSpace(ctx)
		return nil
	}
	result := xxljobtest.Run(context.Background(), handler, xxljobtest.Trigger{})
	for _, entry := range result.Entries {
		fmt.Println(entry)
	}
	// Output:
	// 2 files to copy
	// copied bucket=backup file=a.csv
	// copied bucket=backup file=b.csv
	// WARN little space left percent=4
}

// checkSpace is far from the handler and finds the run in its context.
func checkSpace(ctx context.Context) {
	if run := xxljob.RunFromContext(ctx); run != nil {
		run.Logger().WarnContext(ctx, "little space left", slog.Int("percent", 4))
	}
}
