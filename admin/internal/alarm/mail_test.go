package alarm

import (
	"context"
	"crypto/tls"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// mailChannel is a channel to the server.
func mailChannel(t *testing.T, s *mailServer, change func(m *Mail)) Channel {
	t.Helper()
	host, port := s.listen(t)
	m := &Mail{
		Host: host, Port: port, From: "admin@mail.test", Encryption: EncryptionNone,
		TLS: &tls.Config{RootCAs: s.roots, MinVersion: tls.VersionTLS12},
	}
	if change != nil {
		change(m)
	}
	return Channel{Name: "mail", Type: TypeMail, Mail: m}
}

// addressed is the alarm of a job with these addresses.
func addressed(emails string) Alarm {
	a := nasty()
	a.Job.AlarmEmail = model.T(emails)
	return a
}

// bodyOf returns the HTML of a mail.
func bodyOf(t *testing.T, l letterGot) string {
	t.Helper()
	_, page := partsOf(t, l)
	return page
}

// partsOf returns both parts of a mail, the plain text and the HTML.
func partsOf(t *testing.T, l letterGot) (text, page string) {
	t.Helper()
	kind, params, err := mime.ParseMediaType(l.head.Get("Content-Type"))
	require.NoError(t, err)
	require.Equal(t, "multipart/alternative", kind)
	parts := multipart.NewReader(strings.NewReader(l.body), params["boundary"])
	for _, want := range []struct {
		kind string
		to   *string
	}{{"text/plain", &text}, {"text/html", &page}} { // what is shown stands last
		part, err := parts.NextRawPart()
		require.NoError(t, err)
		assert.Equal(t, want.kind+"; charset=UTF-8", part.Header.Get("Content-Type"))
		require.Equal(t, "quoted-printable", part.Header.Get("Content-Transfer-Encoding"))
		read, err := io.ReadAll(quotedprintable.NewReader(part))
		require.NoError(t, err)
		*want.to = strings.ReplaceAll(string(read), "\r\n", "\n")
	}
	_, err = parts.NextRawPart()
	require.ErrorIs(t, err, io.EOF)
	return text, page
}

func TestMailOfJava(t *testing.T) {
	t.Parallel()
	s := &mailServer{}
	ch := mailChannel(t, s, nil)
	a := addressed("one@mail.test, two@mail.test,one@mail.test,,")
	a.TriggerCode, a.TriggerMsg = 500, `trigger type：Cron<br><span style="color:#00c0ef;" > >>>run<<< </span><br>msg：&lt;script&gt;`
	require.NoError(t, through(t, ch, a))
	first, second := <-s.got, <-s.got
	assert.Equal(t, []string{"one@mail.test", "two@mail.test"}, []string{first.to, second.to})
	assert.Empty(t, s.got)
	assert.Equal(t, "<one@mail.test>", first.head.Get("To"), "nobody sees the others")
	assert.Equal(t, `"Task Scheduling Centre" <admin@mail.test>`, first.head.Get("From"))
	subject, err := new(mime.WordDecoder).DecodeHeader(first.head.Get("Subject"))
	require.NoError(t, err)
	assert.Equal(t, "Job alarm", subject)
	assert.NotEmpty(t, first.head.Get("Message-Id"))
	body := bodyOf(t, first)
	for _, want := range []string{
		"Alarm details", "<th>Executor group</th><th>Job ID</th><th>Job</th><th>Alarm</th><th>Content</th>",
		"<td>g&lt;@all&gt;</td><td>7</td>", "<td>Run failed</td>",
		"Alarm Job LogId=70<br>TriggerMsg=<br>trigger type：Cron<br> &gt;&gt;&gt;run&lt;&lt;&lt; <br>msg：&lt;script&gt;",
		"<br>HandleCode=[click](http://evil.test) &lt;!channel&gt;",
	} {
		assert.Contains(t, body, want)
	}
	assert.NotContains(t, body, "<script>")
}

func TestMailOfARecovery(t *testing.T) {
	t.Parallel()
	s := &mailServer{}
	ch := mailChannel(t, s, func(m *Mail) { m.FromName = "Alarms\r\nBcc: x@evil.test" })
	require.NoError(t, through(t, ch, Alarm{
		Kind: Recovered, Job: &model.Job{ID: 7, Name: "nightly", AlarmEmail: model.T("one@mail.test")},
		Count: 3, Since: time.Date(2026, 11, 21, 7, 0, 0, 0, time.UTC),
	}))
	l := <-s.got
	assert.Equal(t, "Job recovered", l.head.Get("Subject"))
	assert.Empty(t, l.head.Get("Bcc"))
	body := bodyOf(t, l)
	assert.Contains(t, body, "<td>Failures until it recovered: 3<br>Since: 2026-11-21 07:00:00</td>")
}

func TestMailEncryptionAndLogin(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name       string
		server     *mailServer
		change     func(m *Mail)
		wantSecure bool
		wantLogin  string
		wantErr    string
		permanent  bool
	}{
		{name: "starttls", server: &mailServer{startTLS: true}, change: func(m *Mail) { m.Encryption = "" }, wantSecure: true},
		{name: "tls", server: &mailServer{implicit: true}, change: func(m *Mail) { m.Encryption = EncryptionTLS }, wantSecure: true},
		{name: "starttls is not offered", server: &mailServer{}, change: func(m *Mail) { m.Encryption = EncryptionStartTLS }, wantErr: "does not support STARTTLS"},
		{name: "an unknown authority", server: &mailServer{startTLS: true}, change: func(m *Mail) {
			m.Encryption, m.TLS = EncryptionStartTLS, nil
		}, wantErr: "certificate"},
		{name: "an unknown authority, tls", server: &mailServer{implicit: true}, change: func(m *Mail) {
			m.Encryption, m.TLS = EncryptionTLS, nil
		}, wantErr: "certificate"},
		{name: "plain over starttls", server: &mailServer{startTLS: true, auth: "LOGIN PLAIN"}, change: func(m *Mail) {
			m.Encryption, m.User, m.Password = EncryptionStartTLS, "bot", "pw"
		}, wantSecure: true, wantLogin: "bot/pw"},
		{name: "login over tls", server: &mailServer{implicit: true, auth: "LOGIN"}, change: func(m *Mail) {
			m.Encryption, m.User, m.Password = EncryptionTLS, "bot", "pw"
		}, wantSecure: true, wantLogin: "bot/pw"},
		{name: "on this machine", server: &mailServer{auth: "PLAIN"}, change: func(m *Mail) {
			m.User, m.Password = "bot", "pw"
		}, wantLogin: "bot/pw"},
		{name: "a digest", server: &mailServer{auth: "CRAM-MD5"}, change: func(m *Mail) {
			m.User, m.Password = "bot", "pw"
		}, wantLogin: "digest of bot"},
		{name: "no login that we know", server: &mailServer{auth: "GSSAPI"}, change: func(m *Mail) {
			m.User, m.Password = "bot", "pw"
		}, wantErr: "offers none of the logins", permanent: true},
		{name: "a wrong password", server: &mailServer{auth: "PLAIN", noLogin: true}, change: func(m *Mail) {
			m.User, m.Password = "bot", "very-secret"
		}, wantErr: "535", permanent: true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := tt.server
			err := through(t, mailChannel(t, s, tt.change), addressed("one@mail.test"))
			if tt.wantErr != "" {
				require.ErrorContains(t, err, tt.wantErr)
				assert.Equal(t, tt.permanent, isPermanent(err))
				assert.NotContains(t, err.Error(), "very-secret")
				assert.Empty(t, s.got)
				return
			}
			require.NoError(t, err)
			l := <-s.got
			assert.Equal(t, tt.wantSecure, l.secure)
			assert.Equal(t, tt.wantLogin, l.login)
		})
	}
}

