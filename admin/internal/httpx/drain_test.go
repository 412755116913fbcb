package httpx

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/model"
)

// endless hides the length of a body, so that it goes out in chunks.
type endless struct{ io.Reader }

// TestRefusedBodyIsAnswered: a client that writes much more than is taken gets
// the answer and no broken pipe, whether it announces the length or not.
func TestRefusedBodyIsAnswered(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	quiet := slog.New(slog.DiscardHandler)
	mux.Handle("/json", Adapt(func(w http.ResponseWriter, r *http.Request) error {
		_, err := ReadBody(w, r, 1<<10)
		return err
	}, RenderJSON, quiet))
	mux.Handle("/form", Adapt(func(w http.ResponseWriter, r *http.Request) error {
		return ParseForm(w, r, 1<<10)
	}, RenderJSON, quiet))
	mux.Handle("/stranger", Adapt(func(w http.ResponseWriter, r *http.Request) error {
		Drain(w, r)
		return &Error{Status: http.StatusUnauthorized}
	}, RenderJSON, quiet))
	server := httptest.NewServer(mux)
	defer server.Close()
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport}
	body := bytes.Repeat([]byte("a=b&"), 2<<20)
	for path, want := range map[string]int{
		"/json": http.StatusRequestEntityTooLarge, "/form": http.StatusRequestEntityTooLarge,
		"/stranger": http.StatusUnauthorized,
	} {
		for range 10 {
			res, err := writeFirst(t, server.URL, path, body)
			require.NoError(t, err, path)
			assert.Equal(t, want, res.StatusCode)
			require.NoError(t, res.Body.Close())
			for _, content := range []io.Reader{bytes.NewReader(body), endless{bytes.NewReader(body)}} {
				r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+path, content)
				require.NoError(t, err)
				r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
				res, err := client.Do(r)
				require.NoError(t, err, path)
				text, err := io.ReadAll(res.Body)
				require.NoError(t, err, path)
				require.NoError(t, res.Body.Close())
				assert.Equal(t, want, res.StatusCode, "%s", text)
				assert.Contains(t, string(text), `"msg"`)
			}
		}
	}
}

// writeFirst sends a request as simple clients do: all of it, then it reads.
func writeFirst(t *testing.T, server, path string, body []byte) (*http.Response, error) {
	t.Helper()
	address := strings.TrimPrefix(server, "http://")
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { conn.Close() })
	head := "POST " + path + " HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\n" +
		"Content-Length: " + strconv.Itoa(len(body)) + "\r\n\r\n"
	if _, err := conn.Write(append([]byte(head), body...)); err != nil {
		return nil, err
	}
	return http.ReadResponse(bufio.NewReader(conn), nil)
}

// TestDrainIsBounded: no more is read than is said, and nothing of who waits to
// be told.
func TestDrainIsBounded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		length int64
		expect string
		want   int64
	}{
		"announced":           {length: 1 << 20, want: 1 << 20},
		"in chunks":           {length: -1, want: drainMost},
		"announced, too much": {length: drainMost + 1},
		"waits to be told":    {length: 1 << 20, expect: "100-continue"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			most := tt.length
			if most < 0 {
				most = 2 * drainMost
			}
			rest := &io.LimitedReader{R: zeros{}, N: most}
			r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/", rest)
			r.ContentLength = tt.length
			r.Header.Set("Expect", tt.expect)
			Drain(httptest.NewRecorder(), r)
			assert.Equal(t, tt.want, most-rest.N)
		})
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// TestAuditFileIsStreamed: the first records have arrived before the next ones
// are read.
func TestAuditFileIsStreamed(t *testing.T) {
	t.Parallel()
	for _, format := range []string{FormatNDJSON, FormatCSV} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
			defer cancel()
			arrived := make(chan struct{})
			f := AuditFile{
				Format: format, Zone: time.UTC, Failed: func(error) {},
				Next: func(before int64) ([]model.Audit, error) {
					switch before {
					case 0:
						return []model.Audit{{ID: 2, User: "anna", Detail: "the first"}}, nil
					case 2:
						select {
						case <-arrived:
						case <-ctx.Done():
							return nil, errors.New("nothing arrived")
						}
						return []model.Audit{{ID: 1, Detail: "the last"}}, nil
					}
					return nil, nil
				},
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				assert.NoError(t, f.Serve(&recorder{ResponseWriter: w})) // as behind Observe
			}))
			defer server.Close()
			r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL, http.NoBody)
			require.NoError(t, err)
			res, err := server.Client().Do(r)
			require.NoError(t, err)
			defer res.Body.Close()
			var got strings.Builder
			part := make([]byte, 512)
			for !strings.Contains(got.String(), "the first") {
				n, err := res.Body.Read(part)
				got.Write(part[:n])
				require.NoError(t, err)
			}
			close(arrived)
			rest, err := io.ReadAll(res.Body)
			require.NoError(t, err)
			assert.Contains(t, string(rest), "the last")
			if format == FormatNDJSON {
				var a AuditRecord
				require.NoError(t, json.Unmarshal([]byte(got.String()), &a))
				assert.Equal(t, int64(2), a.ID)
			}
		})
	}
}
