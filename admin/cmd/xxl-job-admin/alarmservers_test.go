package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// alertGot is what a webhook was told.
type alertGot struct {
	Kind    string `json:"kind"`
	Group   string `json:"group"`
	JobID   int32  `json:"job_id"`
	JobName string `json:"job_name"`
	Count   int    `json:"count"`
	Text    string `json:"text"`
	LogID   int64  `json:"log_id"`
	URL     string `json:"url"`
}

// pager is a webhook that keeps what it is told.
type pager struct {
	url string

	mu    sync.Mutex
	got   []alertGot
	grown chan struct{} // closed and replaced when got grows
}

func newPager(t *testing.T) *pager {
	t.Helper()
	p := &pager{grown: make(chan struct{})}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var one alertGot
		if !assert.NoError(t, json.NewDecoder(r.Body).Decode(&one)) {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		p.mu.Lock()
		defer p.mu.Unlock()
		p.got = append(p.got, one)
		close(p.grown)
		p.grown = make(chan struct{})
	}))
	t.Cleanup(server.Close)
	p.url = server.URL
	return p
}

func (p *pager) pages() ([]alertGot, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.got[:len(p.got):len(p.got)], p.grown
}

// count says how often it was told of a kind, of a job or else a group.
func (p *pager) count(kind, name string) int {
	n := 0
	list, _ := p.pages()
	for _, one := range list {
		if one.Kind == kind && (one.JobName == name || one.JobName == "" && one.Group == name) {
			n++
		}
	}
	return n
}

// until waits until it is told of a kind, of a job or else a group.
func (p *pager) until(t *testing.T, kind, name string) alertGot {
	t.Helper()
	timer := time.NewTimer(3 * startLimit)
	defer timer.Stop()
	for {
		list, grown := p.pages()
		for _, one := range list {
			if one.Kind == kind && (one.JobName == name || one.JobName == "" && one.Group == name) {
				return one
			}
		}
		select {
		case <-grown:
		case <-timer.C:
			require.FailNow(t, "nobody was told of "+kind+" "+name, "%+v", list)
		}
	}
}

// postbox is a mail server that keeps subjects and bodies of mails; a deaf one takes
// connections and never says a word.
type postbox struct {
	port int
	deaf bool

	mu       sync.Mutex
	subjects []string
	bodies   strings.Builder // as they came, one behind the other
	conns    []net.Conn
}

func newPostbox(t *testing.T, deaf bool) *postbox {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	b := &postbox{port: listener.Addr().(*net.TCPAddr).Port, deaf: deaf}
	var work sync.WaitGroup
	work.Go(func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			b.mu.Lock()
			b.conns = append(b.conns, conn)
			b.mu.Unlock()
			if !deaf {
				work.Go(func() { b.talk(conn) })
			}
		}
	})
	t.Cleanup(func() {
		assert.NoError(t, listener.Close())
		b.mu.Lock()
		for _, conn := range b.conns {
			_ = conn.Close() // it may be closed
		}
		b.mu.Unlock()
		work.Wait()
	})
	return b
}

// talk is a connection of a mail server that takes everything.
func (b *postbox) talk(conn net.Conn) {
	in := bufio.NewReader(conn)
	say := func(line string) { _, _ = io.WriteString(conn, line+"\r\n") }
	say("220 post.test ESMTP")
	data := false
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		verb, _, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
		switch subject, is := strings.CutPrefix(line, "Subject: "); {
		case data && verb == ".":
			data = false
			say("250 queued")
		case data && is:
			b.mu.Lock()
			b.subjects = append(b.subjects, strings.TrimSpace(subject))
			b.mu.Unlock()
		case data:
			b.mu.Lock()
			b.bodies.WriteString(line)
			b.mu.Unlock()
		case verb == "DATA":
			data = true
			say("354 go on")
		case verb == "QUIT":
			say("221 bye")
			_ = conn.Close()
			return
		default:
			say("250 ok")
		}
	}
}

func (b *postbox) mails() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return append([]string(nil), b.subjects...)
}

// body is what all mails say, without the folds of their lines.
func (b *postbox) body(t *testing.T) string {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.NewReplacer("=\r\n", "", "=3D", "=").Replace(b.bodies.String())
}

// held is how many connections there were.
func (b *postbox) held() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.conns)
}

// channel is an entry of the file of channels that mails to this server.
func (b *postbox) channel(name string) string {
	return fmt.Sprintf(`{"name": %q, "type": "mail", "mail": {"host": "127.0.0.1", "port": %d, "encryption": "none",
		"from": "jobs@example.com", "to": ["ops@example.com"]}}`, name, b.port)
}