// TestMailKeepsItsRecipientsApart has one address that is none, one that is
// refused, one that works at the second try and one that works: nobody gets two
// mails, and nobody misses one for another's fault.
func TestMailKeepsItsRecipientsApart(t *testing.T) {
	t.Parallel()
	s := &mailServer{refuse: []string{"gone@mail.test"}, later: []string{"grey@mail.test"}}
	ch := mailChannel(t, s, nil)
	ch.Name = "mail"
	m, err := New(Config{Channels: []Channel{ch}, Location: time.UTC})
	require.NoError(t, err)
	a := addressed("not an address,gone@mail.test,grey@mail.test,good@mail.test")
	msg := newMessage(a.compact(), 0, &m.cfg)

	err = m.lanes[0].attempt(t.Context(), msg)
	require.ErrorContains(t, err, "no mail address")
	require.ErrorContains(t, err, "550")
	require.ErrorContains(t, err, "451")
	assert.False(t, isPermanent(err))
	assert.Equal(t, "good@mail.test", (<-s.got).to)

	require.NoError(t, m.lanes[0].attempt(t.Context(), msg))
	assert.Equal(t, "grey@mail.test", (<-s.got).to)
	assert.Empty(t, s.got)
}

func TestMailRefusedForGood(t *testing.T) {
	t.Parallel()
	s := &mailServer{refuse: []string{"gone@mail.test"}}
	err := through(t, mailChannel(t, s, nil), addressed("gone@mail.test"))
	require.ErrorContains(t, err, "550")
	assert.True(t, isPermanent(err))
}

