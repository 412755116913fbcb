package httpx

import (
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestEvents(t *testing.T) {
	t.Parallel()
	rec := httptest.NewRecorder()
	e := OpenEvents(rec, TypeEvents, time.Second)
	assert.True(t, rec.Flushed, "the head goes out at once")
	rec.Flushed = false
	require.NoError(t, e.Send("data: 1\n\n"))
	assert.True(t, rec.Flushed)
	assert.Equal(t, http.StatusOK, rec.Code)
	assert.Equal(t, "text/event-stream", rec.Header().Get("Content-Type"))
	assert.Equal(t, "no", rec.Header().Get("X-Accel-Buffering"))
	assert.Equal(t, "data: 1\n\n", rec.Body.String())
}

func TestPlaces(t *testing.T) {
	t.Parallel()
	const places = 20
	p := Places[string]{Max: places}
	var leave []func()
	for range places {
		l, ok := p.Enter("a")
		require.True(t, ok)
		leave = append(leave, l)
	}
	_, ok := p.Enter("a")
	assert.False(t, ok)
	other, ok := p.Enter("b")
	assert.True(t, ok)
	assert.Equal(t, 2, p.Callers())
	leave[0]()
	last, ok := p.Enter("a")
	assert.True(t, ok)
	for _, l := range append(leave[1:], last, other) {
		l()
	}
	assert.Zero(t, p.Callers(), "places are given back")
}

func TestCell(t *testing.T) {
	t.Parallel()
	for give, want := range map[string]string{"": "", "a": "a", "=1+1": "'=1+1", "@x": "'@x", "-1": "'-1", "\tx": "'\tx"} {
		assert.Equal(t, want, Cell(give))
	}
}
