// Command embedded runs a scheduling centre inside a service: its own HTTP
// server has a page of its own at /, and everything of the admin below
// /xxl-job-admin.
//
//	go run ./admin/examples/embedded
//
// Executors register at http://127.0.0.1:8081/xxl-job-admin with the token that
// it prints.
package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/xxljob-go/xxljob/admin"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8081", "address of the service")
	dir := flag.String("dir", ".", "folder of the database")
	token := flag.String("token", os.Getenv("XXL_JOB_ACCESS_TOKEN"), "of executors; empty makes one")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, *listen, *dir, cmp.Or(*token, rand.Text())); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// run serves until ctx is done.
func run(ctx context.Context, listen, dir, token string) error {
	centre, err := admin.New(admin.Config{
		DB:          "sqlite:" + filepath.Join(dir, "embedded.db"),
		AccessToken: token,
		Language:    "en",
		OnPassword: func(user, password string) {
			fmt.Printf("first start: choose the password of %s at /xxl-job-admin/setup with %s\n", user, password)
		},
	})
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintln(w, "a service of its own, with a scheduling centre inside")
	})
	mux.Handle("/xxl-job-admin/", centre.Handler())
	server := &http.Server{
		Handler: mux, ReadHeaderTimeout: 10 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: time.Minute, IdleTimeout: 2 * time.Minute,
	}
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", listen)
	if err != nil {
		return err
	}
	fmt.Printf("executors: admin address http://%s/xxl-job-admin, access token %s\n", ln.Addr(), token)

	served := make(chan error, 1)
	go func() { served <- server.Serve(ln) }()
	// The centre stops first: while it drains, executors can still report.
	err = centre.Run(ctx)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), 5*time.Second)
	defer cancel()
	err = errors.Join(err, server.Shutdown(end))
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}
