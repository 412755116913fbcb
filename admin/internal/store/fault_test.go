//go:build databases

package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/store"
	"github.com/xxljob-go/xxljob/admin/internal/store/sqldb"
	"github.com/xxljob-go/xxljob/admin/internal/store/storetest"
)

// proxy stands between a store and its server, and can cut the connection at
// the statement that holds a text.
type proxy struct {
	net.Listener

	to string

	mu      sync.Mutex
	cut     []byte // cut when the client sends this; nil is never
	forward bool   // the server gets it all the same
	cuts    int
	wg      sync.WaitGroup
}

func newProxy(t *testing.T, to string) *proxy {
	t.Helper()
	var lc net.ListenConfig
	l, err := lc.Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	p := &proxy{Listener: l, to: to}
	p.wg.Go(p.serve)
	t.Cleanup(func() {
		require.NoError(t, l.Close())
		p.wg.Wait()
	})
	return p
}

func (p *proxy) serve() {
	for {
		c, err := p.Accept()
		if err != nil {
			return
		}
		var d net.Dialer
		server, err := d.Dial("tcp", p.to)
		if err != nil {
			_ = c.Close()
			continue
		}
		p.wg.Go(func() { p.up(c, server) })
		p.wg.Go(func() {
			buf := make([]byte, 64<<10)
			for {
				n, err := server.Read(buf)
				if err != nil {
					break
				}
				if _, err := c.Write(buf[:n]); err != nil {
					break
				}
			}
			_ = c.Close()
			_ = server.Close()
		})
	}
}

// up copies what the client sends.
func (p *proxy) up(c, server net.Conn) {
	defer server.Close()
	defer c.Close()
	buf := make([]byte, 64<<10)
	for {
		n, err := c.Read(buf)
		if err != nil {
			return
		}
		if hit, forward := p.hit(buf[:n]); hit {
			_ = c.Close() // the client is not told
			if forward {
				_, _ = server.Write(buf[:n])
				var one [1]byte
				_, _ = server.Read(one[:]) // it has been carried out, or the other copier got the answer
			}
			return
		}
		if _, err := server.Write(buf[:n]); err != nil {
			return
		}
	}
}

func (p *proxy) hit(data []byte) (hit, forward bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cut == nil || !bytes.Contains(bytes.ToUpper(data), p.cut) {
		return false, false
	}
	p.cuts++
	p.cut = nil
	return true, p.forward
}

func (p *proxy) arm(text string, forward bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut, p.forward = []byte(text), forward
}

// openThrough opens the database through a proxy.
func openThrough(t *testing.T, dsn string) (*store.Store, *sql.DB, *proxy) {
	t.Helper()
	u, err := url.Parse(dsn)
	require.NoError(t, err)
	p := newProxy(t, u.Host)
	u.Host = p.Addr().String()
	s, err := store.Open(t.Context(), store.Options{DSN: u.String(), Location: storetest.Zone})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	require.NoError(t, s.Migrate(t.Context()))
	return s, openPlain(t, dsn), p
}

// TestOutcomeUnknown cuts the connection at COMMIT: the transaction took place,
// or it did not, and the store says that it does not know. Storing results
// again is then right in either case.
func TestOutcomeUnknown(t *testing.T) {
	t.Parallel()
	for name, dsn := range servers {
		for _, forward := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/carried out %v", name, forward), func(t *testing.T) {
				t.Parallel()
				s, db, p := openThrough(t, dsn(t))
				runs := manualRuns(10)
				require.NoError(t, s.CreateRuns(t.Context(), runs))

				lost := manualRuns(3)
				p.arm("COMMIT", forward)
				require.ErrorIs(t, s.CreateRuns(t.Context(), lost), sqldb.ErrUnknownOutcome)
				for _, r := range lost {
					assert.Zero(t, r.LogID)
				}
				want := 10
				if forward {
					want = 13
				}
				require.Eventually(t, func() bool {
					return count(t, db, "xxljob_run") == want && count(t, db, "xxl_job_log") == want
				}, 10*time.Second, time.Millisecond)

				outs := make([]*model.Outcome, 0, len(runs))
				for _, r := range runs {
					outs = append(outs, &model.Outcome{LogID: r.LogID, Handle: &model.HandleResult{Code: 200, AtMs: r.TriggerMs}})
				}
				p.arm("COMMIT", forward)
				_, err := s.Finish(t.Context(), outs, none)
				require.ErrorIs(t, err, sqldb.ErrUnknownOutcome)
				ends, err := s.Finish(t.Context(), outs, none)
				require.NoError(t, err)
				for _, e := range ends {
					assert.Equal(t, forward, e.Status == store.FinishRepeated, "the first one counts")
				}
				assert.Equal(t, 10, count(t, db, "xxl_job_log WHERE handle_code = 200"))
				assert.Equal(t, want-10, count(t, db, "xxljob_run"))
				assert.Equal(t, 2, p.cuts)
			})
		}
	}
}

