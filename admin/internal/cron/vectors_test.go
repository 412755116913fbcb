package cron

import (
	"bufio"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// vector is a line of testdata/*.jsonl.
type vector struct {
	Expr  string  `json:"expr"`
	Zone  string  `json:"tz"`
	From  int64   `json:"from"`
	Next  []int64 `json:"next"`
	Error string  `json:"error"`
}

// recordedHorizon is the last year that the reference looks at: a hundred years
// from when the vectors were recorded, where Next counts from its argument.
const recordedHorizon = 2126

func readVectors(t *testing.T, path string) []vector {
	t.Helper()
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	var list []vector
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var v vector
		require.NoError(t, json.Unmarshal(lines.Bytes(), &v), lines.Text())
		list = append(list, v)
	}
	return list
}

// checkVector compares what we make of a vector with what is recorded.
func checkVector(t *testing.T, v vector) {
	t.Helper()
	s, err := Parse(v.Expr)
	if v.Error != "" {
		var syntax *SyntaxError
		if assert.Truef(t, errors.As(err, &syntax), "Parse(%q) = %v, want a refusal: %s", v.Expr, err, v.Error) {
			assert.Equalf(t, strings.TrimPrefix(v.Error, "ParseException: "), syntax.JavaText(), "Parse(%q)", v.Expr)
			assert.Equalf(t, v.Expr, syntax.Expr, "Parse(%q)", v.Expr)
		}
		return
	}
	if !assert.NoErrorf(t, err, "Parse(%q)", v.Expr) {
		return
	}
	assert.Equal(t, v.Expr, s.String())
	loc, err := time.LoadLocation(v.Zone)
	require.NoError(t, err)
	at := time.UnixMilli(v.From).In(loc)
	for _, want := range v.Next {
		at = s.Next(at)
		if !assert.Equalf(t, time.UnixMilli(want).In(loc), at, "%q after %d", v.Expr, v.From) {
			return
		}
	}
	if len(v.Next) < 4 {
		last := s.Next(at)
		assert.Truef(t, last.IsZero() || last.Year() > recordedHorizon, "%q fires at %v after its end", v.Expr, last)
	}
}

func TestVectors(t *testing.T) {
	t.Parallel()
	tests := []struct {
		file string
		want int // lines
	}{
		{file: "cron_edges.jsonl", want: 116},
		{file: "cron_random.jsonl", want: 4000},
		{file: "cron_quartz.jsonl", want: 516},
	}
	for _, tt := range tests {
		t.Run(tt.file, func(t *testing.T) {
			t.Parallel()
			list := readVectors(t, "testdata/"+tt.file)
			require.Len(t, list, tt.want)
			for _, v := range list {
				checkVector(t, v)
			}
		})
	}
}
