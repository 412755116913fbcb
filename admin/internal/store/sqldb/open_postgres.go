package sqldb

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/stdlib"

	"github.com/xxljob-go/xxljob/admin/internal/store/dial"
)

var postgresDialect = Dialect{
	Name:      Postgres,
	numbered:  true,
	returning: true,
	lock:      " FOR UPDATE",
	now:       "CAST(EXTRACT(EPOCH FROM clock_timestamp())*1000 AS BIGINT)",
	kind:      postgresKind,
}

// postgresConnector turns the URL into the driver's configuration.
func postgresConnector(u *url.URL) (driver.Connector, error) {
	cfg, err := pgx.ParseConfig(u.String())
	if err != nil {
		return nil, errors.New("host and database are needed: postgres://user:password@host:port/name; " +
			"the parameters are those of libpq") // the driver's text repeats the URL
	}
	if cfg.ConnectTimeout == 0 {
		cfg.ConnectTimeout = dial.Timeout
	}
	cfg.DialFunc = dial.NewPeers().Dial
	// Lock waits are short: a transaction runs again, and says so. A session whose
	// peer is gone ends soon, and its locks with it.
	limits := fmt.Sprintf("SET lock_timeout='2s'; SET idle_in_transaction_session_timeout=%d; "+
		"SET tcp_user_timeout=10000; SET tcp_keepalives_idle=4; SET tcp_keepalives_interval=2; "+
		"SET tcp_keepalives_count=3", sessionIdleTx.Milliseconds())
	c := stdlib.GetConnector(*cfg, stdlib.OptionAfterConnect(func(ctx context.Context, conn *pgx.Conn) error {
		_, err := conn.PgConn().Exec(ctx, "SET default_transaction_isolation='read committed'; "+
			"SET standard_conforming_strings=on; SET client_min_messages='warning'; "+limits).ReadAll()
		return err
	}))
	return boundedConnector{limit: cfg.ConnectTimeout, Connector: c}, nil
}

// postgresKind sorts the errors of the driver.
func postgresKind(err error) errKind {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		var n net.Error
		switch {
		case errors.Is(err, pgx.ErrTxCommitRollback):
			return errServer // an earlier statement had failed
		case connError(err), errors.As(err, &n), pgconn.Timeout(err):
			return errConn
		}
		return errOther
	}
	switch {
	case e.Code == "40001", e.Code == "40P01", e.Code == "55P03":
		return errRetry
	case e.Code == "23505":
		return errDuplicate
	case e.Code == "40003", strings.HasPrefix(e.Code, "08"), strings.HasPrefix(e.Code, "57"):
		return errConn // completion unknown, connection, shutdown
	case strings.HasPrefix(e.Code, "22"), strings.HasPrefix(e.Code, "23"), e.Code == "54000":
		return errRow
	}
	return errServer
}
