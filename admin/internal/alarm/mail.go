package alarm

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"html"
	"net"
	"net/textproto"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/wneessen/go-mail"
)

// maxServerBytes bounds what is read of a mail server in one connection.
const maxServerBytes = 1 << 20

// mailer sends one mail to each address. It is safe for concurrent use.
type mailer struct {
	cfg    Mail
	dialer *net.Dialer
	limit  time.Duration // of one connection
}

// recipients returns the distinct addresses that an alarm goes to: those of the
// job, then those of the channel.
func (s *mailer) recipients(a *Alarm) []string {
	var list []string
	add := func(address string) {
		if address = strings.TrimSpace(address); address != "" && !slices.Contains(list, address) {
			list = append(list, address)
		}
	}
	if a.Kind != Test {
		for address := range strings.SplitSeq(a.Job.AlarmEmail.S, ",") {
			add(address)
		}
	}
	for _, address := range s.cfg.To {
		add(address)
	}
	if a.Kind == Test && len(list) == 0 {
		add(s.cfg.From)
	}
	return list
}

// letter is a mail and its one recipient.
type letter struct {
	to  string
	msg *mail.Msg
}

// send mails the message to every recipient that does not have it yet. One
// address that is refused does not keep the others from theirs.
func (s *mailer) send(ctx context.Context, m *message) error {
	var faults []error
	var letters []letter
	for _, address := range s.recipients(m.alarm) {
		if m.delivered[address] {
			continue
		}
		msg, err := s.compose(m, address)
		if err != nil {
			m.delivered[address] = true // never to be tried again
			faults = append(faults, err)
			continue
		}
		letters = append(letters, letter{to: address, msg: msg})
	}
	final := true // nothing could go better next time
	if len(letters) > 0 {
		err := s.deliver(ctx, letters)
		open, refused := settle(m, letters)
		final = open == 0 || refusedForGood(err)
		if open+refused > 0 {
			faults = append(faults, mailError(s.cfg.Host, err))
		}
	}
	err := errors.Join(faults...)
	if err != nil && final {
		return permanent(err)
	}
	return err
}

// settle notes who has the mail, or never will, and counts who may get it yet
// and who was refused for good.
func settle(m *message, letters []letter) (open, refused int) {
	for _, l := range letters {
		var answer *mail.SendError
		switch {
		case l.msg.IsDelivered():
			m.delivered[l.to] = true
		case errors.As(l.msg.SendError(), &answer) && answer.ErrorCode()/100 == 5:
			m.delivered[l.to] = true
			refused++
		default:
			open++
		}
	}
	return open, refused
}

// refusedForGood reports whether the server refused the whole connection, a
// wrong password for one, in words that a repetition does not change.
func refusedForGood(err error) bool {
	var reply *textproto.Error
	return errors.As(err, &reply) && reply.Code/100 == 5 || errors.Is(err, errNoAuth) ||
		errors.Is(err, ErrRefusedAddress)
}

func mailError(host string, err error) error {
	if err == nil {
		err = errors.New("not every mail was taken")
	}
	return fmt.Errorf("mail through %s: %w", host, err)
}

// deliver sends the mails through one connection, which ends with ctx and in
// any case before deliver returns.
func (s *mailer) deliver(ctx context.Context, letters []letter) error {
	var opened net.Conn
	defer func() {
		if opened != nil {
			_ = opened.Close() // the library leaves it open when a login fails
		}
	}()
	dial := func(limited context.Context, network, address string) (net.Conn, error) {
		conn, err := s.dialer.DialContext(limited, network, address)
		if err != nil {
			return nil, err
		}
		opened = newBoundConn(ctx, conn)
		if s.cfg.Encryption != EncryptionTLS {
			return opened, nil
		}
		secured := tls.Client(opened, s.tls())
		return secured, secured.HandshakeContext(limited)
	}
	client, err := mail.NewClient(s.cfg.Host, s.options(dial)...)
	if err != nil {
		return err
	}
	mails := make([]*mail.Msg, len(letters))
	for i, l := range letters {
		mails[i] = l.msg
	}
	return client.DialAndSendWithContext(ctx, mails...)
}

func (s *mailer) tls() *tls.Config {
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if s.cfg.TLS != nil {
		cfg = s.cfg.TLS.Clone()
	}
	if cfg.ServerName == "" {
		cfg.ServerName = s.cfg.Host
	}
	return cfg
}

