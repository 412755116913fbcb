package dispatch

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/execclient"
	"github.com/xxljob-go/xxljob/admin/internal/i18n"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(path, []byte(got), 0o644))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(want), got)
}

// TestMessage holds trigger_msg in the form of Java's log page, in two
// languages, with texts of others that try to be HTML.
func TestMessage(t *testing.T) {
	hostile := `<script>alert("1")</script>&'`
	plain := func() *entry {
		return &entry{
			Item: Item{Run: &model.Run{
				Type: model.TriggerCron, Address: "http://a:9999/", Handler: model.T("demo"), Param: model.T("x=1"), RetriesLeft: 2,
			}, Job: bean(model.RouteFirst)},
			group: &model.Group{}, addrs: []string{"http://a:9999/", "http://b:9999/"},
		}
	}
	shard := plain()
	shard.Job = bean(model.RouteShardingBroadcast)
	shard.Run.Sharded, shard.Run.ShardIndex, shard.Run.ShardTotal, shard.Run.Type = true, 1, 2, model.TriggerRetry
	typed := plain()
	typed.Addresses, typed.Run.Type = []string{"http://a:9999/"}, model.TriggerManual
	nobody := &entry{Item: Item{Run: &model.Run{Type: model.TriggerAPI}, Job: bean(model.RouteFailover)}, group: &model.Group{Manual: true}}
	probed := plain()
	probed.Job, probed.Run.Address, probed.note = bean(model.RouteBusyover), "", "idleBeat：<br>address："+escape(hostile)
	chosen := plain()
	chosen.Job, chosen.note = bean(model.RouteFailover), "beat：<br>address：http://b:9999/<br>code：500<br>msg：refused"
	bad := plain()
	bad.Run.Handler, bad.Run.Param, bad.Run.Address = model.T(hostile), model.T(hostile), hostile
	bad.addrs = []string{hostile}
	sent := time.Date(2026, 3, 1, 4, 4, 31, 13_400_000, time.UTC)
	planned := plain()
	planned.Run.PlannedMs = sent.Add(-13400 * time.Microsecond).UnixMilli()
	tests := []struct {
		name  string
		entry *entry
		code  int32
		r     execclient.Result
	}{
		{"accepted", plain(), 200, execclient.Result{Kind: execclient.Accepted, Msg: "its own words"}},
		{"timed", planned, 200, execclient.Result{Kind: execclient.Accepted, SentAt: sent, AnsweredAt: sent.Add(2123 * time.Microsecond)}},
		{"timed, asked for", plain(), 500, execclient.Result{Kind: execclient.Unknown, SentAt: sent, Msg: hostile}},
		{"settled", plain(), 200, execclient.Result{Kind: execclient.Repeat, Msg: "repeat trigger job, logId:1"}},
		{"refused", plain(), 500, execclient.Result{Kind: execclient.Refused, Msg: hostile}},
		{"shard", shard, 500, execclient.Result{}},
		{"typed address", typed, 200, execclient.Result{Kind: execclient.Accepted}},
		{"nobody", nobody, 500, (&Dispatcher{cfg: Config{Lang: i18n.En}}).noAddress(nobody)},
		{"probed", probed, 500, execclient.Result{Msg: "no"}},
		{"chosen after a probe", chosen, 500, execclient.Result{Msg: "no"}},
		{"hostile", bad, 500, execclient.Result{Msg: hostile}},
	}
	for _, lang := range []i18n.Lang{i18n.En, i18n.ZhCN} {
		d := &Dispatcher{cfg: Config{Lang: lang, Node: "node-1", Location: time.FixedZone("", 8*3600)}}
		var b strings.Builder
		for _, tt := range tests {
			msg := d.message(tt.entry, tt.code, tt.r)
			assert.NotContains(t, msg, "<script")
			assert.NotContains(t, msg, `alert("`)
			s, ok := model.SendingOf(msg)
			assert.Equal(t, !tt.r.SentAt.IsZero(), ok, tt.name)
			assert.True(t, !ok || s.At.Equal(sent.Truncate(time.Millisecond)), tt.name)
			b.WriteString("# " + tt.name + "\n" + strings.ReplaceAll(msg, "<br>", "<br>\n") + "\n\n")
		}
		golden(t, "trigger_msg_"+lang.String()+".golden", b.String())
	}
}

// Whatever its size, a message stays in its column and ends in no half entity
// and no half character.
func TestMessageIsBounded(t *testing.T) {
	for _, unit := range []string{"&", "字", "a", "<&>", "\xff", "😀"} {
		for _, n := range []int{0, 799, 800, 1333, 3999, 4000, 4001, 100_000} {
			s := escape(strings.Repeat(unit, n))
			assert.LessOrEqual(t, len(s), maxPart+len(" …"))
			assert.True(t, utf8.ValidString(s))
			rest := strings.NewReplacer("&amp;", "", "&lt;", "", "&gt;", "").Replace(s)
			assert.NotContains(t, rest, "&")
		}
		huge := model.T(strings.Repeat(unit, 50_000))
		e := &entry{
			Item:  Item{Run: &model.Run{Handler: huge, Param: huge, Address: huge.S}, Job: bean(model.RouteFirst)},
			group: &model.Group{}, addrs: []string{huge.S},
		}
		d := &Dispatcher{cfg: Config{Lang: i18n.En, Node: huge.S}}
		msg := d.message(e, 500, execclient.Result{Msg: huge.S})
		assert.LessOrEqual(t, len(msg), maxMessage)
		assert.True(t, utf8.ValidString(msg))
	}
}
