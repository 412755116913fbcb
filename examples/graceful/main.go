// Command graceful stops without losing work. On SIGTERM or Ctrl-C it takes
// itself off the admin's list, takes no new triggers, lets the runs at work go
// on for a while, tells those that are left to stop, and delivers every result.
// A second signal ends it at once; even then nothing is lost, since the next
// start reports what was cut off. Add a job with the JobHandler "import" and a
// number of rows as parameter to an executor group "graceful" of your admin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob"
)

var (
	admin    = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token    = flag.String("token", "", "access token, the same as in the admin")
	port     = flag.Int("port", 9999, "port to listen on")
	logPath  = flag.String("logpath", "", "folder for logs and results (default xxl-job-logs)")
	stopTime = flag.Duration("stop-time", 30*time.Second, "how long a stop may take")
	drain    = flag.Duration("drain", 0, "how long triggers are still taken after deregistering; 35s under Kubernetes")
)

// importRows looks at its context between two rows: that is all a handler has
// to do for a clean stop.
func importRows(ctx context.Context, run *xxljob.Run) error {
	rows, err := strconv.Atoi(run.Param())
	if err != nil {
		return xxljob.NoRetry(fmt.Errorf("the parameter must be a number of rows: %w", err))
	}
	for row := range rows {
		select {
		case <-time.After(10 * time.Millisecond): // the work on one row
		case <-ctx.Done():
			return stopped(ctx, run, row)
		}
	}
	run.SetResult(fmt.Sprintf("%d rows", rows))
	return nil
}

// stopped says how far the handler came, and to whom it matters why.
func stopped(ctx context.Context, run *xxljob.Run, row int) error {
	cause := context.Cause(ctx)
	switch {
	case errors.Is(cause, xxljob.ErrShutdown):
		run.Logf("this process ends: rows from %d on are left to the next run", row)
	case errors.Is(cause, xxljob.ErrKilled):
		run.Logf("killed in the admin at row %d", row)
	case errors.Is(cause, xxljob.ErrTimeout):
		run.Logf("%v were not enough for more than %d rows", run.Timeout(), row)
	}
	return fmt.Errorf("stopped at row %d: %w", row, cause)
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // the second signal has its usual effect again
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "graceful:", err)
		os.Exit(1)
	}
	fmt.Println("stopped, every result is delivered or kept for the next start")
}

func run(ctx context.Context) error {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:      []string{*admin},
		AppName:         "graceful",
		AccessToken:     *token,
		Port:            *port,
		LogPath:         *logPath, // must survive a restart: unsent results lie there
		ShutdownTimeout: *stopTime,
		DrainDelay:      *drain,
	})
	if err != nil {
		return err
	}
	// An import may start from the beginning again, so a run that a crash has
	// cut off is run again instead of reported as failed.
	executor.Register("import", importRows, xxljob.Repeatable())
	return executor.Run(ctx)
}
