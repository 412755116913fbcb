package script

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestLimitedWriter(t *testing.T) {
	const mark = "----------- script output cut: more than 10 bytes -----------\n"
	tests := []struct {
		name   string
		limit  int64
		writes []string
		want   string
	}{
		{"below", 10, []string{"123", "456"}, "123456"},
		{"exactly", 10, []string{"12345", "67890"}, "1234567890"},
		{"nothing after the limit", 10, []string{"1234567890", ""}, "1234567890"},
		{"one byte more", 10, []string{"12345", "67890", "x"}, "1234567890\n" + mark},
		{"cut within a write", 10, []string{"1234567890x"}, "1234567890\n" + mark},
		{"cut after a line", 10, []string{"123456789\n", "x"}, "123456789\n" + mark},
		{"marked once", 10, []string{"1234567890x", "y", "z"}, "1234567890\n" + mark},
		{"no limit", -1, []string{"1234567890", "x"}, "1234567890x"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			w := &limitedWriter{out: &out, limit: tt.limit}
			for _, text := range tt.writes {
				n, err := io.WriteString(w, text)
				require.NoError(t, err)
				assert.Equal(t, len(text), n)
			}
			assert.Equal(t, tt.want, out.String())
		})
	}
}

func TestLimitedWriterSurvivesAFailingOutput(t *testing.T) {
	reader, writer := io.Pipe()
	require.NoError(t, reader.CloseWithError(io.ErrClosedPipe))
	n, err := io.Copy(&limitedWriter{out: writer, limit: 5}, strings.NewReader("123456789"))
	require.NoError(t, err)
	assert.EqualValues(t, 9, n)
}
