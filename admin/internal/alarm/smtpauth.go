package alarm

import (
	"errors"
	"net"
	"slices"
	"strings"

	"github.com/wneessen/go-mail/smtp"
)

// errNoAuth is the error of a mail server with which no login is possible.
var errNoAuth = errors.New("the mail server offers none of the logins PLAIN, LOGIN, CRAM-MD5 and SCRAM-SHA-256")

// autoAuth logs in with what the server offers. Without encryption the password
// itself goes only where clear is set, or to this machine.
type autoAuth struct {
	user, password, host string
	clear                bool
	chosen               smtp.Auth
}

// Start chooses the mechanism.
func (a *autoAuth) Start(server *smtp.ServerInfo) (string, []byte, error) {
	offers := func(name string) bool {
		return slices.ContainsFunc(server.Auth, func(offer string) bool { return strings.EqualFold(offer, name) })
	}
	open := server.TLS || a.clear || isLocal(a.host) // the password may be sent as it is
	switch {
	case offers("SCRAM-SHA-256"):
		a.chosen = smtp.ScramSHA256Auth(a.user, a.password)
	case open && offers("PLAIN"):
		a.chosen = smtp.PlainAuth("", a.user, a.password, a.host, true)
	case open && offers("LOGIN"):
		a.chosen = smtp.LoginAuth(a.user, a.password, a.host, true)
	case offers("CRAM-MD5"):
		a.chosen = smtp.CRAMMD5Auth(a.user, a.password)
	default:
		return "", nil, errNoAuth
	}
	return a.chosen.Start(server)
}

// Next answers the server's challenge.
func (a *autoAuth) Next(challenge []byte, more bool) ([]byte, error) {
	return a.chosen.Next(challenge, more)
}

// isLocal reports whether host is this machine.
func isLocal(host string) bool {
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}
