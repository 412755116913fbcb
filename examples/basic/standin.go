package main

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/xxljobtest"
)

const (
	exampleToken = "example-token" // only on loopback, only with -standalone
	triggerEvery = time.Second
	waitForLog   = 5 * time.Second
)

// byHand is how to trigger the handler and to read its log without an admin.
// README.md has it word for word.
const byHand = `NOW=$(date +%%s)
curl -s -w '\n' http://%[1]s/run -H 'XXL-JOB-ACCESS-TOKEN: %[2]s' \
  -d '{"jobId":2,"glueType":"BEAN","executorHandler":"greet","executorParams":"curl",
       "logId":'$NOW',"logDateTime":'$NOW'000}'
curl -s -w '\n' http://%[1]s/log -H 'XXL-JOB-ACCESS-TOKEN: %[2]s' \
  -d '{"logId":'$NOW',"logDateTim":'$NOW'000,"fromLineNum":1}'
`

// startStandIn starts an admin made for tests and makes cfg that of an executor
// which registers with it, listens on loopback only, and keeps its files in a
// temporary folder unless cfg names one. The function that it returns ends the
// admin; the executor is to end first.
func startStandIn(ctx context.Context, cfg *xxljob.Config) (stop func(), err error) {
	reports := make(chan xxljobtest.Report) // unbuffered: who reports waits until it is shown
	admin, err := xxljobtest.StartAdmin(xxljobtest.Options{
		Token: cmp.Or(cfg.AccessToken, exampleToken),
		OnReport: func(report xxljobtest.Report) {
			select {
			case reports <- report:
			case <-ctx.Done():
			}
		},
	})
	if err != nil {
		return nil, err
	}
	cfg.AdminAddrs, cfg.AccessToken = []string{admin.URL()}, admin.Token()
	ln, err := (&net.ListenConfig{}).Listen(ctx, "tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(cfg.Port)))
	if err != nil {
		return nil, cmp.Or(admin.Close(), err)
	}
	cfg.Listener = ln
	dir := ""
	if cfg.LogPath == "" {
		if dir, err = os.MkdirTemp("", "xxl-job-basic-"); err != nil {
			return nil, cmp.Or(admin.Close(), err)
		}
		cfg.LogPath = dir
	}
	fmt.Printf("A stand-in admin triggers the handler greet every second. To do it by hand:\n\n"+byHand+"\n",
		ln.Addr(), cfg.AccessToken)

	var work sync.WaitGroup
	work.Go(func() { trigger(ctx, admin) })
	work.Go(func() { show(ctx, admin, reports) })
	return func() {
		work.Wait()
		_ = admin.Close()
		if dir != "" {
			_ = os.RemoveAll(dir)
		}
	}, nil
}

// trigger sends triggers as an admin does for a job with a schedule.
func trigger(ctx context.Context, admin *xxljobtest.Admin) {
	for {
		_, err := admin.Trigger(ctx, xxljobtest.Trigger{JobID: 1, Handler: "greet", Param: "world"})
		if err != nil && ctx.Err() == nil {
			fmt.Println("not triggered:", err)
		}
		select {
		case <-time.After(triggerEvery):
		case <-ctx.Done():
			return
		}
	}
}

// show prints every result that arrives, and the log of its run.
func show(ctx context.Context, admin *xxljobtest.Admin, reports <-chan xxljobtest.Report) {
	for {
		select {
		case report := <-reports:
			fmt.Printf("result of run %d: %d %s\n", report.LogID, report.Code, report.Msg)
			showLog(ctx, admin, report.LogID)
		case <-ctx.Done():
			return
		}
	}
}

func showLog(ctx context.Context, admin *xxljobtest.Admin, logID int64) {
	ctx, cancel := context.WithTimeout(ctx, waitForLog)
	defer cancel()
	text, err := admin.Log(ctx, logID)
	if err != nil {
		fmt.Println("  no log:", err)
		return
	}
	for line := range strings.Lines(text) {
		fmt.Print("  ", line)
	}
}
