package web

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestRanges(t *testing.T) {
	t.Parallel()
	assert.Equal(t, "1-3,5,7-8", joinRanges([]int64{1, 2, 3, 5, 7, 8}))
	assert.Equal(t, []int64{1, 2, 3, 5, 7, 8}, SplitRanges("1-3,5,7-8", 100))
	assert.Len(t, SplitRanges("1-9000000000000000000,5", 7), 7)
	var far []int64
	for i := range int64(1000) {
		far = append(far, i*100)
	}
	assert.Empty(t, UndoPath(far), "too scattered for a cookie")
}
