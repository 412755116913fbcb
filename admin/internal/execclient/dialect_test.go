package execclient

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/internal/wire"
)

func refusal(text string) string {
	return string(wire.AppendResponse(nil, wire.Response{Code: 500, Msg: wire.Str(text)}))
}

// master answers as an executor of master's generation (wire.md 1.2).
func master(token, appName string, got *recorder) func(*peer) {
	return answering(func(p *peer, s seen) {
		got.add(s)
		gotToken, gotName := s.header.Get(wire.HeaderToken), s.header.Get(wire.HeaderAppName)
		switch {
		case gotToken == "" || gotName == "":
			p.ok(refusal(wire.TextTokenEmpty))
		case gotToken != token || gotName != appName:
			p.ok(refusal(wire.TextTokenInvalid))
		case s.target == wire.PathRun:
			p.ok(refusal(wire.NotFoundText(s.target)))
		default:
			p.ok(success)
		}
	})
}

// release answers as an executor of 2.2.0 to 3.4.2.
func release(token string, got *recorder) func(*peer) {
	return answering(func(p *peer, s seen) {
		got.add(s)
		switch {
		case s.header.Get(wire.HeaderToken) != token:
			p.ok(refusal(wire.TextTokenWrong))
		case s.target == wire.PathTrigger:
			p.ok(refusal(wire.NotFoundText(s.target)))
		default:
			p.ok(`{"code":200}`)
		}
	})
}

// ours answers as our own executor: held to master's rules once it is named.
func ours(token, appName string, got *recorder) func(*peer) {
	return answering(func(p *peer, s seen) {
		got.add(s)
		header := wire.HeaderExecutor + ": " + wire.Native
		switch name := s.header.Get(wire.HeaderAppName); {
		case name == "" && s.header.Get(wire.HeaderToken) != token:
			p.ok(refusal(wire.TextTokenWrong), header)
		case name != "" && (name != appName || s.header.Get(wire.HeaderToken) != token):
			p.ok(refusal(wire.TextTokenInvalid), header)
		default:
			p.ok(success, header)
		}
	})
}

// learnt collects what OnLearn is told.
type learnt struct {
	mu   sync.Mutex
	list []AddressInfo
}

func (l *learnt) add(info AddressInfo) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.list = append(l.list, info)
}

func (l *learnt) all() []AddressInfo {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append([]AddressInfo(nil), l.list...)
	for i := range list {
		list[i].SeenMs = 0
	}
	return list
}

func TestDialectIsFoundAndRemembered(t *testing.T) {
	t.Parallel()
	var got recorder
	var told learnt
	target := Target{Address: executor(t, master("secret", "app", &got)), AppName: "app", Token: "secret"}
	client := newClient(t, Config{OnLearn: told.add, GlobalToken: "other"})
	for id := range int64(3) {
		assert.Equal(t, Accepted, trigger(client, target, id).Kind)
	}
	assert.Equal(t, []string{"/run", "/trigger", "/trigger", "/trigger"}, got.targets())
	seen := got.all()
	assert.Equal(t, seen[0].body, seen[1].body)
	address := laneKey(target.Address)
	assert.Equal(t, []AddressInfo{{Address: address, Dialect: DialectTrigger}}, told.all())
	assert.Equal(t, DialectTrigger, client.Stats()[address].Dialect)

	// The next process asks at the right path at once.
	next := newClient(t, Config{})
	next.Remember(told.all())
	assert.Equal(t, Accepted, trigger(next, target, 9).Kind)
	assert.Equal(t, "/trigger", got.targets()[4])
}

func TestDialectChangesBack(t *testing.T) {
	t.Parallel()
	var got recorder
	var told learnt
	target := Target{Address: executor(t, release("", &got)), AppName: "app"}
	client := newClient(t, Config{OnLearn: told.add})
	client.Remember([]AddressInfo{{Address: target.Address, Dialect: DialectTrigger, Native: true}})
	assert.Equal(t, Accepted, trigger(client, target, 1).Kind)
	assert.Equal(t, Accepted, trigger(client, target, 2).Kind)
	assert.Equal(t, []string{"/trigger", "/run", "/run"}, got.targets())
	assert.Equal(t, []AddressInfo{{Address: laneKey(target.Address), Dialect: DialectRun}}, told.all())
}

