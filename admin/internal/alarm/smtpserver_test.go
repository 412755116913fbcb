package alarm

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"net"
	"net/http/httptest"
	"net/mail"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

// letterGot is a mail that a server took.
type letterGot struct {
	from, to string
	head     mail.Header
	body     string
	secure   bool
	login    string // "user/password"
}

// mailServer is a small SMTP server.
type mailServer struct {
	implicit bool     // TLS from the first byte
	startTLS bool     // offers STARTTLS
	auth     string   // offered logins, "PLAIN LOGIN" for one; "" is none
	refuse   []string // recipients that get a 550
	later    []string // recipients that get a 451 the first time
	noLogin  bool     // every login gets a 535

	listener net.Listener
	tls      *tls.Config
	roots    *x509.CertPool
	got      chan letterGot
	stops    sync.WaitGroup

	mu    sync.Mutex
	seen  map[string]bool
	conns []net.Conn
	count int // connections
}

// listen starts the server, which ends with the test.
func (s *mailServer) listen(t *testing.T) (host string, port int) {
	t.Helper()
	certified := httptest.NewTLSServer(nil)
	t.Cleanup(certified.Close)
	s.tls = &tls.Config{Certificates: certified.TLS.Certificates, MinVersion: tls.VersionTLS12}
	s.roots = x509.NewCertPool()
	s.roots.AddCert(certified.Certificate())
	s.got = make(chan letterGot, 64)
	s.seen = make(map[string]bool)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	s.listener = listener
	s.stops.Go(s.accept)
	t.Cleanup(func() {
		listener.Close()
		s.mu.Lock()
		for _, conn := range s.conns {
			conn.Close()
		}
		s.mu.Unlock()
		s.stops.Wait()
	})
	return "127.0.0.1", listener.Addr().(*net.TCPAddr).Port
}

func (s *mailServer) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.count++
		s.mu.Unlock()
		s.stops.Go(func() {
			defer conn.Close()
			if s.implicit {
				(&mailSession{server: s, secure: true}).serve(tls.Server(conn, s.tls))
				return
			}
			(&mailSession{server: s}).serve(conn)
		})
	}
}

// mailSession is one connection.
type mailSession struct {
	server *mailServer
	conn   net.Conn
	in     *bufio.Reader
	secure bool
	login  string
	from   string
	to     string
}

func (m *mailSession) say(line string) { _, _ = io.WriteString(m.conn, line+"\r\n") }

func (m *mailSession) line() (string, error) {
	line, err := m.in.ReadString('\n')
	return strings.TrimRight(line, "\r\n"), err
}

func (m *mailSession) serve(conn net.Conn) {
	m.conn, m.in = conn, bufio.NewReader(conn)
	m.say("220 mail.test ESMTP")
	for {
		line, err := m.line()
		if err != nil {
			return
		}
		verb, rest, _ := strings.Cut(line, " ")
		switch strings.ToUpper(verb) {
		case "EHLO", "HELO":
			m.hello()
		case "STARTTLS":
			m.say("220 go on")
			secured := tls.Server(m.conn, m.server.tls)
			m.secure, m.conn, m.in = true, secured, bufio.NewReader(secured)
		case "AUTH":
			m.authenticate(rest)
		case "MAIL":
			m.from = address(rest)
			m.say("250 ok")
		case "RCPT":
			m.recipient(address(rest))
		case "DATA":
			m.data()
		case "QUIT":
			m.say("221 bye")
			return
		default:
			m.say("250 ok")
		}
	}
}

func (m *mailSession) hello() {
	lines := []string{"mail.test"}
	if m.server.startTLS && !m.secure {
		lines = append(lines, "STARTTLS")
	}
	if m.server.auth != "" {
		lines = append(lines, "AUTH "+m.server.auth)
	}
	lines = append(lines, "8BITMIME", "SMTPUTF8")
	for i, line := range lines {
		if i == len(lines)-1 {
			m.say("250 " + line)
			break
		}
		m.say("250-" + line)
	}
}

func (m *mailSession) authenticate(rest string) {
	mechanism, first, _ := strings.Cut(rest, " ")
	decode := func(text string) string {
		plain, _ := base64.StdEncoding.DecodeString(text)
		return string(plain)
	}
	ask := func(question string) string {
		m.say("334 " + base64.StdEncoding.EncodeToString([]byte(question)))
		line, _ := m.line()
		return decode(line)
	}
	switch mechanism {
	case "PLAIN":
		parts := strings.Split(decode(first), "\x00")
		m.login = parts[1] + "/" + parts[2]
	case "LOGIN":
		user := ask("Username:")
		m.login = user + "/" + ask("Password:")
	case "CRAM-MD5":
		m.login = "digest of " + strings.Fields(ask("<1@mail.test>"))[0]
	}
	if m.server.noLogin {
		m.say("535 5.7.8 wrong password")
		return
	}
	m.say("235 welcome")
}

func (m *mailSession) recipient(to string) {
	m.server.mu.Lock()
	first := !m.server.seen[to]
	m.server.seen[to] = true
	m.server.mu.Unlock()
	switch {
	case slices.Contains(m.server.refuse, to):
		m.say("550 5.1.1 no such user")
	case first && slices.Contains(m.server.later, to):
		m.say("451 4.7.1 try again later")
	default:
		m.to = to
		m.say("250 ok")
	}
}

func (m *mailSession) data() {
	m.say("354 go on")
	var b strings.Builder
	for {
		line, err := m.line()
		if err != nil {
			return
		}
		if line == "." {
			break
		}
		b.WriteString(strings.TrimPrefix(line, ".") + "\r\n")
	}
	l := letterGot{from: m.from, to: m.to, secure: m.secure, login: m.login}
	if msg, err := mail.ReadMessage(strings.NewReader(b.String())); err == nil {
		l.head = msg.Header
		body, _ := io.ReadAll(msg.Body)
		l.body = string(body)
	}
	m.server.got <- l
	m.say("250 queued")
}

// address takes the address out of FROM:<a@b> BODY=…
func address(rest string) string {
	_, after, _ := strings.Cut(rest, "<")
	found, _, _ := strings.Cut(after, ">")
	return found
}
