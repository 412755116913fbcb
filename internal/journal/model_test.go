package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// modelRun is what the model knows of one run.
type modelRun struct {
	seq      Seq
	id       ID
	payload  string
	started  bool
	finished *Result
	handed   bool // in this life
	gone     bool // acknowledged or withdrawn
	forgot   bool // withdrawn
}

// model is a journal as a list in memory.
type model struct {
	j    *Journal
	cfg  Config
	runs []*modelRun
	next int64
}

// anOpenRun returns one of the open runs, and accepts one if there is none.
func (m *model) anOpenRun(t *rapid.T) *modelRun {
	var can []*modelRun
	for _, r := range m.runs {
		if r.open() {
			can = append(can, r)
		}
	}
	if len(can) == 0 {
		m.accept(t)
		return m.runs[len(m.runs)-1]
	}
	return can[rapid.IntRange(0, len(can)-1).Draw(t, "run")]
}

func (r *modelRun) open() bool   { return r.finished == nil && !r.gone }
func (r *modelRun) unsent() bool { return r.finished != nil && !r.gone }

func (m *model) accept(t *rapid.T) {
	m.next++
	r := &modelRun{
		id:      ID{JobID: 1, LogID: m.next, At: m.next * 10},
		payload: fmt.Sprintf("%0*d", rapid.IntRange(1, 3000).Draw(t, "size"), 1),
		started: rapid.Bool().Draw(t, "startNow"),
	}
	require.False(t, m.j.Known(r.id))
	var err error
	r.seq, err = m.j.Accept(r.id, r.started, []byte(r.payload))
	require.NoError(t, err)
	m.runs = append(m.runs, r)
}

func (m *model) start(t *rapid.T) {
	r := m.anOpenRun(t)
	m.j.Start(r.seq, r.id)
	r.started = true
}

func (m *model) finish(t *rapid.T) {
	r := m.anOpenRun(t)
	msg := fmt.Sprintf("%0*d", rapid.IntRange(1, 2000).Draw(t, "size"), r.id.LogID)
	r.finished = &Result{Code: rapid.Int32().Draw(t, "code"), Msg: msg, HasMsg: true}
	require.True(t, m.j.Finish(r.seq, r.id, *r.finished))
	require.False(t, m.j.Finish(r.seq, r.id, Result{Code: 1}))
}

func (m *model) finishAll(t *rapid.T) {
	for _, r := range m.runs {
		if r.open() && rapid.IntRange(0, 9).Draw(t, "leave") > 0 {
			r.finished = &Result{Code: 200}
			require.True(t, m.j.Finish(r.seq, r.id, *r.finished))
		}
	}
}

func (m *model) withdraw(t *rapid.T) {
	r := m.anOpenRun(t)
	m.j.Withdraw(r.seq, r.id)
	r.gone, r.forgot = true, true
}

func (m *model) take(t *rapid.T) {
	require.NoError(t, m.j.Flush(t.Context()))
	got := m.j.Next(rapid.IntRange(1, 50).Draw(t, "max"), rapid.IntRange(1, 20_000).Draw(t, "bytes"))
	due := 0
	for _, r := range m.runs {
		if r.unsent() && !r.handed {
			due++
		}
	}
	require.Equal(t, due > 0, len(got) > 0)
	for _, f := range got {
		r := m.find(f.Seq)
		require.NotNil(t, r)
		require.True(t, r.unsent() && !r.handed, "given out twice")
		require.Equal(t, Finished{Seq: r.seq, ID: r.id, Result: *r.finished}, f)
		r.handed = true
	}
	if rapid.IntRange(0, 4).Draw(t, "lose") > 0 {
		require.NoError(t, m.j.Ack(got))
		for _, f := range got {
			m.find(f.Seq).gone = true
		}
	}
}

func (m *model) find(seq Seq) *modelRun {
	for _, r := range m.runs {
		if r.seq == seq {
			return r
		}
	}
	return nil
}

// restart closes the journal, or leaves it as a killed process does: what is
// written stays, and another process opens a copy of it.
func (m *model) restart(t *rapid.T) {
	if rapid.Bool().Draw(t, "kill") {
		require.NoError(t, m.j.Flush(t.Context()))
		dir := m.cfg.Dir + "k"
		m.j.syncing.Lock()
		m.j.growing.Lock()
		err := os.CopyFS(dir, os.DirFS(m.cfg.Dir))
		m.j.growing.Unlock()
		m.j.syncing.Unlock()
		if err != nil { // the cleaner deleted a file meanwhile
			require.NoError(t, os.RemoveAll(dir))
			require.NoError(t, m.j.Close())
		} else {
			require.NoError(t, m.j.Close())
			m.cfg.Dir = dir
		}
	} else {
		require.NoError(t, m.j.Close())
	}
	var rec *Recovery
	var err error
	m.j, rec, err = Open(t.Context(), m.cfg)
	require.NoError(t, err)
	require.Empty(t, rec.Problems)
	var open []OpenRun
	unsent := 0
	for _, r := range m.runs {
		r.handed = false
		if r.open() {
			open = append(open, OpenRun{Seq: r.seq, ID: r.id, Started: r.started, Payload: []byte(r.payload)})
		}
		if r.unsent() {
			unsent++
		}
		require.Equal(t, !r.forgot, m.j.Known(r.id), "log %d", r.id.LogID)
	}
	require.Equal(t, open, rec.Open)
	require.Equal(t, unsent, rec.Unsent)
}

func (m *model) check(t *rapid.T) {
	open, unsent := 0, 0
	for _, r := range m.runs {
		if r.open() {
			open++
		}
		if r.unsent() {
			unsent++
		}
		if r.finished != nil {
			got, ok := m.j.Result(r.id)
			require.True(t, !ok || got.Result == *r.finished)
		}
	}
	stats := m.j.Stats()
	require.Equal(t, open, stats.Open)
	require.Equal(t, unsent, stats.Unsent)
}

func TestModel(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := &model{cfg: Config{
			Dir: filepath.Join(dir, fmt.Sprint(n)), SegmentBytes: 16 << 10, files: &faultDisk{noSync: true},
		}}
		var err error
		m.j, _, err = Open(t.Context(), m.cfg)
		require.NoError(t, err)
		defer func() { _ = m.j.Close() }()
		t.Repeat(map[string]func(*rapid.T){
			"accept": m.accept, "accept more": m.accept, "accept even more": m.accept, "start": m.start,
			"finish": m.finish, "finish all": m.finishAll, "withdraw": m.withdraw, "take": m.take,
			"take more": m.take, "restart": m.restart, "": m.check,
		})
	})
}
