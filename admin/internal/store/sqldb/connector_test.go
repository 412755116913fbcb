package sqldb

import (
	"context"
	"database/sql/driver"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/xxljob-go/xxljob/admin/internal/store/dial"
)

// mute is a database that takes connections and says nothing.
type mute struct{ driver.Connector }

func (mute) Connect(ctx context.Context) (driver.Conn, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

// TestConnectingIsBounded: the pool's own attempts to connect end, and say why.
func TestConnectingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := boundedConnector{Connector: mute{}, limit: dial.Timeout}
		begin := time.Now()
		_, err := c.Connect(t.Context())
		require.ErrorIs(t, err, errConnect)
		assert.True(t, connError(err), "it is one of the connection")
		assert.Equal(t, dial.Timeout, time.Since(begin))

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = c.Connect(ctx)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.NotErrorIs(t, err, errConnect)
	})
}

// TestConnectLimit: the URL may ask for more patience.
func TestConnectLimit(t *testing.T) {
	t.Parallel()
	for dsn, want := range map[string]time.Duration{
		"mysql://u:p@h/x": dial.Timeout, "mysql://u:p@h/x?timeout=20s": 20 * time.Second,
		"postgres://u:p@h/x": dial.Timeout, "postgres://u:p@h/x?connect_timeout=20": 20 * time.Second,
	} {
		u, err := url.Parse(dsn)
		require.NoError(t, err)
		connect := mysqlConnector
		if u.Scheme == "postgres" {
			connect = postgresConnector
		}
		c, err := connect(u)
		require.NoError(t, err)
		assert.Equal(t, want, c.(boundedConnector).limit, dsn)
	}
}
