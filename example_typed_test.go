package xxljob_test

import (
	"context"
	"fmt"
	"log"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

// A typed handler gets its parameters decoded from JSON. What cannot be decoded
// fails the run and never reaches the handler.
func ExampleRegisterTyped() {
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{"http://admin:8080/xxl-job-admin"}, AppName: "demo", AccessToken: "secret",
	})
	if err != nil {
		log.Fatal(err)
	}
	type params struct {
		Table string `json:"table"`
		Days  int    `json:"days"`
	}
	err = xxljob.RegisterTyped(executor, "purge", func(_ context.Context, run *xxljob.Run, p params) error {
		run.SetResult(fmt.Sprintf("purged what is older than %d days from %s", p.Days, p.Table))
		return nil
	})
	if err != nil {
		log.Fatal(err)
	}

	for _, param := range []string{`{"table": "events", "days": 30}`, `{"tabel": "events"}`} {
		result := xxljobtest.RunRegistered(context.Background(), executor, "purge", xxljobtest.Trigger{Param: param})
		fmt.Println(result.Code, result.Msg)
	}
	// Output:
	// 200 purged what is older than 30 days from events
	// 500 job parameter is not valid JSON for this handler: json: unknown field "tabel"
}
