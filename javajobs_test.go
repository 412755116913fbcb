package xxljob

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// javaMaster answers as the job API of Java's master branch does, or as want says
// for a path.
type javaMaster struct {
	lastID int
	want   map[string]func() (int, string)
}

func (m *javaMaster) answer(c call) (int, string) {
	for path, answer := range m.want {
		if strings.HasSuffix(c.path, path) {
			return answer()
		}
	}
	if strings.HasSuffix(c.path, wire.PathAddJob) {
		m.lastID++
		return 200, fmt.Sprintf(`{"code":200,"data":"%d","msg":"Success","success":true}`, m.lastID)
	}
	return 200, `{"code":200,"data":null,"msg":"Success","success":true}`
}

func refusedBy(code int, msg string) func() (int, string) {
	return func() (int, string) {
		return 200, fmt.Sprintf(`{"code":%d,"data":null,"msg":%q,"success":false}`, code, msg)
	}
}

// javaBed is an executor with these jobs for a Java admin.
func javaBed(t *testing.T, dir string, m *javaMaster, logs *logLines, cfg JavaJobs, jobs ...Job) (*bed, *adminNode) {
	t.Helper()
	b := prepareBed(t, dir, func(c *Config) {
		c.JavaJobs, c.Logger = cfg, slog.New(slog.NewTextHandler(logs, nil))
	})
	for _, j := range jobs {
		require.NoError(t, b.e.Register(j.Name, nothing, j))
	}
	node := b.admin.node(1)
	node.set(false, m.answer)
	return b, node
}

func (s JobStats) outcomes() JobStats {
	s.At = time.Time{}
	return s
}

// TestJavaJobs: jobs are added once and started, also across a restart; a change in
// the code is told, and sent if that is wanted.
func TestJavaJobs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		dir, m := t.TempDir(), &javaMaster{lastID: 6}
		jobs := []Job{
			{Name: "close", Cron: "0 0 2 * * ?", Start: true, Children: []string{"mail"}},
			{Name: "mail", Every: time.Minute},
			{Name: "zoned", Cron: "0 0 2 * * ?", TimeZone: "Asia/Taipei"},
		}
		logs := &logLines{}
		b, node := javaBed(t, dir, m, logs, JavaJobs{Group: 3}, jobs...)
		b.start()
		after(time.Hour)
		added := node.of(wire.PathAddJob)
		require.Len(t, added, 2)
		req, err := wire.DecodeJobAdd([]byte(added[0].body))
		require.NoError(t, err)
		assert.Equal(t, int32(3), req.JobGroup)
		assert.Equal(t, "close", req.Name.String)
		assert.Equal(t, wire.MisfireDoNothing, req.MisfireStrategy.String)
		require.Len(t, node.of(wire.PathStartJob), 1)
		assert.JSONEq(t, `{"id":7}`, node.of(wire.PathStartJob)[0].body)
		assert.Equal(t, JobStats{Declared: 3, Created: 2, Refused: 1}, b.e.Stats().FromCode.outcomes())
		assert.Contains(t, logs.String(), "a Java admin does not know")
		assert.Contains(t, logs.String(), "its children have to be set in the console")
		b.close()

		jobs = jobs[:2]
		b, node = javaBed(t, dir, m, logs, JavaJobs{Group: 3}, jobs...)
		b.start()
		after(time.Hour)
		assert.Empty(t, node.of(wire.PathAddJob))
		assert.Equal(t, JobStats{Declared: 2, Unchanged: 2}, b.e.Stats().FromCode.outcomes())
		b.close()

		jobs[1].Every = time.Hour
		b, node = javaBed(t, dir, m, logs, JavaJobs{Group: 3}, jobs...)
		b.start()
		after(time.Hour)
		assert.Empty(t, node.of(wire.PathUpdateJob))
		assert.Equal(t, JobStats{Declared: 2, Unchanged: 1, Kept: 1}, b.e.Stats().FromCode.outcomes())
		b.close()

		b, node = javaBed(t, dir, m, logs, JavaJobs{Group: 3, Update: true}, jobs...)
		lost := 0
		m.want = map[string]func() (int, string){wire.PathUpdateJob: func() (int, string) {
			if lost++; lost == 1 {
				return 0, "" // its answer is lost
			}
			return 200, adminSuccess
		}}
		b.start()
		after(time.Hour)
		require.Len(t, node.of(wire.PathUpdateJob), 2, "the same change twice is one")
		upd, err := wire.DecodeJobUpdate([]byte(node.of(wire.PathUpdateJob)[1].body))
		require.NoError(t, err)
		assert.Equal(t, int32(8), upd.ID)
		assert.Equal(t, "3600", upd.ScheduleConf.String)
		assert.Equal(t, JobStats{Declared: 2, Unchanged: 1, Updated: 1, Failures: 1}, b.e.Stats().FromCode.outcomes())
		b.close()

		b, node = javaBed(t, dir, m, logs, JavaJobs{Group: 4}, jobs...)
		b.start()
		after(time.Hour)
		assert.Empty(t, node.of(wire.PathAddJob))
		assert.Contains(t, logs.String(), "holds ids of another admin or group")
	})
}

