// Command jobs declares its jobs in its code: schedule, parameters and what
// follows stand beside the handlers, and this project's admin makes them when
// the executor registers. Make an executor group "jobs" in the admin, and start
//
//	go run ./examples/jobs -admin http://127.0.0.1:8080 -token <the admin's token>
//
// What a person changes in the console stays; --jobs-from-code of the admin
// says how much the code may do.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob"
)

var (
	admin = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token = flag.String("token", "", "access token, the same as in the admin")
	port  = flag.Int("port", 9999, "port to listen on")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "jobs:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{*admin},
		AppName:     "jobs",
		AccessToken: *token,
		Port:        *port,
	})
	if err != nil {
		return err
	}
	executor.Register("closeDay", closeDay, xxljob.Job{
		Name:     "close the day",
		Cron:     "0 0 2 * * ?", // at two in the morning
		TimeZone: "Asia/Taipei",
		Timeout:  10 * time.Minute,
		Children: []string{"report"}, // runs after a success
		Start:    true,               // else it is created stopped
	})
	executor.Register("report", report, xxljob.Job{Params: "daily"}) // without a schedule of its own
	return executor.Run(ctx)
}

// closeDay does the work of the first job.
func closeDay(_ context.Context, run *xxljob.Run) error {
	run.Logf("the day is closed")
	return nil
}

// report does the work of the second.
func report(_ context.Context, run *xxljob.Run) error {
	run.SetResult(run.Param() + " report written")
	return nil
}
