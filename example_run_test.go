package xxljob_test

import (
	"context"
	"fmt"
	"log"
	"log/slog"
	"net"
	"os"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// An executor is made of a Config, given handlers, and run until its context
// ends, in a program that of signal.NotifyContext. Here a stand-in takes the
// place of the admin.
func Example() {
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	logPath, err := os.MkdirTemp("", "xxl-job-logs-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(logPath)
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0") // usually Config.Port says where
	if err != nil {
		log.Fatal(err)
	}

	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{admin.URL()}, // like http://admin:8080/xxl-job-admin
		AppName:     "billing",
		AccessToken: admin.Token(),
		Listener:    listener,
		LogPath:     logPath,
		Logger:      slog.New(slog.DiscardHandler),
	})
	if err != nil {
		log.Fatal(err)
	}
	executor.Register("close-day", func(_ context.Context, run *xxljob.Run) error {
		run.SetResult("closed " + run.Param())
		return nil
	})
	ended := make(chan error)
	go func() { ended <- executor.Run(ctx) }()

	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "close-day", Param: "2026-02-28"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := admin.Result(ctx, logID)
	fmt.Println(report.Code, report.Msg, err)

	stop()
	fmt.Println("Run returned", <-ended)
	// Output:
	// 200 closed 2026-02-28 <nil>
	// Run returned <nil>
}