// TestJavaJobsFaults: what is refused is told; what could not be asked is asked
// again; and what may have been done is never done once more.
func TestJavaJobsFaults(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		answer func() (int, string)
		adds   int
		want   JobStats
		text   string
	}{
		{
			"refused", refusedBy(500, "Cron illegal"), 1,
			JobStats{Declared: 1, Refused: 1},
			"Cron illegal",
		},
		{
			"older than 3.5.0", refusedBy(500, "invalid request, uri-mapping(addJob) not found."), 1,
			JobStats{Declared: 1},
			"this Java admin is older than 3.5.0",
		},
		{
			"the answer is lost", func() (int, string) { return 0, "" }, 1,
			JobStats{Declared: 1, Refused: 1, Failures: 1},
			"nobody knows whether it was added",
		},
		{
			"an answer of a proxy", func() (int, string) { return 502, "bad gateway" }, 1,
			JobStats{Declared: 1, Refused: 1, Failures: 1},
			"nobody knows whether it was added",
		},
		{
			"no id", func() (int, string) { return 200, adminSuccess }, 1,
			JobStats{Declared: 1, Refused: 1},
			"the admin answered no id",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				m := &javaMaster{want: map[string]func() (int, string){wire.PathAddJob: tt.answer}}
				logs := &logLines{}
				b, node := javaBed(t, t.TempDir(), m, logs, JavaJobs{Group: 3}, Job{Name: "close", Every: time.Minute})
				b.start()
				after(time.Hour)
				assert.Len(t, node.of(wire.PathAddJob), tt.adds)
				assert.Equal(t, tt.want, b.e.Stats().FromCode.outcomes())
				assert.Contains(t, logs.String(), tt.text)
			})
		})
	}
}

// TestJavaJobsAgain: a busy admin is asked again, and so is one that does not know
// the group yet, one that could not be reached, and one that did not start what it had
// added.
func TestJavaJobsAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		busy, starts := 0, 0
		m := &javaMaster{}
		m.want = map[string]func() (int, string){
			wire.PathAddJob: func() (int, string) {
				switch busy++; busy {
				case 1:
					return refusedBy(502, "Too many requests, please try again later.")()
				case 2:
					return refusedBy(500, wire.TextTokenInvalid)()
				}
				return 200, `{"code":200,"data":"7","msg":"Success","success":true}`
			},
			wire.PathStartJob: func() (int, string) {
				if starts++; starts == 1 {
					return 0, ""
				}
				return 200, adminSuccess
			},
		}
		logs := &logLines{}
		dir := t.TempDir()
		b, node := javaBed(t, dir, m, logs, JavaJobs{Group: 3}, Job{Name: "close", Every: time.Minute, Start: true})
		b.start()
		after(time.Hour)
		assert.Len(t, node.of(wire.PathAddJob), 3)
		assert.Len(t, node.of(wire.PathStartJob), 2)
		assert.Equal(t, JobStats{Declared: 1, Unchanged: 1, Failures: 3}, b.e.Stats().FromCode.outcomes())
		b.close()
		require.NoError(t, os.WriteFile(filepath.Join(dir, "java-jobs-"+testApp+".json"), []byte("{"), 0o600))
		b, node = javaBed(t, dir, m, logs, JavaJobs{Group: 3}, Job{Name: "close", Every: time.Minute})
		b.start()
		after(time.Minute)
		assert.Empty(t, node.of(wire.PathAddJob), "a book that cannot be read adds nothing")
		assert.Contains(t, logs.String(), "ids of the jobs that were added")
	})
}

// TestJavaJobsConfig: a group that is none is refused.
func TestJavaJobsConfig(t *testing.T) {
	t.Parallel()
	for want, cfg := range map[string]JavaJobs{
		"JavaJobs.Group is -1":        {Group: -1},
		"JavaJobs.Update needs Java…": {Update: true},
	} {
		_, err := NewExecutor(Config{AdminAddrs: []string{"http://a"}, AppName: "a", AccessToken: "t", JavaJobs: cfg})
		require.ErrorContains(t, err, strings.TrimSuffix(want, "…"))
	}
}
