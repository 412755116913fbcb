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

// Shutdown takes the executor off the admin's list and waits for the runs at
// work and their results. The end of Run's context does the same, with
// Config.ShutdownTimeout as its limit.
func ExampleExecutor_Shutdown() {
	deregistered := make(chan struct{})
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{OnBeat: func(beat xxljobtest.Beat) {
		if beat.Removed {
			fmt.Println("the admin sends nothing more to", beat.AppName)
			close(deregistered)
		}
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer admin.Close()
	executor, err := admin.NewExecutor(xxljob.Config{AppName: "billing"})
	if err != nil {
		log.Fatal(err)
	}
	begun := make(chan struct{})
	executor.Register("export", func(_ context.Context, run *xxljob.Run) error {
		close(begun)
		<-deregistered // this run is longer than the executor's registration
		run.SetResult("exported")
		return nil
	})
	ended := make(chan error)
	go func() { ended <- executor.Run(context.Background()) }()
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	logID, err := admin.Trigger(ctx, xxljobtest.Trigger{Handler: "export"})
	if err != nil {
		log.Fatal(err)
	}
	<-begun

	fmt.Println("Shutdown returned", executor.Shutdown(ctx))
	fmt.Println("Run returned ErrClosed:", errors.Is(<-ended, xxljob.ErrClosed))
	report, err := admin.Result(ctx, logID)
	fmt.Println("result:", report.Code, report.Msg, err)
	// Output:
	// the admin sends nothing more to billing
	// Shutdown returned <nil>
	// Run returned ErrClosed: true
	// result: 200 exported <nil>
}
