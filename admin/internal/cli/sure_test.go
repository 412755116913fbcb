package cli

import (
	"bytes"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/client"
)

// A service has an input, but nobody who could answer.
func TestNobodyIsAskedWithoutAnInput(t *testing.T) {
	t.Parallel()
	null, err := os.Open(os.DevNull)
	require.NoError(t, err)
	defer null.Close()
	var out bytes.Buffer
	err = new(Sure).ask(Console{In: null, Out: &out}, known("Delete it?"))
	assert.ErrorAs(t, err, new(UsageError))
	assert.Empty(t, out.String())
}

// An admin that is not there is told from one that refuses.
func TestNoAdminIsThere(t *testing.T) {
	t.Parallel()
	r := Remote{Server: "http://127.0.0.1:1", Key: "k", Timeout: 30e9}
	err := r.With(func(c *client.Client) error {
		_, err := c.Job(t.Context(), 1)
		return err
	})
	assert.ErrorContains(t, err, "does an xxl-job-admin run at http://127.0.0.1:1? --server or XXL_JOB_SERVER names")
	err = r.asUser(t.Context(), "ann", "p", nil)
	assert.ErrorContains(t, err, "log in as ann: ")
	assert.ErrorContains(t, err, "does an xxl-job-admin run at http://127.0.0.1:1?")
}
