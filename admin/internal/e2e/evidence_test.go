//go:build linux

package e2e

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// evidence is all that was seen of a scenario. Times are Unix milliseconds.
type evidence struct {
	jobs    []plan
	rows    []row
	open    []int64 // log ids of runs that are still open
	records []record
	acks    []ack
	outages []span // when no admin could plan, from the fault to the recovery
	resends bool   // whether anything happened after which a run may be sent again
	absent  bool   // whether an executor was away or hung, so that runs may fail
}

// span is a stretch of time, both ends included.
type span struct{ from, to int64 }

func (s span) holds(at int64) bool { return s.from <= at && at <= s.to }

// plan is what a job was told to do: fire at every whole multiple of every,
// surely in must, and perhaps in may, which is wider by the time that starting
// and stopping take.
type plan struct {
	id        int32
	every     int64
	must, may span
	shards    int32 // 1 unless it is a broadcast
	once      bool  // FIRE_ONCE_NOW: each gap is followed by one run
}

// row is a row of xxl_job_log.
type row struct {
	id          int64
	job         int32
	trigger     int64
	triggerCode int32
	handleCode  int32
	msg         string // trigger_msg, of those that were sent its beginning
	shard       string // executor_sharding_param
}

// record is a line of an executor's journal.
type record struct {
	kind    byte
	at      int64 // Unix nanoseconds
	port    string
	job     int32
	logID   int64
	trigger int64
	shard   int32
}

// ack is a result that an admin has answered with 200.
type ack struct {
	logID int64
	code  int32
}

// parseRecord reads a line of an executor's journal.
func parseRecord(line string) (record, error) {
	f := strings.Fields(line)
	if len(f) != 7 || len(f[0]) != 1 || !strings.Contains("RSE", f[0]) {
		return record{}, fmt.Errorf("line %q of the journal is damaged", line)
	}
	r := record{kind: f[0][0], port: f[2]}
	var numbers [5]int64
	for i, field := range []struct{ at, bits int }{{1, 64}, {3, 32}, {4, 64}, {5, 64}, {6, 32}} {
		n, err := strconv.ParseInt(f[field.at], 10, field.bits)
		if err != nil {
			return record{}, fmt.Errorf("line %q of the journal: %w", line, err)
		}
		numbers[i] = n
	}
	r.at, r.job, r.logID, r.trigger, r.shard = numbers[0], int32(numbers[1]), numbers[2], numbers[3], int32(numbers[4])
	return r, nil
}

// gapText is the message of a record of missed instants.
var gapText = regexp.MustCompile(`^Missed (\d+) fires from (\S+ \S+) to (\S+ \S+): `)

// gapOf reads the record of a gap. The zone is UTC.
func (r row) gapOf() (count int, missed span, ok bool) {
	m := gapText.FindStringSubmatch(r.msg)
	if m == nil {
		return 0, span{}, false
	}
	count, err := strconv.Atoi(m[1])
	from, err1 := time.Parse(time.DateTime, m[2])
	to, err2 := time.Parse(time.DateTime, m[3])
	if cmp.Or(err, err1, err2) != nil {
		return 0, span{}, false
	}
	return count, span{from.UnixMilli(), to.UnixMilli()}, true
}

// misfired reports whether the row says that it makes up for a gap.
func (r row) misfired() bool {
	return strings.HasPrefix(r.msg, "Job trigger type：Misfire compensation<br>")
}

// shardOf reads "i/n"; a row without it is 0 of 1.
func (r row) shardOf() (index, total int32) {
	i, n, ok := strings.Cut(r.shard, "/")
	a, err1 := strconv.ParseInt(i, 10, 32)
	b, err2 := strconv.ParseInt(n, 10, 32)
	if !ok || cmp.Or(err1, err2) != nil {
		return 0, 1
	}
	return int32(a), int32(b)
}

// latenesses returns how late the first arrival of each scheduled run was
// against its planned instant, sorted. wanted says which runs count.
func (e *evidence) latenesses(wanted func(r record) bool) []time.Duration {
	first := make(map[int64]record)
	for _, r := range e.records {
		if was, seen := first[r.logID]; r.kind == 'R' && wanted(r) && (!seen || r.at < was.at) {
			first[r.logID] = r
		}
	}
	late := make([]time.Duration, 0, len(first))
	for _, r := range first {
		late = append(late, time.Duration(r.at-r.trigger*int64(time.Millisecond)))
	}
	slices.Sort(late)
	return late
}

// quantile returns the value below which the share q of the sorted values lies.
func quantile(sorted []time.Duration, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[min(int(q*float64(len(sorted))), len(sorted)-1)].Round(time.Millisecond)
}

// figures is one line about what was seen.
func (e *evidence) figures() string {
	gaps, missed, failed := 0, 0, 0
	for _, r := range e.rows {
		n, _, isGap := r.gapOf()
		switch {
		case isGap:
			gaps++
			missed += n
		case r.handleCode != 200:
			failed++
		}
	}
	arrived := make(map[int64]bool)
	arrivals := 0
	for _, r := range e.records {
		if r.kind == 'R' {
			arrivals++
			arrived[r.logID] = true
		}
	}
	late := e.latenesses(func(record) bool { return true })
	return fmt.Sprintf("%d jobs, %d runs (%d not 200), %d gaps of %d instants; %d sent, %d sent again, %d results "+
		"acknowledged; late p50 %v p99 %v max %v", len(e.jobs), len(e.rows)-gaps, failed, gaps, missed, len(arrived),
		arrivals-len(arrived), len(e.acks), quantile(late, 0.5), quantile(late, 0.99), quantile(late, 1))
}
