package xxljob_test

import (
	"context"
	"errors"
	"fmt"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A handler that finds nothing to do succeeds and says so.
func ExampleSkip() {
	handler := func(_ context.Context, run *xxljob.Run) error {
		orders := 0 // found since run.TriggerTime()
		if orders == 0 {
			return xxljob.Skip("no new orders")
		}
		run.SetResult(fmt.Sprintf("%d orders", orders))
		return nil
	}
	result := xxljobtest.Run(context.Background(), handler, xxljobtest.Trigger{})
	fmt.Println(result.Code, result.Msg)
	// Output:
	// 200 no new orders
}

// An error that would come again is marked, so that this project's admin does
// not try the run again. A Java admin goes by the job's retry count.
func ExampleNoRetry() {
	errNoAccount := errors.New("no such account")
	handler := func(_ context.Context, run *xxljob.Run) error {
		return xxljob.NoRetry(fmt.Errorf("%s: %w", run.Param(), errNoAccount))
	}
	result := xxljobtest.Run(context.Background(), handler, xxljobtest.Trigger{Param: "4711"})
	fmt.Println(result.Code, result.Msg)
	fmt.Println("no retry:", result.NoRetry, "still the same error:", errors.Is(result.Err, errNoAccount))
	// Output:
	// 500 4711: no such account
	// no retry: true still the same error: true
}
