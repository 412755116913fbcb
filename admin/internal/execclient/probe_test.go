package execclient

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// logText is what an executor answers for a log that does not exist.
const logText = `{"fromLineNum":1,"toLineNum":0,"logContent":"readLog fail, logFile not exists","isEnd":true}`

// speaking answers beats with one body and logs with another one, and as master
// does when named says so.
func speaking(beat, log string, named bool, got *recorder, headers ...string) func(*peer) {
	return answering(func(p *peer, s seen) {
		got.add(s)
		switch {
		case named && s.header.Get(wire.HeaderAppName) == "":
			p.ok(refusal(wire.TextTokenEmpty), headers...)
		case s.target == wire.PathLog:
			p.ok(log, headers...)
		default:
			p.ok(beat, headers...)
		}
	})
}

func whats(list []model.Evidence) (names []string) {
	for _, e := range list {
		names = append(names, e.What)
	}
	return names
}

func TestProbeTellsGenerationsApart(t *testing.T) {
	t.Parallel()
	const (
		mute    = `{"code":200}`
		content = `{"code":200,"content":` + logText + `}`
		named   = `{"code":200,"msg":"Success"}`
	)
	tests := []struct {
		name         string
		beat, log    string
		demands      bool // the application's name
		headers      []string
		want         model.Release
		wantEvidence []string
	}{
		{
			name: "up to 3.1.1", beat: mute, log: content, want: model.Release{From: "2.2.0", To: "3.1.1"},
			wantEvidence: []string{model.SawMute, model.SawContent, model.SawNameless},
		},
		{
			name: "3.2.0", beat: named, log: `{"code":200,"msg":"Success","content":` + logText + `}`,
			want:         model.Release{From: "3.2.0", To: "3.2.0"},
			wantEvidence: []string{model.SawSuccess, model.SawContent, model.SawNameless},
		},
		{
			name: "3.3 and 3.4", beat: named, log: `{"code":200,"msg":"Success","data":` + logText + `}`,
			want:         model.Release{From: "3.3.0", To: "3.4.2"},
			wantEvidence: []string{model.SawSuccess, model.SawData, model.SawNameless},
		},
		{
			name: "master", beat: named, log: `{"code":200,"msg":"Success","data":` + logText + `}`, demands: true,
			want:         model.Release{From: model.ReleaseMaster, To: model.ReleaseMaster},
			wantEvidence: []string{model.SawSuccess, model.SawData, model.SawNameWanted},
		},
		{
			name: "ours", beat: named, log: string(wire.AppendLogResponse(nil, wire.LogResult{IsEnd: true})),
			headers: []string{wire.HeaderExecutor + ": " + wire.Native},
			want:    model.Release{Native: true}, wantEvidence: []string{model.SawNative},
		},
		{
			name: "neither", beat: `{"code":200,"msg":"pong <b>"}`, log: content, want: model.Release{Odd: true},
			wantEvidence: []string{model.SawOtherText, model.SawContent, model.SawNameless},
		},
		{
			name: "a mix", beat: mute, log: `{"code":200,"data":` + logText + `}`, want: model.Release{Odd: true},
			wantEvidence: []string{model.SawMute, model.SawData, model.SawNameless},
		},
		{
			name: "a server that is not Java's", beat: named, log: `{"code":200,"msg":"Success","data":` + logText + `}`,
			headers: []string{"Date: Sat, 21 Nov 2026 12:00:00 GMT"}, want: model.Release{From: "3.3.0", To: "3.4.2"},
			wantEvidence: []string{model.SawSuccess, model.SawData, model.SawNameless, model.SawForeign},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got recorder
			address := executor(t, speaking(tt.beat, tt.log, tt.demands, &got, tt.headers...))
			client := newClient(t, Config{})
			p := client.Probe(t.Context(), Target{Address: address, AppName: "app", Token: "secret"})
			assert.True(t, p.OK(), "%+v", p.Steps)
			assert.Equal(t, address, p.Address)
			assert.Equal(t, tt.want, p.Release)
			assert.Equal(t, tt.wantEvidence, whats(p.Evidence))
			assert.Equal(t, tt.want, client.Release(address), "is remembered")
			want := []string{wire.PathBeat, wire.PathIdleBeat, wire.PathLog, wire.PathBeat}
			if tt.want.Native {
				want = want[:3]
			}
			assert.Equal(t, want, got.targets(), "nothing that starts or ends something")
		})
	}
}

func TestProbeAsksForNobodysThings(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, speaking(success, success, false, &got))
	before := time.Now().UnixMilli()
	newClient(t, Config{}).Probe(t.Context(), Target{Address: address, AppName: "app", Token: "secret"})
	all := got.all()
	require.Len(t, all, 4)
	assert.JSONEq(t, `{"jobId":0}`, all[1].body)
	req, err := wire.DecodeLog([]byte(all[2].body))
	require.NoError(t, err)
	assert.Zero(t, req.LogID)
	assert.GreaterOrEqual(t, req.LogDateTime, before, "Java makes a folder for the day it is asked for")
	assert.Equal(t, "app", all[0].header.Get(wire.HeaderAppName))
	assert.Empty(t, all[3].header.Values(wire.HeaderAppName))
	assert.Equal(t, "secret", all[3].header.Get(wire.HeaderToken))
}

