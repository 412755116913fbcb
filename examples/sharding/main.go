// Command sharding does its part of a sharding broadcast: the admin triggers
// every executor of the group at once, each with its own index, and each takes
// the items that are its own. Start it two or three times with different ports
// and log paths, and add a job with the JobHandler "recount" and the route
// strategy "Sharding Broadcast" to an executor group "sharding" of your admin.
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
	admin   = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token   = flag.String("token", "", "access token, the same as in the admin")
	port    = flag.Int("port", 9999, "port to listen on")
	logPath = flag.String("logpath", "", "folder for logs and results (default xxl-job-logs)")
)

// customers stand for a list that every executor of the group can read.
func customers() []int64 {
	ids := make([]int64, 1000)
	for i := range ids {
		ids[i] = int64(10_000 + i)
	}
	return ids
}

// recount handles the customers of its shard. Each belongs to exactly one:
// Owns goes by the id, so a customer stays with its shard when the list
// changes, and the same rule can stand in SQL (WHERE id % total = index).
// xxljob.Shard(run, items) does the same by the position in a slice.
func recount(ctx context.Context, run *xxljob.Run) error {
	done := 0
	for _, id := range customers() {
		if !run.Owns(id) {
			continue
		}
		if ctx.Err() != nil {
			return fmt.Errorf("stopped after %d customers: %w", done, context.Cause(ctx))
		}
		if done++; done%100 == 0 {
			run.Logf("%d customers done", done)
		}
	}
	run.SetResult(fmt.Sprintf("shard %d of %d: %d customers", run.ShardIndex(), run.ShardTotal(), done))
	return nil
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "sharding:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{*admin},
		AppName:     "sharding",
		AccessToken: *token,
		Port:        *port,
		LogPath:     *logPath,
	})
	if err != nil {
		return err
	}
	executor.Register("recount", recount)
	return executor.Run(ctx)
}
