package xxljob_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A handler that looks at its context stops when an operator kills the job. The
// cause of the context tells a kill from a timeout and from a shutdown.
func Example_cancelOnKill() {
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	executor, err := admin.NewExecutor(xxljob.Config{})
	if err != nil {
		log.Fatal(err)
	}
	begun := make(chan struct{})
	executor.Register("watch", func(ctx context.Context, _ *xxljob.Run) error {
		close(begun)
		<-ctx.Done() // or pass ctx to what takes long
		if cause := context.Cause(ctx); errors.Is(cause, xxljob.ErrKilled) {
			fmt.Println("the handler cleans up:", cause)
		}
		return ctx.Err()
	})
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	ended := make(chan error)
	go func() { ended <- executor.Run(ctx) }()

	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "watch", JobID: 7})
	if err != nil {
		log.Fatal(err)
	}
	<-begun
	fmt.Println("kill:", admin.Kill(ctx, 7))
	report, err := admin.Result(ctx, logID)
	fmt.Println("result:", report.Code, report.Msg, err)

	stop()
	fmt.Println("Run returned", <-ended)
	// Unordered output:
	// Run returned <nil>
	// kill: <nil>
	// the handler cleans up: xxljob: job killed by the admin
	// result: 500 scheduling center kill job. [job running, killed] <nil>
}
