package execclient

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		give             string
		dial, host, base string
		tls              bool
	}{
		{give: "http://10.0.0.5:9999/", dial: "10.0.0.5:9999", host: "10.0.0.5:9999"},
		{give: " http://10.0.0.5:9999", dial: "10.0.0.5:9999", host: "10.0.0.5:9999"},
		{give: "HTTP://host", dial: "host:80", host: "host"},
		{give: "https://host/", dial: "host:443", host: "host", tls: true},
		{give: "http://host:81/executor/a b/", dial: "host:81", host: "host:81", base: "/executor/a%20b"},
		{give: "http://[::1]:9999/", dial: "[::1]:9999", host: "[::1]:9999"},
		{give: "http://[fe80::1%25eth0]:9999/", dial: "[fe80::1%eth0]:9999", host: "[fe80::1]:9999"},
		{give: "http://[fe80::1%25eth0]/", dial: "[fe80::1%eth0]:80", host: "[fe80::1]"},
	}
	for _, tt := range tests {
		ep, err := parseAddress(laneKey(tt.give))
		require.NoError(t, err, tt.give)
		assert.Equal(t, []any{tt.dial, tt.host, tt.base, tt.tls}, []any{ep.dial, ep.host, ep.base, ep.tls}, tt.give)
	}
	for _, give := range []string{
		"", "null", "10.0.0.5:9999", "ftp://host/", "http://", "http://:80", "http://u:p@host/", "http://host/?a=b",
		"http://host/?", "http://host/#a", "http://host:0/", "http://host:99999/", "http://höst/", "http://ho st/",
		"http://host\r\nX: y/", "file:///etc/passwd", "http://host:abc/",
	} {
		_, err := parseAddress(laneKey(give))
		require.ErrorIs(t, err, ErrAddress, give)
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, seed := range []string{
		"http://10.0.0.5:9999/", "https://[::1%25a]:1/b c", "http://a/\r\n", "//", "http://a%0d%0ab/", "https://]",
	} {
		f.Add(seed)
	}
	client, err := New(Config{})
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(client.Close)
	f.Fuzz(func(t *testing.T, address string) {
		ep, err := parseAddress(laneKey(address))
		if err != nil {
			return
		}
		if _, port, err := net.SplitHostPort(ep.dial); err != nil || port == "" {
			t.Errorf("parseAddress(%q) dials %q", address, ep.dial)
		}
		call := client.newCall(Target{Address: address, AppName: "a"}, "", []byte("{}"))
		head := string(call.request)
		if strings.Count(head, "\r\n") != 10 || strings.Count(head, "\n") != 10 {
			t.Errorf("address %q makes the request %q", address, head)
		}
		line, _, _ := strings.Cut(head, "\r\n")
		if strings.Count(line, " ") != 2 {
			t.Errorf("address %q makes the request line %q", address, line)
		}
	})
}

func TestRefuseMetadata(t *testing.T) {
	t.Parallel()
	for _, ip := range []string{
		"169.254.169.254", "::ffff:169.254.169.254", "fe80::1", "fe80::1%eth0", "0.0.0.0", "::", "224.0.0.1", "ff02::1",
		"100.100.100.200", "168.63.129.16", "fd00:ec2::254", "192.0.0.192",
	} {
		require.ErrorIs(t, RefuseMetadata(netip.MustParseAddr(ip)), ErrAddress, ip)
	}
	for _, ip := range []string{"127.0.0.1", "::1", "10.0.0.1", "192.168.1.1", "fd00::1", "8.8.8.8"} {
		require.NoError(t, RefuseMetadata(netip.MustParseAddr(ip)), ip)
	}
}

// TestCheckIPAfterResolving: a name is judged by what it resolved to.
func TestCheckIPAfterResolving(t *testing.T) {
	t.Parallel()
	var got recorder
	address := executor(t, answering(func(p *peer, s seen) { got.add(s); p.ok(success) }))
	address = strings.Replace(address, "127.0.0.1", "localhost", 1)
	client := newClient(t, Config{CheckIP: func(ip netip.Addr) error {
		if ip.Unmap().IsLoopback() {
			return fmt.Errorf("%w: no loopback here", ErrAddress)
		}
		return nil
	}})
	r := trigger(client, Target{Address: address}, 1)
	assert.Equal(t, NotSent, r.Kind)
	assert.Contains(t, r.Msg, "no loopback here")
	assert.Empty(t, got.all())
}

func TestReason(t *testing.T) {
	t.Parallel()
	op := func(name string, err error) error { return &net.OpError{Op: name, Net: "tcp", Err: err} }
	tests := []struct {
		give error
		want string
	}{
		{op("dial", syscall.ECONNREFUSED), "Connection refused"},
		{op("dial", context.DeadlineExceeded), "Connect timed out"},
		{op("read", context.DeadlineExceeded), "Read timed out"},
		{op("dial", syscall.EHOSTUNREACH), "No route to host"},
		{op("dial", syscall.ENETUNREACH), "Network is unreachable"},
		{op("write", syscall.EPIPE), "Connection reset"},
		{op("dial", &net.DNSError{Name: "nohost", IsTimeout: true}), "unknown host nohost"},
		{io.ErrUnexpectedEOF, "Unexpected end of file from server"},
		{fmt.Errorf("%w: no", ErrAddress), "address: no"},
		{ErrClosed, "the client is closed"},
		{errors.New("bad \xff text"), "bad \uFFFD text"},
	}
	for _, tt := range tests {
		assert.Equal(t, tt.want, reason(tt.give))
	}
}

// TestQueue compares the queue with a slice.
func TestQueue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var q queue
		var model []*Call
		t.Repeat(map[string]func(*rapid.T){
			"push":      func(*rapid.T) { c := new(Call); q.push(c); model = append(model, c) },
			"pushFront": func(*rapid.T) { c := new(Call); q.pushFront(c); model = append([]*Call{c}, model...) },
			"pop": func(t *rapid.T) {
				var want *Call
				if len(model) > 0 {
					want, model = model[0], model[1:]
				}
				if got := q.pop(); got != want {
					t.Fatalf("pop = %p, want %p", got, want)
				}
			},
			"remove": func(t *rapid.T) {
				if len(model) == 0 {
					if q.remove(new(Call)) {
						t.Fatal("removed what was not there")
					}
					return
				}
				i := rapid.IntRange(0, len(model)-1).Draw(t, "i")
				if !q.remove(model[i]) {
					t.Fatal("not removed")
				}
				model = append(model[:i:i], model[i+1:]...)
			},
			"": func(t *rapid.T) {
				if q.len() != len(model) {
					t.Fatalf("len = %d, want %d", q.len(), len(model))
				}
				for i, c := range model {
					if *q.at(i) != c {
						t.Fatalf("place %d differs", i)
					}
				}
			},
		})
		if got := q.drain(); len(got) != len(model) || q.len() != 0 {
			t.Fatalf("drain = %d calls, want %d", len(got), len(model))
		}
	})
}
