package xxljob_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A handler is tested without an admin and without a network. In a test, put it
// into a testing/synctest bubble: then the timeout below takes no time.
func Example_testingAHandler() {
	poll := func(ctx context.Context, run *xxljob.Run) error {
		run.Logf("waiting for %s", run.Param())
		<-ctx.Done() // the answer never comes
		return context.Cause(ctx)
	}
	result := xxljobtest.Run(context.Background(), poll, xxljobtest.Trigger{
		Param:   "an answer",
		Timeout: time.Second,
	})
	fmt.Printf("reported: %d %q\n", result.Code, result.Msg)
	fmt.Println("logged:", result.Entries)
	fmt.Println("because of the timeout:", errors.Is(result.Err, xxljob.ErrTimeout))
	// Output:
	// reported: 502 "job execute timeout "
	// logged: [waiting for an answer]
	// because of the timeout: true
}
