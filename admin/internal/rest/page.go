package rest

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/httpx"
	"github.com/xxljob-go/xxljob/admin/internal/model"
)

const (
	defaultLimit = 50
	maxLimit     = 200
	maxCursor    = 2048
	checksum     = 8
)

// mark is a place in a list. Each list uses what its order needs.
type mark struct {
	ID     int64  `json:"i,omitempty"`
	Text   string `json:"t,omitempty"`
	More   string `json:"m,omitempty"`
	Number int64  `json:"n,omitempty"`
}

// place is the mark of an order; nil is its start.
func (m *mark) place() *model.Mark {
	if m == nil {
		return nil
	}
	return &model.Mark{ID: m.ID, Text: m.Text, Number: m.Number}
}

func markOf(m model.Mark) mark { return mark{ID: m.ID, Text: m.Text, Number: m.Number} }

// order reads the order of a list that can be sorted by names, each also with a
// minus, and goes on behind m.
func (c *call) order(m *mark, names ...string) (model.Order, error) {
	var values []string
	for _, name := range names {
		values = append(values, name, "-"+name)
	}
	text, err := c.choice("sort", values...)
	o := model.OrderOf(text)
	o.After = m.place()
	return o, err
}

// page is a page of a list.
type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// list names the query parameters of a list beside its own.
func list(own ...string) []string { return append(own, "limit", "cursor") }

// paging reads limit and cursor; m is nil on the first page.
func (c *call) paging() (limit int, m *mark, err error) {
	limit, err = c.number("limit", defaultLimit, 1, maxLimit)
	if err != nil {
		return 0, nil, err
	}
	q := c.r.URL.Query()
	if !q.Has("cursor") {
		return limit, nil, nil
	}
	m, ok := readCursor(q.Get("cursor"), c.listKey())
	if !ok {
		return 0, nil, badParam("cursor", "next_cursor of a page of this list with these filters")
	}
	return limit, m, nil
}

// listKey is what a cursor belongs to: the path and the filters.
func (c *call) listKey() string {
	q := c.r.URL.Query()
	q.Del("cursor")
	q.Del("limit")
	return httpx.Path(c.r) + "?" + q.Encode()
}

// makeCursor writes a mark down. It holds nothing that the caller has not seen;
// the checksum tells cursors of other lists apart.
func makeCursor(m mark, key string) string {
	raw, err := json.Marshal(m)
	if err != nil {
		return "" // a struct of texts and numbers: never
	}
	return base64.RawURLEncoding.EncodeToString(append(sumOf(raw, key), raw...))
}

func readCursor(text, key string) (*mark, bool) {
	if len(text) > maxCursor {
		return nil, false
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(raw) <= checksum || !bytes.Equal(raw[:checksum], sumOf(raw[checksum:], key)) {
		return nil, false
	}
	var m mark
	if json.Unmarshal(raw[checksum:], &m) != nil {
		return nil, false
	}
	return &m, true
}

func sumOf(raw []byte, key string) []byte {
	h := sha256.New()
	h.Write([]byte(key))
	h.Write([]byte{0})
	h.Write(raw)
	return h.Sum(nil)[:checksum]
}

// next returns the cursor behind a page and puts its address into Link; nil
// where there is no more.
func (c *call) next(more bool, m mark) *string {
	if !more {
		return nil
	}
	cursor := makeCursor(m, c.listKey())
	q := c.r.URL.Query()
	q.Set("cursor", cursor)
	link := url.URL{Path: c.r.URL.Path, RawQuery: q.Encode()}
	c.w.Header().Set("Link", "<"+link.String()+`>; rel="next"`)
	return &cursor
}

// cut returns the first limit items of a list that was read one longer, and
// whether there is more.
func cut[T any](items []T, limit int) ([]T, bool) {
	if len(items) > limit {
		return items[:limit], true
	}
	return items, false
}

// number reads a whole number from the query.
func (c *call) number(name string, def, low, high int) (int, error) {
	q := c.r.URL.Query()
	if !q.Has(name) {
		return def, nil
	}
	n, err := strconv.Atoi(q.Get(name))
	if err != nil || n < low || n > high {
		return 0, badParam(name, "a whole number from "+strconv.Itoa(low)+" to "+strconv.Itoa(high))
	}
	return n, nil
}

func badParam(name, want string) *Problem {
	return problem(kindBad, "see errors", fieldFault{name, "give " + want})
}

// id32 reads an id of 32 bits from the path.
func (c *call) id32(name string) (int32, error) {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 32)
	if err != nil || n < 1 {
		return 0, badParam(name, "a whole number from 1 to 2147483647")
	}
	return int32(n), nil
}

// id64 reads an id of 64 bits from the path.
func (c *call) id64(name string) (int64, error) {
	n, err := strconv.ParseInt(c.r.PathValue(name), 10, 64)
	if err != nil || n < 1 {
		return 0, badParam(name, "a whole number from 1 on")
	}
	return n, nil
}

// choice reads one of the values from the query; "" where it is not given.
func (c *call) choice(name string, values ...string) (string, error) {
	q := c.r.URL.Query()
	if !q.Has(name) {
		return "", nil
	}
	for _, v := range values {
		if v == q.Get(name) {
			return v, nil
		}
	}
	return "", badParam(name, "one of "+joined(values))
}

func joined(values []string) string { return strings.Join(values, ", ") }

// instant reads an instant from the query; zero where it is not given.
func (c *call) instant(name string) (time.Time, error) {
	q := c.r.URL.Query()
	if !q.Has(name) {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, q.Get(name))
	if err != nil {
		return time.Time{}, badParam(name, "an instant such as 2026-11-21T21:49:49Z")
	}
	return t, nil
}

// short reads a text of at most size bytes from the query.
func (c *call) short(name string, size int) (string, error) {
	text := c.r.URL.Query().Get(name)
	if len([]rune(text)) > size {
		return "", badParam(name, "at most "+strconv.Itoa(size)+" characters")
	}
	return text, nil
}

// stamp is how instants are written.
const stamp = "2006-01-02T15:04:05.000Z07:00"

// at writes an instant.
func at(t time.Time) string { return t.UTC().Format(stamp) }

// atOrNull writes an instant, and null for none.
func atOrNull(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	text := at(t)
	return &text
}

// msOrNull is atOrNull for milliseconds, of which 0 is none.
func msOrNull(ms int64) *string {
	if ms <= 0 {
		return nil
	}
	return atOrNull(time.UnixMilli(ms))
}

// matches checks If-Match against the version that there is.
func (c *call) matches(etag string) (bool, error) {
	given := c.r.Header.Get("If-Match")
	if given == "" {
		return false, problem(kindUnguarded, "send the ETag of the version that is meant, or *",
			fieldFault{"If-Match", "it is missing"})
	}
	if given == "*" {
		return true, nil
	}
	return slices.Contains(splitList(given), etag), nil
}

func (c *call) withETag(status int, etag string, v any) error {
	c.w.Header().Set("ETag", etag)
	return c.json(status, v)
}
