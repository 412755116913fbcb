// Command typed has a handler that takes its parameters as JSON, decoded into a
// struct. Add a job with the JobHandler "invoice" and a parameter like
//
//	{"customer": 4711, "month": "2026-03", "dryRun": true}
//
// to an executor group "typed" of your admin.
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

var (
	admin   = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token   = flag.String("token", "", "access token, the same as in the admin")
	port    = flag.Int("port", 9999, "port to listen on")
	logPath = flag.String("logpath", "", "folder for logs and results (default xxl-job-logs)")
)

// invoiceParams are the parameters of the handler. A field that is missing in
// the JSON keeps its zero value; one that is unknown here fails the run, since
// it is most often a misspelled name.
type invoiceParams struct {
	Customer int64  `json:"customer"`
	Month    string `json:"month"` // like 2026-03; empty means the last one
	DryRun   bool   `json:"dryRun"`
}

// invoice is only called with parameters that could be decoded.
func invoice(ctx context.Context, run *xxljob.Run, params invoiceParams) error {
	if params.Customer <= 0 {
		return xxljob.NoRetry(fmt.Errorf("customer is %d: give a customer number", params.Customer))
	}
	at := run.TriggerTime()
	month := time.Date(at.Year(), at.Month()-1, 1, 0, 0, 0, 0, at.Location()) // the last one
	if params.Month != "" {
		var err error
		if month, err = time.Parse("2006-01", params.Month); err != nil {
			return xxljob.NoRetry(fmt.Errorf("month: %w", err)) // trying again would not help
		}
	}
	run.Logger().InfoContext(ctx, "invoice",
		slog.Int64("customer", params.Customer), slog.String("month", month.Format("2006-01")))
	if params.DryRun {
		return xxljob.Skip("dry run, nothing was sent")
	}
	run.SetResult(fmt.Sprintf("sent the invoice of %s to customer %d", month.Format("January 2006"), params.Customer))
	return nil
}

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "typed:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{*admin},
		AppName:     "typed",
		AccessToken: *token,
		Port:        *port,
		LogPath:     *logPath,
	})
	if err != nil {
		return err
	}
	xxljob.RegisterTyped(executor, "invoice", invoice)
	return executor.Run(ctx)
}