func (s *mailer) options(dial mail.DialContextFunc) []mail.Option {
	options := []mail.Option{
		mail.WithPort(s.cfg.port()), mail.WithTimeout(s.limit), mail.WithTLSConfig(s.tls()),
		mail.WithDialContextFunc(dial), mail.WithoutNoop(),
	}
	switch s.cfg.Encryption {
	case EncryptionTLS:
		options = append(options, mail.WithSSL())
	case EncryptionNone:
		options = append(options, mail.WithTLSPolicy(mail.NoTLS))
	default:
		options = append(options, mail.WithTLSPolicy(mail.TLSMandatory))
	}
	if s.cfg.User != "" {
		options = append(options, mail.WithSMTPAuthCustom(&autoAuth{
			user: s.cfg.User, password: s.cfg.Password.Reveal(), host: s.cfg.Host, clear: s.cfg.AllowClearPassword,
		}))
	}
	return options
}

// compose builds the HTML mail of admin.md 5.5 for one address, with a part of
// plain text beside it. Its errors are final: the address is none.
func (s *mailer) compose(m *message, to string) (*mail.Msg, error) {
	msg := mail.NewMsg()
	name := s.cfg.FromName
	if name == "" {
		name = m.texts(textAdmin)
	}
	if err := msg.FromFormat(oneLine(name), s.cfg.From); err != nil {
		return nil, fmt.Errorf("sender %q: %w", s.cfg.From, err)
	}
	if err := msg.To(to); err != nil {
		return nil, fmt.Errorf("recipient %q is no mail address: %w", cut(to, 80), err)
	}
	msg.Subject(m.subject)
	msg.SetDateWithValue(time.Now())
	msg.SetMessageID()
	msg.SetGenHeader("Auto-Submitted", "auto-generated")
	msg.SetBodyString(mail.TypeTextPlain, m.title+"\n\n"+m.text(0)+"\n")
	msg.AddAlternativeString(mail.TypeTextHTML, mailBody(m))
	return msg, nil
}

// mailBody is the heading and the table of the Java mail, with a link and why the run
// was not sent between them, and a line for each count below the content.
func mailBody(m *message) string {
	var b strings.Builder
	b.WriteString("<h4>" + html.EscapeString(m.texts(textDetail)) + ":</h4>\n")
	if m.link != "" {
		open, text := html.EscapeString(m.link), html.EscapeString(m.texts(textLink))
		b.WriteString(`<p><a href="` + open + `"><b>` + text + "</b></a><br>" + open + "</p>\n")
	}
	if m.reason != "" {
		b.WriteString("<p>" + html.EscapeString(inOrder(m.reason)) + "</p>\n")
	}
	b.WriteString(
		`<table border="1" cellpadding="4" style="border-collapse:collapse;width:80%">` + "\n<tr>")
	for _, key := range []string{textGroup, textJobID, textJobName, textAlarmTitle, textAlarmContent} {
		b.WriteString("<th>" + html.EscapeString(m.texts(key)) + "</th>")
	}
	b.WriteString("</tr>\n<tr>")
	for _, value := range []string{
		oneLine(m.alarm.Group), strconv.Itoa(int(m.alarm.Job.ID)), oneLine(m.alarm.Job.Name), m.typeText(),
		inOrder(mailContent(m)),
	} {
		b.WriteString("<td>" + strings.ReplaceAll(html.EscapeString(value), "\n", "<br>") + "</td>")
	}
	b.WriteString("</tr>\n</table>\n")
	return b.String()
}

func mailContent(m *message) string {
	var b strings.Builder
	b.WriteString(m.content)
	for _, l := range m.counts {
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(l.label + ": " + l.value)
	}
	return b.String()
}

// boundConn is a connection that is closed when its context ends, and gives up a
// server that talks without end: the mail library knows limits for single steps
// only.
type boundConn struct {
	net.Conn
	release func() bool
	left    int // bytes that may still be read; the reader's own
}

func newBoundConn(ctx context.Context, conn net.Conn) *boundConn {
	return &boundConn{
		Conn: conn, left: maxServerBytes,
		release: context.AfterFunc(ctx, func() { _ = conn.Close() }),
	}
}

// Read reads until the server has said too much.
func (c *boundConn) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, errors.New("the mail server says more than a mail server says")
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// Close closes the connection and lets go of the context.
func (c *boundConn) Close() error {
	c.release()
	return c.Conn.Close()
}
