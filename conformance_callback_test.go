package xxljob

import (
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func twoAdmins(cfg *Config) {
	cfg.AdminAddrs = []string{"http://admin-1/xxl-job-admin, http://admin-2"}
}

// Case 66: the first admin is down, the second takes the result; the log has
// one line of the failure, then the finish.
func TestConformanceCase66Failover(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, twoAdmins, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		b.mustRun(trig{id: 1, logID: 66, handler: "echo"})
		assert.EqualValues(t, 66, b.admin.node(2).next(t).LogID)
		after(time.Second)
		log := b.file(66)
		assert.Equal(t, 1, strings.Count(log, wire.LogCallbackErr))
		assert.True(t, strings.HasSuffix(log, wire.LogCallbackDone+"\n"))
		for _, c := range b.admin.node(2).of(wire.PathCallback) {
			assert.Equal(t, "/api/callback", c.path)
		}
	})
}

// Case 67: all admins are down, then one comes back: the result is sent within
// 30 s, exactly once.
func TestConformanceCase67Outage(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, twoAdmins, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		b.admin.node(2).set(true, nil)
		b.mustRun(trig{id: 1, logID: 67, handler: "echo"})
		after(10 * time.Minute)
		assert.Equal(t, 1, b.e.Stats().Unsent)
		b.admin.node(2).set(false, nil)
		start := time.Now()
		assert.EqualValues(t, 67, b.admin.node(2).next(t).LogID)
		assert.LessOrEqual(t, time.Since(start), 20*time.Second)
		after(5 * time.Minute)
		assert.Len(t, b.admin.node(2).of(wire.PathCallback), 1)
		assert.Zero(t, b.e.Stats().Unsent)
		assert.Equal(t, 1, strings.Count(b.file(67), wire.LogCallbackErr+"Post \"http://admin-1"), "one line of failure, not one a try")
	})
}

// Cases 68 to 70, and every other kind of answer: what is not success loses
// nothing, what is success ends the sending.
func TestConformanceCase68To70Answers(t *testing.T) {
	t.Parallel()
	failures := map[string]struct {
		status int
		body   string
	}{
		"68 code 500":          {200, `{"code":500,"msg":"no"}`},
		"69 302":               {302, ""},
		"69 404":               {404, "not found"},
		"69 500":               {500, adminSuccess},
		"garbage":              {200, "<html>welcome</html>"},
		"no body":              {200, ""},
		"wrong JSON":           {200, `{"code":"yes"}`},
		"no code":              {200, `{"msg":"Success"}`},
		"array":                {200, `[{"code":200}]`},
		"payload is an object": {200, `{"code":200,"content":{"a":1}}`},
		"truncated":            {200, `{"code":200`},
		"no answer":            {0, ""},
	}
	for name, tt := range failures {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, nil, registerTestHandlers)
				b.admin.node(1).set(false, func(c call) (int, string) {
					if strings.HasSuffix(c.path, wire.PathCallback) {
						return tt.status, tt.body
					}
					return 200, adminSuccess
				})
				b.mustRun(trig{id: 1, handler: "echo", param: name})
				after(3 * time.Minute)
				assert.Equal(t, 1, b.e.Stats().Unsent)
				assert.Zero(t, b.e.Stats().SetAside)
				b.admin.node(1).set(false, nil)
				assert.Equal(t, name, b.admin.node(1).next(t).Msg.String)
			})
		})
	}
	for _, answer := range []string{
		`{"code":200,"msg":null,"content":null}`,
		`{"success":true,"data":null,"code":200}`,
		"\n{\"code\":200}\n",
	} {
		t.Run("70 "+answer, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				b := newBed(t, nil, registerTestHandlers)
				b.admin.node(1).set(false, func(call) (int, string) { return 200, answer })
				b.mustRun(trig{id: 1, handler: "echo"})
				after(time.Minute)
				assert.Len(t, b.admin.node(1).of(wire.PathCallback), 1)
				assert.Zero(t, b.e.Stats().Unsent)
			})
		})
	}
}

