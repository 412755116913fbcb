// Command basic is the smallest whole executor: one handler that an admin
// triggers.
//
//	go run ./examples/basic -standalone
//
// needs nothing else: it brings a stand-in for an admin, which triggers the
// handler every second and prints what arrives. With an admin of yours, add a
// job with the JobHandler "greet" to an executor group "basic" there, and start
//
//	go run ./examples/basic -admin http://127.0.0.1:8080/xxl-job-admin -token <the admin's token>
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/xxljob-go/xxljob"
)

var (
	admin      = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token      = flag.String("token", "", "access token, the same as in the admin")
	port       = flag.Int("port", 9999, "port to listen on")
	logPath    = flag.String("logpath", "", "folder for logs and results (default xxl-job-logs)")
	standalone = flag.Bool("standalone", false, "bring a stand-in for an admin")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "basic:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	cfg := xxljob.Config{
		AdminAddrs:  []string{*admin}, // where it registers and reports results
		AppName:     "basic",          // the executor group in the admin
		AccessToken: *token,
		Port:        *port,
		LogPath:     *logPath,
	}
	if *standalone {
		stop, err := startStandIn(ctx, &cfg)
		if err != nil {
			return err
		}
		defer stop()
	}
	return serve(ctx, cfg)
}

// serve is an executor. It ends when ctx does, after the runs at work.
func serve(ctx context.Context, cfg xxljob.Config) error {
	executor, err := xxljob.NewExecutor(cfg)
	if err != nil {
		return err
	}
	executor.Register("greet", greet)
	return executor.Run(ctx)
}

// greet does the work of jobs whose JobHandler is "greet".
func greet(_ context.Context, run *xxljob.Run) error {
	if run.Param() == "" {
		return xxljob.NoRetry(fmt.Errorf("nobody to greet: job %d has no parameter", run.JobID()))
	}
	run.Logf("greeting %s", run.Param())  // the admin shows it, live
	run.SetResult("hello " + run.Param()) // the message of a success
	return nil
}