func TestProbeOfARefusedToken(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name     string
		serve    func(got *recorder) func(*peer)
		want     model.Release
		evidence string
		said     string
	}{
		{
			name: "old", serve: func(got *recorder) func(*peer) { return release("other", got) },
			want: model.Release{From: "2.2.0", To: "3.4.2"}, evidence: model.SawTokenOld, said: wire.TextTokenWrong,
		},
		{
			name: "master", serve: func(got *recorder) func(*peer) { return master("other", "app", got) },
			want:     model.Release{From: model.ReleaseMaster, To: model.ReleaseMaster},
			evidence: model.SawTokenMaster, said: wire.TextTokenInvalid,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got recorder
			p := newClient(t, Config{}).Probe(t.Context(),
				Target{Address: executor(t, tt.serve(&got)), AppName: "app", Token: "secret"})
			assert.False(t, p.OK())
			assert.Equal(t, tt.said, p.Fault())
			assert.Len(t, p.Steps, 1, "who refuses is not asked on")
			assert.Equal(t, tt.want, p.Release)
			assert.Equal(t, []model.Evidence{{What: tt.evidence, Text: tt.said}}, p.Evidence)
		})
	}
}

func TestProbeOfNobody(t *testing.T) {
	t.Parallel()
	client := newClient(t, Config{})
	address := closedAddress(t)
	p := client.Probe(t.Context(), Target{Address: address, AppName: "app"})
	assert.False(t, p.OK())
	assert.Len(t, p.Steps, 1)
	assert.Contains(t, p.Fault(), "Connection refused")
	assert.Zero(t, p.Release)
	assert.Empty(t, p.Evidence)
	assert.False(t, client.Stats()[laneKey(address)].DeadSince.IsZero())

	for _, bad := range []string{"http://169.254.169.254/", "ftp://x/", "http://user@10.0.0.1/", "not an address"} {
		p = client.Probe(t.Context(), Target{Address: bad, AppName: "app"})
		assert.False(t, p.OK(), bad)
		assert.Zero(t, p.Release)
	}
}

// TestProbeFollowsNobody: who sends a probe, and its token, somewhere else is not
// followed.
func TestProbeFollowsNobody(t *testing.T) {
	t.Parallel()
	var elsewhere, got recorder
	other := executor(t, speaking(success, success, false, &elsewhere))
	address := executor(t, answering(func(p *peer, s seen) {
		got.add(s)
		p.say("HTTP/1.1 302 Found\r\nLocation: " + other + "beat\r\ncontent-length: 0\r\n\r\n")
	}))
	p := newClient(t, Config{}).Probe(t.Context(), Target{Address: address, AppName: "app", Token: "secret"})
	assert.False(t, p.OK())
	assert.Contains(t, p.Fault(), "302")
	assert.Zero(t, p.Release)
	assert.Len(t, got.all(), 1)
	assert.Empty(t, elsewhere.all())
}

func TestProbeSeesAnotherProgram(t *testing.T) {
	t.Parallel()
	var got recorder
	body := make(chan string, 1)
	body <- `{"code":200}`
	address := executor(t, answering(func(p *peer, s seen) {
		got.add(s)
		text := <-body
		body <- text
		if s.target == wire.PathLog {
			text = `{"code":200,"content":` + logText + `}`
		}
		p.ok(text)
	}))
	client := newClient(t, Config{})
	target := Target{Address: address, AppName: "app", Token: "secret"}
	client.Probe(t.Context(), target)
	assert.Equal(t, model.Release{From: "2.2.0", To: "3.1.1"}, client.Release(address))
	<-body
	body <- `{"code":200,"msg":"Success"}`
	assert.Equal(t, Accepted, trigger(client, target, 1).Kind)
	assert.Equal(t, model.Release{From: "3.2.0", To: "3.4.2"}, client.Release(address), "what was known of the other one is gone")
}

func TestTriggersTellTheGeneration(t *testing.T) {
	t.Parallel()
	var got recorder
	client := newClient(t, Config{})
	old := Target{Address: executor(t, release("", &got)), AppName: "app"}
	assert.Zero(t, client.Release(old.Address))
	trigger(client, old, 1)
	assert.Equal(t, model.Release{From: "2.2.0", To: "3.1.1"}, client.Release(old.Address))
	next := Target{Address: executor(t, master("x", "app", &got)), AppName: "app", Token: "x"}
	trigger(client, next, 1)
	assert.Equal(t, model.Release{From: model.ReleaseMaster, To: model.ReleaseMaster}, client.Release(next.Address))
	assert.Equal(t, client.Release(next.Address), client.Stats()[laneKey(next.Address)].Release)
}

func TestFaultsOfAnAddress(t *testing.T) {
	t.Parallel()
	client := newClient(t, Config{})
	address := closedAddress(t)
	assert.Empty(t, client.Faults(address))
	for id := range int64(3) {
		trigger(client, Target{Address: address}, id)
	}
	list := client.Faults(address + "/")
	require.Len(t, list, 1, "one reason is one entry")
	assert.Equal(t, 3, list[0].Count)
	assert.Equal(t, "Connection refused", list[0].Text)
	assert.Equal(t, wire.PathRun, list[0].Path)
	assert.False(t, list[0].Last.Before(list[0].First))
}

func TestFaultsAreFew(t *testing.T) {
	t.Parallel()
	var f faults
	now := time.Unix(1000, 0)
	for i := range 12 {
		f.add("/run", string(rune('a'+i)), now.Add(time.Duration(i)*time.Second))
	}
	var texts []string
	for _, fault := range f.list() {
		texts = append(texts, fault.Text)
	}
	assert.Equal(t, []string{"l", "k", "j", "i", "h"}, texts)
	assert.Len(t, f.list(), faultsKept)
	assert.True(t, slices.IsSortedFunc(f.list(), func(a, b model.AddressFault) int { return b.Last.Compare(a.Last) }))
}
