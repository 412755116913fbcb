package sqldb

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestPadded(t *testing.T) {
	for _, tt := range []struct{ give, want int }{
		{1, 1}, {2, 8}, {8, 8}, {9, 64}, {64, 64}, {65, 512}, {512, 512}, {513, 1024}, {1500, 1536},
	} {
		ids := make([]int64, tt.give)
		for i := range ids {
			ids[i] = int64(i + 1)
		}
		got := Padded(ids)
		require.Len(t, got, tt.want, "of %d", tt.give)
		for i, id := range got {
			assert.Equal(t, ids[min(i, tt.give-1)], id)
		}
	}
}
