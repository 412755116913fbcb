// Command kitchensink is an executor with a handler for everything that an
// executor can be asked to do. Tests, benchmarks and other people's tools drive
// it. Its handlers; a missing param counts as empty:
//
//	echo      writes the param as one entry to the run log, succeeds with it as message
//	sleep     waits param milliseconds, or until cancelled, and then returns that error; message "slept"
//	stubborn  the same, deaf to cancellation; message "stubborn done"
//	fail      fails with the param as text
//	panic     panics with the param
//	lines     writes param lines "line 1", "line 2", … to the run log
//	bigmsg    succeeds with a message of param times "x"
//	shard     message "index/total"
//	spin      a busy loop that never ends
//	bench     returns at once and writes nothing of its own
//	mark      appends its log id as a line to the file (or FIFO) named by the param, and syncs it
//
// It writes nothing outside of -logpath, keeps run logs for 30 days, and has
// ended within 15 s of SIGTERM whatever its handlers do.
package main

import (
	"context"
	"flag"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob"
)

// shutdownTimeout leaves room below the promised 15 s.
const shutdownTimeout = 12 * time.Second

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "kitchensink:", err)
		os.Exit(1)
	}
	os.Exit(0) // handlers that never end do not keep the process
}

func run(ctx context.Context, args []string) error {
	cfg, err := parse(args)
	if err != nil {
		return err
	}
	executor, err := xxljob.NewExecutor(cfg)
	if err != nil {
		return err
	}
	for name, handler := range handlers {
		if err := executor.Register(name, handler); err != nil {
			return err
		}
	}
	return executor.Run(ctx)
}

// parse makes the configuration of the flags.
func parse(args []string) (xxljob.Config, error) {
	flags := flag.NewFlagSet("kitchensink", flag.ExitOnError)
	port := flags.Int("port", 9999, "port to listen on")
	admin := flags.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "admin URLs, separated by commas")
	token := flags.String("token", "", "access token")
	appName := flags.String("appname", "kitchensink", "name of the executor group in the admin")
	logPath := flags.String("logpath", "xxl-job-logs", "folder for run logs, scripts and the journal")
	glue := flags.Bool("glue", false, "run GLUE scripts")
	insecure := flags.Bool("insecure-token", false, "accept an empty or the public default token")
	address := flags.String("address", "", "URL to announce instead of the detected one")
	verbose := flags.Bool("v", false, "log debug messages")
	if err := flags.Parse(args); err != nil {
		return xxljob.Config{}, err
	}
	if flags.NArg() > 0 {
		return xxljob.Config{}, fmt.Errorf("unknown argument %q: see -help", flags.Arg(0))
	}
	level := slog.LevelInfo
	if *verbose {
		level = slog.LevelDebug
	}
	return xxljob.Config{
		AdminAddrs:         []string{*admin},
		AppName:            *appName,
		AccessToken:        *token,
		AllowInsecureToken: *insecure,
		Address:            *address,
		Port:               *port,
		LogPath:            *logPath,
		LogRetentionDays:   30,
		ShutdownTimeout:    shutdownTimeout,
		Scripts:            xxljob.ScriptConfig{Enabled: *glue},
		Logger:             slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: level})),
	}, nil
}
