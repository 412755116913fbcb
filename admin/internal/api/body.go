package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Bounds of what is read.
const (
	maxStranger   = 32 << 10  // body of a request without the right token: it is read before it is refused
	largeBody     = 1 << 20   // from here on a body takes its share of maxLargeTotal
	maxLargeTotal = 128 << 20 // of all large bodies that are in memory at one time
	largeWait     = 10 * time.Second
	firstRead     = 8 << 10
)

// errCutOff is the answer to a body that ended before its length.
var errCutOff = errors.New("the request body was cut off")

// errCrowded is the answer while too many large bodies are being read.
var errCrowded = errors.New("too many large requests at one time, send it again")

// bodies reads request bodies into buffers that are used again.
type bodies struct {
	pool  sync.Pool
	large *semaphore.Weighted
}

// get returns an empty buffer, put takes it back unless it has grown large.
func (b *bodies) get() *[]byte {
	if buf, ok := b.pool.Get().(*[]byte); ok {
		return buf
	}
	buf := make([]byte, 0, firstRead)
	return &buf
}

func (b *bodies) put(buf *[]byte) {
	if cap(*buf) <= largeBody {
		*buf = (*buf)[:0]
		b.pool.Put(buf)
	}
}

// read returns the body, which is valid until release is called; release is
// never nil. A body above limit is an *http.MaxBytesError, without a byte read
// if its length is announced.
func (b *bodies) read(w http.ResponseWriter, r *http.Request, limit int64) (body []byte, release func(), err error) {
	if r.ContentLength > limit {
		return nil, func() {}, &http.MaxBytesError{Limit: limit}
	}
	buf := b.get()
	release = func() { b.put(buf) }
	src := http.MaxBytesReader(w, r.Body, limit)
	if r.ContentLength <= largeBody {
		*buf, err = fill(*buf, src, min(limit, largeBody)+1)
		if err != nil || int64(len(*buf)) <= largeBody {
			return *buf, release, err
		}
	}
	ctx, cancel := context.WithTimeout(r.Context(), largeWait)
	defer cancel()
	if b.large.Acquire(ctx, limit) != nil {
		return nil, release, errCrowded
	}
	release = func() {
		b.put(buf)
		b.large.Release(limit)
	}
	*buf, err = fill(*buf, src, limit+1)
	return *buf, release, err
}

// fill appends what src holds to buf, until it has most bytes.
func fill(buf []byte, src io.Reader, most int64) ([]byte, error) {
	for int64(len(buf)) < most {
		if len(buf) == cap(buf) {
			buf = append(buf, 0)[:len(buf)]
		}
		n, err := src.Read(buf[len(buf):min(int64(cap(buf)), most)])
		buf = buf[:len(buf)+n]
		var tooLarge *http.MaxBytesError
		switch {
		case errors.Is(err, io.EOF):
			return buf, nil
		case errors.As(err, &tooLarge):
			return buf, err
		case err != nil:
			return buf, errCutOff
		}
	}
	return buf, nil
}

// isBlank reports whether a body holds nothing but blanks.
func isBlank(body []byte) bool { return len(bytes.TrimSpace(body)) == 0 }

// tooLargeText says which bound a body broke.
func tooLargeText(limit int64, stranger bool) string {
	if stranger {
		return fmt.Sprintf("request body larger than %d bytes, which is the limit without a valid access token", limit)
	}
	return fmt.Sprintf("request body larger than %d bytes: send less at one time", limit)
}
