package web

import (
	"maps"
	"net/url"
	"strconv"
)

// Pager is where a list stands.
type Pager struct {
	Count, From, To int
	More            bool
	Prev, Next      string
}

// NewPager makes a pager for a list with numbered pages; page counts from 1.
func NewPager(path string, filter url.Values, page, size, shown, total int) Pager {
	p := Pager{Count: total, From: (page-1)*size + 1, To: (page-1)*size + shown}
	if shown == 0 {
		p.From, p.Count = 0, 0
	}
	turn := func(to int) string {
		v := maps.Clone(filter)
		v.Set("page", strconv.Itoa(to))
		if to == 1 {
			v.Del("page")
		}
		if len(v) == 0 {
			return path
		}
		return path + "?" + v.Encode()
	}
	if page > 1 {
		p.Prev = turn(page - 1)
	}
	if p.To < total {
		p.Next = turn(page + 1)
	}
	return p
}