func TestDialectBehindPrefixAndByStatus(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) {
		got.add(s)
		switch {
		case strings.HasSuffix(s.target, "/trigger"):
			p.ok(success)
		case strings.HasPrefix(s.target, "/a"):
			p.ok(refusal(wire.NotFoundText(wire.PathRun))) // a proxy took the prefix away
		case strings.HasPrefix(s.target, "/b"):
			p.ok(refusal(wire.NotFoundText(s.target)))
		default:
			p.say(status(404)) // an executor of another language
		}
	}))
	for _, prefix := range []string{"a/", "b", "c/"} {
		r := trigger(newClient(t, Config{}), Target{Address: address + prefix}, 1)
		assert.Equal(t, Accepted, r.Kind, "%s: %+v", prefix, r)
	}
	assert.Equal(t, []string{"/a/run", "/a/trigger", "/b/run", "/b/trigger", "/c/run", "/c/trigger"}, got.targets())
}

func TestNoPathAtAll(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) {
		got.add(s)
		p.ok(refusal(wire.NotFoundText(s.target)))
	}))
	var told learnt
	r := trigger(newClient(t, Config{OnLearn: told.add}), Target{Address: address}, 1)
	assert.Equal(t, Refused, r.Kind)
	assert.Equal(t, wire.NotFoundText("/trigger"), r.Msg)
	assert.Equal(t, []string{"/run", "/trigger"}, got.targets())
	assert.Empty(t, told.all())
}

func TestFixedDialect(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, release("", &got))
	client := newClient(t, Config{Dialect: DialectTrigger})
	client.Remember([]AddressInfo{{Address: address, Dialect: DialectRun}})
	assert.Equal(t, Refused, trigger(client, Target{Address: address}, 1).Kind)
	assert.Equal(t, []string{"/trigger"}, got.targets())
}

func TestWrongTokenOfMaster(t *testing.T) {
	t.Parallel()
	var got recorder
	client, address := newClient(t, Config{GlobalToken: "wrong"}), executor(t, master("secret", "app", &got))
	for range 2 {
		r := trigger(client, Target{Address: address, AppName: "app"}, 1)
		assert.Equal(t, Refused, r.Kind)
		assert.Equal(t, wire.TextTokenInvalid, r.Msg)
	}
	for _, s := range got.all() {
		assert.Equal(t, wire.PathRun, s.target) // nothing was learnt from it
	}
}

// TestNativeInManualGroup: our executor under a group of another name works as
// it does under a Java admin.
func TestNativeInManualGroup(t *testing.T) {
	t.Parallel()
	var got recorder
	var told learnt
	target := Target{Address: executor(t, ours("secret", "app", &got)), AppName: "group", Token: "secret"}
	client := newClient(t, Config{OnLearn: told.add})
	for id := range int64(3) {
		r := trigger(client, target, id)
		assert.Equal(t, Accepted, r.Kind)
		assert.True(t, r.Native)
	}
	assert.Equal(t, []AddressInfo{{Address: laneKey(target.Address), Dialect: DialectRun, Native: true}}, told.all())
	var names []string
	for _, s := range got.all() {
		names = append(names, s.header.Get(wire.HeaderAppName))
	}
	assert.Equal(t, []string{"group", "", "", ""}, names)
	target.Token = "wrong"
	assert.Equal(t, wire.TextTokenWrong, trigger(client, target, 9).Msg)
}

// TestBareIsUnlearnt: the executor is replaced by one of master's generation.
func TestBareIsUnlearnt(t *testing.T) {
	t.Parallel()
	var old, replaced recorder
	second := master("secret", "group", &replaced)
	next := make(chan struct{})
	address := executor(t, func(p *peer) {
		select {
		case <-next:
			second(p)
		default:
			s, _ := p.next()
			name := s.header.Get(wire.HeaderAppName)
			if name != "" {
				p.ok(refusal(wire.TextTokenInvalid))
				s, _ = p.next()
			}
			old.add(s)
			close(next)
			p.say("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 12\r\n\r\n{\"code\":200}")
		}
	})
	client, target := newClient(t, Config{}), Target{Address: address, AppName: "group", Token: "secret"}
	assert.Equal(t, Accepted, trigger(client, target, 1).Kind)
	assert.Equal(t, Accepted, trigger(client, target, 2).Kind)
	assert.Equal(t, Accepted, trigger(client, target, 3).Kind)
	assert.Equal(t, []string{"/run", "/run", "/trigger", "/trigger"}, replaced.targets())
}
