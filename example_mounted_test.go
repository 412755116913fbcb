package xxljob_test

import (
	"context"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A service that has an HTTP server mounts the executor there instead of
// opening a second port.
func ExampleExecutor_HTTPHandler() {
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	mux := http.NewServeMux()
	service := httptest.NewServer(mux) // stands for the service's own server
	defer service.Close()

	executor, err := admin.NewExecutor(xxljob.Config{Address: service.URL + "/jobs"}) // what the admin is told
	if err != nil {
		log.Fatal(err)
	}
	executor.Register("ping", func(_ context.Context, run *xxljob.Run) error {
		run.SetResult("pong")
		return nil
	})
	mux.Handle("/jobs/", http.StripPrefix("/jobs", executor.HTTPHandler()))
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	ended := make(chan error)
	go func() { ended <- executor.Run(ctx) }() // opens no port

	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "ping"})
	if err != nil {
		log.Fatal(err)
	}
	report, err := admin.Result(ctx, logID)
	fmt.Println(report.Code, report.Msg, err)

	stop()
	fmt.Println("Run returned", <-ended)
	// Output:
	// 200 pong <nil>
	// Run returned <nil>
}
