package execclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"math/big"
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// certificate returns one for 127.0.0.1, and who vouches for it.
func certificate(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	require.NoError(t, err)
	parsed, err := x509.ParseCertificate(der)
	require.NoError(t, err)
	pool := x509.NewCertPool()
	pool.AddCert(parsed)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

func TestTLS(t *testing.T) {
	t.Parallel()
	cert, pool := certificate(t)
	var requests atomic.Int64
	var turn atomic.Pointer[func(p *peer)]
	finish, finished := make(barrier), make(barrier)
	ln := tls.NewListener(listenLoopback(t), &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12})
	script(t, ln, func(p *peer) {
		for {
			if _, ok := p.next(); !ok {
				return
			}
			requests.Add(1)
			end := turn.Load() // before the answer lets the test go on
			p.ok(success)
			if end != nil {
				finish.meet(t.Context())
				(*end)(p)
				finished.meet(t.Context())
			}
		}
	})
	target := Target{Address: "https://" + ln.Addr().String() + "/"}

	r := trigger(newClient(t, Config{}), target, 1)
	assert.Equal(t, NotSent, r.Kind)
	assert.Contains(t, r.Msg, "certificate")
	assert.Zero(t, requests.Load())

	for _, cfg := range []*tls.Config{{RootCAs: pool}, {InsecureSkipVerify: true}} { //nolint:gosec // what Java does
		client := newClient(t, Config{TLS: cfg})
		for id := range int64(20) { // the first ones meet the session tickets
			require.Equal(t, Accepted, trigger(client, target, id).Kind)
		}
		// A connection that is on its way from its last call does not count as free.
		assert.LessOrEqual(t, client.Stats()[laneKey(target.Address)].Conns, 2)
	}

	// A connection that the executor closes is seen in time, with TLS's farewell
	// and without.
	for _, end := range []func(p *peer){
		func(p *peer) { _ = p.Close() },
		func(p *peer) { _ = p.Conn.(*tls.Conn).NetConn().Close() },
	} {
		turn.Store(&end)
		client := newClient(t, Config{TLS: &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}})
		before := requests.Load()
		for id := range int64(50) {
			r := trigger(client, target, id)
			require.Equal(t, Accepted, r.Kind, "%+v", r)
			finish.meet(t.Context())
			finished.meet(t.Context())
		}
		assert.Equal(t, before+50, requests.Load())
	}
}
