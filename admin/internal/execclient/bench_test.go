//go:build unix

package execclient

import (
	"net"
	"runtime"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/valyala/fasthttp"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// quickServer answers every request with a success, on loopback. Make it before
// the client: its shutdown waits for connections that never carried a request.
func quickServer(tb testing.TB) (address string) {
	tb.Helper()
	ln, err := (&net.ListenConfig{}).Listen(tb.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	srv := &fasthttp.Server{
		Handler: func(ctx *fasthttp.RequestCtx) {
			ctx.Response.Header.SetContentType(wire.ContentTypeHTML)
			ctx.Response.SetBodyRaw(namedSuccess)
		},
		NoDefaultServerHeader: true, NoDefaultDate: true,
		MaxIdleWorkerDuration: 100 * time.Millisecond,
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = srv.Serve(ln) }()
	tb.Cleanup(func() {
		_ = ln.Close() // Shutdown does not know it before Serve has begun
		_ = srv.Shutdown()
		<-ended
	})
	return "http://" + ln.Addr().String() + "/"
}

func benchTrigger(id int64) *wire.TriggerRequest {
	return &wire.TriggerRequest{
		JobID: int32(id), ExecutorHandler: wire.Str("demoJobHandler"), ExecutorParams: wire.Str("a,b"),
		ExecutorBlockStrategy: wire.Str(wire.BlockSerial), LogID: id, LogDateTime: 1795261437000,
		GlueType: wire.Str(wire.GlueTypeBean), GlueSource: wire.Str(""), GlueUpdateTime: 1795261437000, BroadcastTotal: 1,
	}
}

// cpuTime is what this process has used so far, client and servers together.
func cpuTime(tb testing.TB) time.Duration {
	tb.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkBurst sends 5,000 prepared triggers at one instant over two
// addresses; servers and client share the cores. ms/last-out is when the last
// request was written, ms/last-in when the last answer was read.
func BenchmarkBurst(b *testing.B) {
	const triggers = 5000
	targets := []Target{{Address: quickServer(b), AppName: "app"}, {Address: quickServer(b), AppName: "app"}}
	client := newClient(b, Config{})
	var out, in []time.Duration
	var cpu time.Duration
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		calls := make([]*Call, triggers)
		for i := range calls {
			calls[i] = client.Prepare(targets[i%2], benchTrigger(int64(i)))
		}
		for _, t := range targets {
			client.Warm(t.Address, DefaultConnsMax)
		}
		results := make([]Result, triggers)
		var wg sync.WaitGroup
		wg.Add(triggers)
		runtime.GC() // of what was prepared, which an admin does up to a second before
		b.StartTimer()
		cpu -= cpuTime(b)
		start := time.Now()
		for i, call := range calls {
			client.Send(call, func(r Result) { results[i] = r; wg.Done() })
		}
		wg.Wait()
		in = append(in, time.Since(start))
		cpu += cpuTime(b)
		var last time.Time
		for _, r := range results {
			if r.Kind != Accepted {
				b.Fatalf("result %+v", r)
			}
			if r.SentAt.After(last) {
				last = r.SentAt
			}
		}
		out = append(out, last.Sub(start))
	}
	slices.Sort(out)
	slices.Sort(in)
	b.ReportMetric(float64(cpu.Microseconds())/float64(triggers*len(in)), "cpu-µs/trigger")
	b.ReportMetric(float64(out[len(out)/2].Microseconds())/1000, "ms/last-out")
	b.ReportMetric(float64(in[len(in)/2].Microseconds())/1000, "ms/last-in")
	b.ReportMetric(float64(in[len(in)-1].Microseconds())/1000, "ms/worst")
}

// BenchmarkBurstHostClient is the same burst through fasthttp's own client, one
// per address with 32 workers: what the lanes were measured against.
func BenchmarkBurstHostClient(b *testing.B) {
	const triggers, workers = 5000, DefaultConnsMax
	var lanes [2]chan *fasthttp.Request
	var wg, pool sync.WaitGroup
	for i := range lanes {
		address := quickServer(b)
		hc := &fasthttp.HostClient{
			Addr: address[len("http://") : len(address)-1], MaxConns: workers, MaxIdemponentCallAttempts: 1,
			Dial:        func(addr string) (net.Conn, error) { return net.Dial("tcp", addr) }, //nolint:noctx // fasthttp has no context
			ReadTimeout: 3 * time.Second, WriteTimeout: 3 * time.Second,
		}
		lanes[i] = make(chan *fasthttp.Request, triggers)
		for range workers {
			pool.Go(func() {
				var resp fasthttp.Response
				for req := range lanes[i] {
					if err := hc.Do(req, &resp); err != nil {
						b.Error(err)
					}
					if a, err := decodeAnswer(resp.Body()); err != nil || a.Code != 200 {
						b.Error(a, err)
					}
					wg.Done()
				}
			})
		}
	}
	reqs := make([]*fasthttp.Request, triggers)
	for i := range reqs {
		reqs[i] = new(fasthttp.Request)
		reqs[i].Header.SetMethod("POST")
		reqs[i].SetRequestURI("http://127.0.0.1/run")
		reqs[i].SetBodyRaw(benchTrigger(int64(i)).Append(nil))
	}
	var in []time.Duration
	var cpu time.Duration
	b.ReportAllocs()
	for b.Loop() {
		wg.Add(triggers)
		cpu -= cpuTime(b)
		start := time.Now()
		for i, req := range reqs {
			lanes[i%2] <- req
		}
		wg.Wait()
		in = append(in, time.Since(start))
		cpu += cpuTime(b)
	}
	slices.Sort(in)
	b.ReportMetric(float64(cpu.Microseconds())/float64(triggers*len(in)), "cpu-µs/trigger")
	b.ReportMetric(float64(in[len(in)/2].Microseconds())/1000, "ms/last-in")
	b.ReportMetric(float64(in[len(in)-1].Microseconds())/1000, "ms/worst")
	for _, l := range lanes {
		close(l)
	}
	pool.Wait()
}

// BenchmarkPrepare is the encoding of one trigger.
func BenchmarkPrepare(b *testing.B) {
	target, req := Target{Address: quickServer(b), AppName: "app"}, benchTrigger(1)
	client := newClient(b, Config{})
	b.ReportAllocs()
	for b.Loop() {
		client.Prepare(target, req)
	}
}