// Case 71: 120 results at once arrive, at most 50 a post.
func TestConformanceCase71Batches(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		b.admin.node(1).set(true, nil)
		for i := range 120 {
			b.mustRun(trig{id: i, handler: "echo"})
		}
		after(time.Second)
		b.admin.node(1).set(false, nil)
		seen := map[int64]bool{}
		for range 120 {
			seen[b.admin.node(1).next(t).LogID] = true
		}
		assert.Len(t, seen, 120)
		for _, c := range b.admin.node(1).of(wire.PathCallback) {
			assert.LessOrEqual(t, len(c.items()), 50)
		}
	})
}

// Case 72: master wants an object where others take an array, and the other
// way round after a change of the admin.
func TestConformanceCase72Dialects(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := newBed(t, nil, registerTestHandlers)
		master := func(c call) (int, string) {
			if strings.HasPrefix(c.body, "[") {
				return 200, `{"code":500,"msg":"openapi invoke error: java.lang.IllegalStateException: Expected BEGIN_OBJECT but was BEGIN_ARRAY at line 1 column 2 path $"}`
			}
			return 200, `{"code":200,"msg":"Success","data":null,"success":true}`
		}
		legacy := func(c call) (int, string) {
			if strings.HasSuffix(c.path, wire.PathCallback) && strings.HasPrefix(c.body, "{") {
				return 200, `{"code":500,"msg":"java.lang.IllegalStateException: Expected BEGIN_ARRAY but was BEGIN_OBJECT at line 1"}`
			}
			return 200, adminSuccess
		}
		b.admin.node(1).set(false, master)
		b.mustRun(trig{id: 1, logID: 1, at: 1586629003729, handler: "echo", param: "m"})
		b.admin.node(1).next(t)
		b.mustRun(trig{id: 1, logID: 2, handler: "echo"})
		b.admin.node(1).next(t)
		b.admin.node(1).set(false, legacy)
		b.mustRun(trig{id: 1, logID: 3, handler: "echo"})
		b.admin.node(1).next(t)
		var first []string
		calls := b.admin.node(1).of(wire.PathCallback)
		for _, c := range calls {
			first = append(first, c.body[:1])
		}
		assert.Equal(t, []string{"[", "{", "{", "{", "["}, first)
		assert.Equal(t, `[{"logId":1,"logDateTim":1586629003729,"logDateTime":1586629003729,"handleCode":200,"handleMsg":"m","executeResult":{"code":200,"msg":"m"}}]`, calls[0].body)
		assert.Equal(t, `{"callbackList":[{"logId":1,"logDateTime":1586629003729,"handleCode":200,"handleMsg":"m"}]}`, calls[1].body)
	})
}

// Cases 73 to 75: heartbeats at once and every 30 s, to the first healthy
// admin only, and the removal at the end.
func TestConformanceCase73To75Registry(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		b := newBed(t, twoAdmins, registerTestHandlers)
		after(95 * time.Second)
		beats := b.admin.node(1).of(wire.PathRegistry)
		require.Len(t, beats, 4)
		for i, c := range beats {
			assert.InDelta(t, float64(30*i), c.at.Sub(start).Seconds(), 0.5)
			assert.Equal(t, "/xxl-job-admin/api/registry", c.path)
			assert.Equal(t, `{"registryGroup":"EXECUTOR","registryKey":"conformance","registryValue":"http://10.1.2.3:9999/"}`, c.body)
			assert.Equal(t, "application/json;charset=UTF-8", c.header.Get("Content-Type"))
			assert.Equal(t, testToken, c.header.Get(wire.HeaderToken))
			assert.Equal(t, testApp, c.header.Get(wire.HeaderAppName))
		}
		assert.Empty(t, b.admin.node(2).of(wire.PathRegistry), "case 74")

		b.admin.node(1).set(true, nil)
		after(31 * time.Second)
		assert.Len(t, b.admin.node(2).of(wire.PathRegistry), 1)
		b.admin.node(1).set(false, nil)
		after(30 * time.Second)
		b.close()
		removed := b.admin.node(1).of(wire.PathRegistryRemove)
		require.Len(t, removed, 1, "case 75")
		assert.Equal(t, beats[0].body, removed[0].body)
		assert.Empty(t, b.admin.node(2).of(wire.PathRegistryRemove))
	})
}
