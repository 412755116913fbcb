package alarm

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEgress(t *testing.T) {
	t.Parallel()
	tests := []struct {
		address   string
		ok        bool
		loopback  bool // allowed once loopback is
		linkLocal bool // allowed once link-local is
	}{
		{address: "93.184.216.34:443", ok: true},
		{address: "10.1.2.3:80", ok: true},
		{address: "192.168.0.1:80", ok: true},
		{address: "[2001:db8::1]:443", ok: true},
		{address: "[fd12::1]:443", ok: true},
		{address: "100.64.0.1:443", ok: true},
		{address: "127.0.0.1:80", loopback: true},
		{address: "127.8.8.8:80", loopback: true},
		{address: "[::1]:80", loopback: true},
		{address: "[::ffff:127.0.0.1]:80", loopback: true},
		{address: "[64:ff9b::7f00:1]:80", loopback: true},
		{address: "[2002:7f00:1::]:80", loopback: true},
		{address: "[::127.0.0.1]:80", loopback: true},
		{address: "169.254.169.254:80", linkLocal: true},
		{address: "169.254.0.1:80", linkLocal: true},
		{address: "[fe80::1%eth0]:80", linkLocal: true},
		{address: "[::ffff:169.254.169.254]:80", linkLocal: true},
		{address: "[64:ff9b::a9fe:a9fe]:80", linkLocal: true},
		{address: "[2002:a9fe:a9fe::1]:80", linkLocal: true},
		{address: "[fd00:ec2::254]:80", linkLocal: true},
		{address: "100.100.100.200:80", linkLocal: true},
		{address: "168.63.129.16:80", linkLocal: true},
		{address: "0.0.0.0:80"},
		{address: "[::]:80"},
		{address: "224.0.0.1:80"},
		{address: "[ff02::1]:80"},
		{address: "255.255.255.255:80"},
		{address: "localhost:80"},
		{address: "169.254.169.254"},
	}
	for _, tt := range tests {
		t.Run(tt.address, func(t *testing.T) {
			t.Parallel()
			check := func(e Egress, want bool) {
				err := e.check(tt.address)
				if !want {
					require.ErrorIs(t, err, ErrRefusedAddress)
					return
				}
				assert.NoError(t, err)
			}
			check(Egress{}, tt.ok)
			check(Egress{AllowLoopback: true}, tt.ok || tt.loopback)
			check(Egress{AllowLinkLocal: true}, tt.ok || tt.linkLocal)
		})
	}
}

func FuzzEgress(f *testing.F) {
	f.Add("127.0.0.1:80")
	f.Add("[64:ff9b::a9fe:a9fe]:80")
	f.Fuzz(func(t *testing.T, address string) {
		strict, loose := Egress{}.check(address), Egress{AllowLoopback: true, AllowLinkLocal: true}.check(address)
		if strict == nil {
			assert.NoError(t, loose)
		}
	})
}
