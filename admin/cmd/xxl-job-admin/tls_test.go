package main

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob"
	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// writePair makes a certificate for 127.0.0.1 that signs itself.
func writePair(t *testing.T, certFile, keyFile string, serial int64) *x509.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	require.NoError(t, err)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "admin"}, IsCA: true, BasicConstraintsValid: true,
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	require.NoError(t, err)
	secret, err := x509.MarshalECPrivateKey(key)
	require.NoError(t, err)
	for name, block := range map[string]*pem.Block{
		certFile: {Type: "CERTIFICATE", Bytes: raw}, keyFile: {Type: "EC PRIVATE KEY", Bytes: secret},
	} {
		require.NoError(t, os.WriteFile(name, pem.EncodeToMemory(block), 0o600))
	}
	cert, err := x509.ParseCertificate(raw)
	require.NoError(t, err)
	return cert
}

// TestTLS: a browser logs in and an executor of ours registers over TLS.
func TestTLS(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cert := writePair(t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), 7)
	p := start(t, dir, nil, "--listen", "127.0.0.1:0", "--tls-cert", "cert.pem", "--tls-key", "key.pem",
		"--access-token", "a-token-of-ours", "--admin-password", "sesame-open")
	addr := p.wait(t, listening)[1]
	p.wait(t, `"msg":"admin ready"`)

	roots := x509.NewCertPool()
	roots.AddCert(cert)
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	browser := &http.Client{Transport: transport, Jar: jar, Timeout: startLimit}
	form := url.Values{"userName": {"admin"}, "password": {"sesame-open"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+addr+"/login", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", "https://"+addr)
	res, err := browser.Do(req)
	require.NoError(t, err)
	require.NoError(t, res.Body.Close())
	assert.Equal(t, http.StatusOK, res.StatusCode)
	assert.Equal(t, 2, res.ProtoMajor)
	require.NotEmpty(t, res.Cookies())
	for _, c := range res.Cookies() {
		assert.True(t, c.Secure, c.Name)
	}
	status, _ := get(t, "http://"+addr+"/healthz")
	assert.Equal(t, http.StatusBadRequest, status, "plain HTTP gets nothing")

	ln, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	exec, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs: []string{"https://" + addr}, AppName: "over-tls", AccessToken: "a-token-of-ours", Listener: ln,
		AdminTLS: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}, LogPath: filepath.Join(dir, "logs"),
	})
	require.NoError(t, err)
	require.NoError(t, exec.Register("demo", func(context.Context, *xxljob.Run) error { return nil }))
	running, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- exec.Run(running) }()
	assert.Eventually(t, func() bool { return !exec.Stats().LastBeat.IsZero() }, startLimit, 20*time.Millisecond)
	cancel()
	require.NoError(t, <-ended)
	code, _ := p.end(t, syscall.SIGTERM)
	assert.Equal(t, cli.ExitOK, code)
}

// TestCertificateIsReadAgain: a renewed one is served without a restart, and
// half of one is not.
func TestCertificateIsReadAgain(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	certFile, keyFile := filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem")
	writePair(t, certFile, keyFile, 1)
	var logged bytes.Buffer
	c, err := (&tlsFlags{Cert: certFile, Key: keyFile}).certificate(slog.New(slog.NewTextHandler(&logged, nil)))
	require.NoError(t, err)
	now := time.Now()
	c.now = func() time.Time { return now }
	serial := func() int64 { return c.current(t.Context()).Leaf.SerialNumber.Int64() }
	assert.EqualValues(t, 1, serial())

	writePair(t, certFile, keyFile, 2)
	touch := func(d time.Duration, names ...string) {
		for _, name := range names {
			require.NoError(t, os.Chtimes(name, time.Time{}, now.Add(d)))
		}
	}
	touch(time.Minute, certFile, keyFile)
	assert.EqualValues(t, 1, serial(), "looked at a moment ago")
	now = now.Add(certificateEvery)
	assert.EqualValues(t, 2, serial())
	assert.Contains(t, logged.String(), "certificate changed")

	require.NoError(t, os.WriteFile(certFile, []byte("half of o"), 0o600))
	touch(2*time.Minute, certFile)
	for range 3 {
		now = now.Add(certificateEvery)
		assert.EqualValues(t, 2, serial())
	}
	assert.Equal(t, 1, strings.Count(logged.String(), "refused"), "told once")
	writePair(t, certFile, keyFile, 3)
	touch(3*time.Minute, certFile, keyFile)
	now = now.Add(certificateEvery)
	assert.EqualValues(t, 3, serial())
	require.NoError(t, os.Remove(keyFile))
	now = now.Add(certificateEvery)
	assert.EqualValues(t, 3, serial())
}

func TestTLSFlagsRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writePair(t, filepath.Join(dir, "cert.pem"), filepath.Join(dir, "key.pem"), 1)
	writePair(t, filepath.Join(dir, "other.pem"), filepath.Join(dir, "other-key.pem"), 2)
	for want, args := range map[string][]string{
		"--tls-cert needs --tls-key": {"--tls-cert", "cert.pem"},
		"--tls-key needs --tls-cert": {"--tls-key", "key.pem"},
		"no such file":               {"--tls-cert", "cert.pem", "--tls-key", "none.pem"},
		"does not match":             {"--tls-cert", "cert.pem", "--tls-key", "other-key.pem"},
	} {
		p := start(t, dir, nil, append([]string{"--listen", "127.0.0.1:0"}, args...)...)
		assert.Equal(t, cli.ExitUsage, p.exit(t), want)
		text, _ := p.text()
		assert.Contains(t, text, want)
		assert.NoDirExists(t, filepath.Join(dir, defaultDataDir))
	}
}
