package xxljob_test

import (
	"context"
	"errors"
	"fmt"
	"log"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// Middleware goes round every handler and script, for what they have in common:
// traces, metrics, a database session in the context.
func ExampleExecutor_Use() {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{"http://admin:8080/xxl-job-admin"}, AppName: "demo", AccessToken: "secret",
	})
	if err != nil {
		log.Fatal(err)
	}
	trace := func(next xxljob.HandlerFunc) xxljob.HandlerFunc {
		return func(ctx context.Context, run *xxljob.Run) error {
			fmt.Printf("begin %s, run %d\n", run.Handler(), run.LogID())
			err := next(ctx, run)
			fmt.Printf("end %s: %v\n", run.Handler(), err)
			return err
		}
	}
	if err := executor.Use(trace); err != nil {
		log.Fatal(err)
	}
	executor.Register("sync", func(context.Context, *xxljob.Run) error { return errors.New("no connection") })

	xxljobtest.RunRegistered(context.Background(), executor, "sync", xxljobtest.Trigger{LogID: 42})
	// Output:
	// begin sync, run 42
	// end sync: no connection
}
