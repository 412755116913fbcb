package client

import (
	"context"
	"iter"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// pageSize is how many items are asked for at a time.
const pageSize = "200"

// page is a page of a list.
type page[T any] struct {
	Items      []T     `json:"items"`
	NextCursor *string `json:"next_cursor"`
}

// pages walks through a list, page by page as it is asked for. An error is the
// last thing that it yields.
func pages[T any](ctx context.Context, c *Client, path string, query url.Values) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		q := url.Values{"limit": {pageSize}}
		maps.Copy(q, query)
		for {
			var p page[T]
			if err := c.do(ctx, &call{method: http.MethodGet, path: path, query: q, out: &p}); err != nil {
				yield(nil, err)
				return
			}
			for i := range p.Items {
				if !yield(&p.Items[i], nil) {
					return
				}
			}
			if p.NextCursor == nil || *p.NextCursor == "" {
				return
			}
			q.Set("cursor", *p.NextCursor)
		}
	}
}

// values makes a query of what is set.
func values(pairs ...string) url.Values {
	q := make(url.Values)
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	return q
}

func number[T ~int | ~int32 | ~int64](n T) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(int64(n), 10)
}

func instant(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.000Z07:00")
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

func at[T ~int32 | ~int64](base string, id T, rest string) string {
	return base + strconv.FormatInt(int64(id), 10) + rest
}
