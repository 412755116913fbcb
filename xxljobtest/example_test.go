package xxljobtest_test

import (
	"context"
	"fmt"
	"log"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A handler is called as an executor would call it; the result is what the
// admin would get.
func ExampleRun() {
	greet := func(_ context.Context, run *xxljob.Run) error {
		run.Logf("greeting %s", run.Param())
		run.SetResult("hello " + run.Param())
		return nil
	}
	result := xxljobtest.Run(context.Background(), greet, xxljobtest.Trigger{Param: "Ada"})
	fmt.Println(result.Code, result.Msg)
	fmt.Println(result.Entries)
	// Output:
	// 200 hello Ada
	// [greeting Ada]
}

// The cause with which the context ends is what the admin is told.
func ExampleRun_killed() {
	ctx, cancel := context.WithCancelCause(context.Background())
	work := func(ctx context.Context, _ *xxljob.Run) error {
		cancel(xxljob.ErrKilled) // an operator presses Kill now
		<-ctx.Done()
		fmt.Println("cause:", context.Cause(ctx))
		return ctx.Err()
	}
	result := xxljobtest.Run(ctx, work, xxljobtest.Trigger{})
	fmt.Println(result.Code, result.Msg)
	// Output:
	// cause: xxljob: job killed by the admin
	// 500 scheduling center kill job. [job running, killed]
}

// A whole executor under a stand-in admin: its results survive an outage of the
// admin.
func ExampleAdmin() {
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	executor, err := admin.NewExecutor(xxljob.Config{})
	if err != nil {
		log.Fatal(err)
	}
	executor.Register("square", func(_ context.Context, run *xxljob.Run) error {
		run.SetResult(run.Param() + " squared")
		return nil
	})
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	ended := make(chan error)
	go func() { ended <- executor.Run(ctx) }()

	if _, err := admin.Executor(ctx, "", ""); err != nil { // it has registered
		log.Fatal(err)
	}
	admin.Status(500)
	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "square", Param: "7"})
	fmt.Println("triggered:", logID, err)
	admin.Up()
	report, err := admin.Result(ctx, logID)
	fmt.Println("reported:", report.Code, report.Msg, err)

	stop()
	fmt.Println("stopped:", <-ended)
	// Output:
	// triggered: 1 <nil>
	// reported: 200 7 squared <nil>
	// stopped: <nil>
}
