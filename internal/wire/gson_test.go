package wire

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// probe has the fields of the Java class that testdata/gson.txt was recorded
// with: one of every type that occurs in the protocol.
type probe struct {
	i      int32
	l      int64
	s      NullString
	b      bool
	o      *probe
	a      int // length of the list
	aThere bool
}

func (p *probe) field(r *reader, name []byte) error {
	switch string(name) {
	case "i":
		return r.int32("i", &p.i)
	case "l":
		return r.int64("l", &p.l)
	case "s":
		return r.str("s", &p.s)
	case "b":
		return r.bool("b", &p.b)
	case "o":
		nested, err := readProbe(r)
		p.o = nested
		return err
	case "a":
		return p.list(r)
	default:
		return r.skip()
	}
}

func readProbe(r *reader) (*probe, error) {
	t, err := r.value()
	switch {
	case err != nil:
		return nil, err
	case t.kind == kindNull:
		return nil, nil
	case t.kind != kindObject:
		return nil, r.fail("Expected BEGIN_OBJECT but was %s", t.kind)
	}
	p := &probe{}
	return p, r.object(func(name []byte) error { return p.field(r, name) })
}

func (p *probe) list(r *reader) error {
	t, err := r.value()
	if err != nil {
		return err
	}
	p.a, p.aThere = 0, t.kind == kindArray
	switch t.kind {
	case kindNull:
		return nil
	case kindArray:
		return r.array(func(absent bool) error {
			p.a++
			if absent {
				return nil
			}
			_, err := readProbe(r)
			return err
		})
	default:
		return r.fail("Expected BEGIN_ARRAY but was %s", t.kind)
	}
}

// outcome decodes a body and puts the result in the form of gson.txt.
func outcome(body []byte) string {
	var p probe
	var r reader
	err := r.document(body, MaxBody, func(name []byte) error { return p.field(&r, name) })
	switch {
	case errors.Is(err, ErrNoBody):
		return "null"
	case err != nil:
		return "err"
	}
	s, o, a := "-", "-", "-"
	if p.s.Valid {
		s = "x" + hex.EncodeToString([]byte(p.s.String))
	}
	if p.o != nil {
		o = fmt.Sprint(p.o.i)
	}
	if p.aThere {
		a = fmt.Sprint(p.a)
	}
	return fmt.Sprintf("ok %d %d %s %v %s %s", p.i, p.l, s, p.b, o, a)
}

// TestGsonRecorded compares with what two versions of Gson made of 1,800
// bodies, most of them slightly broken.
func TestGsonRecorded(t *testing.T) {
	t.Parallel()
	file, err := os.ReadFile("testdata/gson.txt")
	require.NoError(t, err)
	lines := bufio.NewScanner(bytes.NewReader(file))
	count := 0
	for lines.Scan() {
		input, want, ok := strings.Cut(lines.Text(), "\t")
		require.True(t, ok)
		body, err := hex.DecodeString(input)
		require.NoError(t, err)
		assert.Equal(t, want, outcome(body), "body %q", body)
		count++
	}
	require.NoError(t, lines.Err())
	require.Equal(t, 1800, count)
}