// TestConnectionLost cuts the connection in the middle of a transaction:
// nothing of it is there, and the next one works.
func TestConnectionLost(t *testing.T) {
	t.Parallel()
	for name, dsn := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, db, p := openThrough(t, dsn(t))
			runs := manualRuns(700)
			for _, at := range []string{"INTO XXL_JOB_LOG ", "INTO XXLJOB_RUN", "UPDATE XXL_JOB_LOG_REPORT"} {
				p.arm(at, true)
				err := s.CreateRuns(t.Context(), runs)
				require.Error(t, err, at)
				require.NotErrorIs(t, err, sqldb.ErrUnknownOutcome, at)
				assert.Zero(t, runs[0].LogID)
			}
			require.NoError(t, s.CreateRuns(t.Context(), runs))
			require.Eventually(t, func() bool { return count(t, db, "xxljob_run") == 700 }, 10*time.Second, time.Millisecond)
			assert.Equal(t, 700, count(t, db, "xxl_job_log"))
			assert.Equal(t, 3, p.cuts)
		})
	}
}

// TestServerFrozen: a server that neither answers nor ends the connection holds
// nobody longer than he wants, and afterwards all is as before.
func TestServerFrozen(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(testing.TB, ...dbtest.Option) *dbtest.Server{
		"mysql": dbtest.StartMySQL, "postgres": dbtest.StartPostgres,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := start(t)
			dsn, err := server.NewDatabase(t.Context())
			require.NoError(t, err)
			s, err := store.Open(t.Context(), store.Options{DSN: dsn})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, s.Close()) })
			require.NoError(t, s.Migrate(t.Context()))
			runs := manualRuns(5)
			require.NoError(t, s.CreateRuns(t.Context(), runs))

			server.Pause()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			begin := time.Now()
			outs := []*model.Outcome{{LogID: runs[0].LogID, Handle: &model.HandleResult{Code: 200, AtMs: 1}}}
			_, err = s.Finish(ctx, outs, none)
			took := time.Since(begin)
			server.Resume()
			require.Error(t, err)
			assert.Less(t, took, 60*time.Second)
			ends, err := s.Finish(t.Context(), outs, none)
			require.NoError(t, err)
			assert.NotEqual(t, store.FinishUnknown, ends[0].Status)

			server.Kill(t.Context())
			require.Error(t, s.CreateRuns(t.Context(), manualRuns(1)))
			require.NoError(t, server.Restart(t.Context()))
			require.Eventually(t, func() bool { return s.Ping(t.Context()) == nil }, 30*time.Second, 10*time.Millisecond)
			open, err := s.OpenRuns(t.Context(), store.OpenRunFilter{})
			require.NoError(t, err)
			assert.Len(t, open, 4, "what was committed survives a kill of the server")
		})
	}
}

// TestIncrement: ids of a statement with many rows are those that the server
// gave, also when they grow by three and somebody else inserts meanwhile.
func TestIncrement(t *testing.T) {
	t.Parallel()
	server := dbtest.StartMySQL(t, dbtest.Flag("--auto-increment-increment=3"), dbtest.Flag("--auto-increment-offset=2"),
		dbtest.Fast())
	dsn, err := server.NewDatabase(t.Context())
	require.NoError(t, err)
	s, db := openBoth(t, dsn, nil)
	stop := make(chan struct{})
	var others sync.WaitGroup
	for range 2 {
		others.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				_, err := db.ExecContext(t.Context(), "INSERT INTO xxl_job_log (job_group, job_id, trigger_code, handle_code) "+
					"VALUES (9, 0, 0, 0), (9, 0, 0, 0)")
				assert.NoError(t, err)
			}
		})
	}
	for range 10 {
		runs := manualRuns(600)
		require.NoError(t, s.CreateRuns(t.Context(), runs))
		open, err := s.OpenRuns(t.Context(), store.OpenRunFilter{AfterLogID: runs[0].LogID - 1})
		require.NoError(t, err)
		require.Len(t, open, 600)
		for i, r := range open {
			require.Equal(t, runs[i], r, "the run and the log row are those of the same job")
			require.EqualValues(t, 2, r.LogID%3)
			l, err := s.Log(t.Context(), r.LogID)
			require.NoError(t, err)
			require.Equal(t, runs[i].JobID, l.JobID)
			require.Equal(t, runs[i].Param, l.Param)
		}
	}
	_, _, fence, _ := twoNodes(t, dsn)
	var got store.PlanResult
	_, err = s.Plan(t.Context(), fence, 1_780_000_000_000, 100, func(due []*model.Job) store.PlanResult {
		got = planAll(func() {})(due)
		return got
	})
	require.NoError(t, err)
	require.Len(t, got.Runs, 20)
	for _, r := range got.Runs {
		l, err := s.Log(t.Context(), r.LogID)
		require.NoError(t, err)
		require.Equal(t, r.JobID, l.JobID, "the step came with the check of the leases")
	}
	close(stop)
	others.Wait()
}
