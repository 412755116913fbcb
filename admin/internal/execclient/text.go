package execclient

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"
	"unicode/utf8"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// maxQuote is how much of an answer that makes no sense is shown.
const maxQuote = 200

// failText is the text for a call without an answer (wire.md 1.7, since 3.3.0).
func failText(url string, err error) string {
	return "Http Request Error (" + reason(err) + "). for url : " + url
}

// statusText is the text for an answer with another status than 200.
func statusText(url string, status int) string {
	return "Http Request fail, statusCode(" + strconv.Itoa(status) + ") for url : " + url
}

// answerText is the text for an answer that is not an executor's.
func answerText(url string, body []byte) string {
	quote := wire.PrefixUTF16(strings.ToValidUTF8(string(body[:min(len(body), 4*maxQuote)]), "\uFFFD"), maxQuote)
	return "Http Request Error (response content invalid: " + quote + "). for url : " + url
}

// reason is what Java's network classes call an error, where they have a word
// for it.
func reason(err error) string {
	var dns *net.DNSError
	var op *net.OpError
	dialling := errors.As(err, &op) && op.Op == "dial"
	switch {
	case errors.Is(err, ErrAddress):
		return strings.TrimPrefix(inner(err), "execclient: ")
	case errors.As(err, &dns):
		return "unknown host " + dns.Name
	case isTimeout(err) && dialling:
		return "Connect timed out"
	case isTimeout(err):
		return "Read timed out"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "Connection refused"
	case errors.Is(err, syscall.EHOSTUNREACH):
		return "No route to host"
	case errors.Is(err, syscall.ENETUNREACH):
		return "Network is unreachable"
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE):
		return "Connection reset"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "Unexpected end of file from server"
	default:
		return strings.ToValidUTF8(strings.TrimPrefix(err.Error(), "execclient: "), string(utf8.RuneError))
	}
}

// inner is the text of an error without what the dialer put in front of it.
func inner(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.As(err, &ne) && ne.Timeout()
}