// TestMailBlackHoles meets servers that accept and say nothing, say half of a
// line, talk without end, and are not there.
func TestMailBlackHoles(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		serve func(conn net.Conn)
	}{
		{name: "silent", serve: func(conn net.Conn) { _, _ = io.Copy(io.Discard, conn) }},
		{name: "half a line", serve: func(conn net.Conn) {
			_, _ = io.WriteString(conn, "220 mai")
			_, _ = io.Copy(io.Discard, conn)
		}},
		{name: "without end", serve: func(conn net.Conn) {
			chunk := strings.Repeat("220-more\r\n", 1000)
			for {
				if _, err := io.WriteString(conn, chunk); err != nil {
					return
				}
			}
		}},
		{name: "closes", serve: func(net.Conn) {}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
			require.NoError(t, err)
			var ends sync.WaitGroup
			ends.Go(func() {
				conn, err := listener.Accept()
				if err != nil {
					return
				}
				defer conn.Close()
				tt.serve(conn)
			})
			m, err := New(Config{SendTimeout: 200 * time.Millisecond, Channels: []Channel{{
				Name: "mail", Type: TypeMail, Mail: &Mail{
					Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, From: "a@mail.test", Encryption: EncryptionNone,
				},
			}}})
			require.NoError(t, err)
			begin := time.Now()
			err = m.Test(t.Context(), "mail")
			require.Error(t, err)
			assert.False(t, isPermanent(err), "%v", err)
			assert.Less(t, time.Since(begin), 30*time.Second)
			listener.Close()
			ends.Wait()
		})
	}
}

func TestMailGoesToNoMetadataService(t *testing.T) {
	t.Parallel()
	m, err := New(Config{Channels: []Channel{{
		Name: "mail", Type: TypeMail, Mail: &Mail{Host: "169.254.169.254", Port: 80, From: "a@mail.test"},
	}}})
	require.NoError(t, err)
	err = m.Test(t.Context(), "mail")
	require.ErrorIs(t, err, ErrRefusedAddress)
}

// TestMailServerThatSwallowsEverything is the fault of issue 1004: the mails
// wait, the chat does not.
func TestMailServerThatSwallowsEverything(t *testing.T) {
	t.Parallel()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	address, got := service(t, 200, "ok")
	m, err := New(Config{
		DrainLimit: time.Millisecond, Egress: Egress{AllowLoopback: true},
		Channels: []Channel{
			{Name: "mail", Type: TypeMail, Mail: &Mail{
				Host: "127.0.0.1", Port: listener.Addr().(*net.TCPAddr).Port, From: "a@mail.test", Encryption: EncryptionNone,
			}},
			{Name: "chat", Type: TypeSlack, URL: Secret(address)},
		},
	})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	var run sync.WaitGroup
	run.Go(func() { assert.NoError(t, m.Run(ctx)) })
	begin := time.Now()
	for i := range int32(10) {
		a := failure(i+1, int64(i)+1)
		a.Job.AlarmEmail = model.T("one@mail.test")
		m.Notify(a)
	}
	for range 10 {
		<-got
	}
	assert.Less(t, time.Since(begin), 30*time.Second)
	cancel()
	run.Wait()
}
