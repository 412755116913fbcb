// Package link makes addresses of the console's pages that are opened from
// elsewhere: from a mail, a chat or a terminal.
package link

import (
	"errors"
	"net/url"
	"path"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// maxBase bounds a public address, so that links fit into every message.
const maxBase = 200

// Base is the address under which people open the console, without a slash at
// its end. "" is not known: then there are no links. Parse makes one.
type Base string

// Parse reads a public address such as https://jobs.example.com/xxl-job-admin;
// "" is "". Its errors say what is wrong and do not quote the address, which may
// hold what is secret.
func Parse(raw string) (Base, error) {
	if raw == "" {
		return "", nil
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil:
		return "", errors.New("is no URL such as https://jobs.example.com/xxl-job-admin")
	case u.Scheme != "http" && u.Scheme != "https":
		return "", errors.New("must begin with http:// or https://")
	case u.User != nil:
		return "", errors.New("holds a user or a password: everybody who gets an alarm would read them")
	case !hostLike(u.Hostname()) || !portLike(u):
		return "", errors.New("names no host that a browser could open")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "" || strings.HasSuffix(raw, "#"):
		return "", errors.New("has a query or a fragment: only a path may follow the host")
	case len(raw) > maxBase:
		return "", errors.New("is longer than " + strconv.Itoa(maxBase) + " characters")
	}
	way := strings.TrimRight(u.EscapedPath(), "/")
	if !pathLike(way) {
		return "", errors.New("has a path that is more than names with slashes between them")
	}
	return Base(u.Scheme + "://" + strings.ToLower(u.Host) + way), nil
}

// hostLike reports whether the host is a name or an address, and nothing that
// could end a link early in a message.
func hostLike(host string) bool {
	return host != "" && !strings.ContainsFunc(host, func(r rune) bool {
		return !plain(r) && r != ':' // of IPv6
	})
}

func portLike(u *url.URL) bool {
	if u.Port() == "" {
		return !strings.HasSuffix(u.Host, ":")
	}
	n, err := strconv.ParseUint(u.Port(), 10, 16)
	return err == nil && n > 0
}

func pathLike(way string) bool {
	return way == "" || path.Clean(way) == way && !strings.ContainsFunc(way, func(r rune) bool {
		return !plain(r) && r != '/'
	})
}

// plain reports whether a character means nothing in HTML, Markdown and URLs.
func plain(r rune) bool {
	return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-._~", r)
}

// To returns the address of a page by its path behind the prefix; "" without a
// base or a path.
func (b Base) To(page string) string {
	if b == "" || page == "" {
		return ""
	}
	return string(b) + page
}

// Alarm returns the address of the page that an alarm is about, see [Alarm].
func (b Base) Alarm(k model.AlarmKey, run int64) string { return b.To(Alarm(k, run)) }

// Alarm returns the path of the page that an alarm is about: the failing line in
// the log of a run that failed, a run that is late or takes long, else the job or
// the executor. The zero key, a test, leads to the alarms.
func Alarm(k model.AlarmKey, run int64) string {
	switch id := strconv.Itoa(int(k.ObjectID)); {
	case k.What == model.AlarmOnFailure && run > 0:
		return Failure(run)
	case run > 0:
		return "/runs/" + strconv.FormatInt(run, 10)
	case k.Kind == model.ChangeGroup:
		return "/executors/" + id
	case k.Kind == model.ChangeJob:
		return "/jobs/" + id
	}
	return "/alarms"
}

// Failure returns the path of a run's page, opened at the failing line of its
// log.
func Failure(run int64) string { return "/runs/" + strconv.FormatInt(run, 10) + "?at=fail" }
