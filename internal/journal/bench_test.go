package journal

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// BenchmarkRun measures a trigger from Accept to Ack, with the results taken
// by one consumer in batches of 50, as the callback sender does.
func BenchmarkRun(b *testing.B) {
	for _, callers := range []int{1, 64} {
		b.Run(map[int]string{1: "callers=1", 64: "callers=64"}[callers], func(b *testing.B) {
			benchmarkRun(b, callers)
		})
	}
}

func benchmarkRun(b *testing.B, callers int) {
	cfg, writes := testConfig(b), &atomic.Int64{}
	cfg.files = countingDisk{writes: writes}
	j, _ := reopen(b, nil, cfg)
	stop := make(chan struct{})
	var sender sync.WaitGroup
	sender.Go(func() {
		for {
			select {
			case <-j.Ready():
			case <-stop:
				return
			}
			for got := j.Next(50, 512<<10); got != nil; got = j.Next(50, 512<<10) {
				_ = j.Ack(got)
			}
		}
	})
	payload := make([]byte, 400)
	for i := range payload {
		payload[i] = 'x'
	}
	var next atomic.Int64
	b.ReportAllocs()
	before, writes0 := cpuTime(), writes.Load()
	b.ResetTimer()
	var wg sync.WaitGroup
	for range callers {
		wg.Go(func() {
			for {
				n := int(next.Add(1))
				if n > b.N {
					return
				}
				id := trigger(n)
				seq, err := j.Accept(id, true, payload)
				if err != nil {
					b.Error(err)
					return
				}
				j.Finish(seq, id, Result{Code: 200})
			}
		})
	}
	wg.Wait()
	b.StopTimer()
	b.ReportMetric(float64(cpuTime()-before)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(writes.Load()-writes0)/float64(b.N), "writes/op")
	close(stop)
	sender.Wait()
}

// countingDisk is the real disk, and counts writes.
type countingDisk struct {
	disk
	writes *atomic.Int64
}

func (d countingDisk) Open(path string, create bool) (file, error) {
	f, err := d.disk.Open(path, create)
	return countingFile{file: f, writes: d.writes}, err
}

type countingFile struct {
	file
	writes *atomic.Int64
}

func (f countingFile) WriteAt(p []byte, off int64) (int, error) {
	f.writes.Add(1)
	return f.file.WriteAt(p, off)
}

func BenchmarkKnown(b *testing.B) {
	m := newMemory(1_000_000, 1_000_000, time.Hour)
	for n := range 1_000_000 {
		m.add(trigger(n), 0)
	}
	require.Equal(b, 1_000_000, m.len())
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		runtime.KeepAlive(m.known(trigger(n * 7919)))
	}
}
