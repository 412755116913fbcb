// Command mounted is a service with an HTTP server of its own, in which the
// executor is one more handler: no second port has to be opened. Add a job with
// the JobHandler "ping" to an executor group "mounted" of your admin.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strconv"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob"
)

var (
	admin   = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token   = flag.String("token", "", "access token, the same as in the admin")
	host    = flag.String("host", "127.0.0.1", "host under which the admin reaches this service")
	port    = flag.Int("port", 8081, "port of the service")
	logPath = flag.String("logpath", "", "folder for logs and results (default xxl-job-logs)")
)

// mountPath is where the executor stands in the service.
const mountPath = "/jobs"

var pings atomic.Int64

func ping(_ context.Context, run *xxljob.Run) error {
	run.SetResult(fmt.Sprintf("ping %d", pings.Add(1)))
	return nil
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "mounted:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{*admin},
		AppName:     "mounted",
		AccessToken: *token,
		Address:     "http://" + net.JoinHostPort(*host, strconv.Itoa(*port)) + mountPath, // announced to the admin
		LogPath:     *logPath,
	})
	if err != nil {
		return err
	}
	executor.Register("ping", ping)

	mux := http.NewServeMux()
	mux.Handle(mountPath+"/", http.StripPrefix(mountPath, executor.HTTPHandler()))
	mux.HandleFunc("GET /pings", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, pings.Load()) })
	server := &http.Server{
		Addr:              net.JoinHostPort("", strconv.Itoa(*port)),
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		WriteTimeout:      10 * time.Second,
		IdleTimeout:       90 * time.Second,
	}
	return serveBoth(ctx, server, executor)
}

// serveBoth runs server and executor until ctx is done or one of them fails.
// The server ends last: while the executor stops, it still answers the admin.
func serveBoth(ctx context.Context, server *http.Server, executor *xxljob.Executor) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	served := make(chan error, 1)
	go func() {
		served <- server.ListenAndServe()
		cancel() // without its server the executor cannot be reached
	}()
	err := executor.Run(ctx) // opens no port, since HTTPHandler was called
	stopping, done := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer done()
	err = errors.Join(err, server.Shutdown(stopping))
	if serveErr := <-served; !errors.Is(serveErr, http.ErrServerClosed) {
		err = errors.Join(err, serveErr)
	}
	return err
}
