package sqldb

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/store/dial"
)

const (
	poolConns    = 16               // connections to a server, at most
	poolLifetime = 10 * time.Minute // below what servers and proxies allow to idle
	poolIdle     = 10 * time.Second // below sessionIdle

	// How long the session of a connection that is gone without a word goes on
	// at the server, in a transaction with its locks and outside of one.
	sessionIdleTx = 3 * time.Second // as long as a lease: who is frozen for longer has lost it
	sessionIdle   = 15 * time.Second
)

// errKindOfDatabase shows no DSN: it may hold a password.
var errKindOfDatabase = errors.New("the database must be named as sqlite:FILE, " +
	"mysql://user:password@host:port/name or postgres://user:password@host:port/name")

// connectorOf makes the connector of a database server from its URL.
type connectorOf func(u *url.URL) (driver.Connector, error)

// CheckDSN reports what Open would refuse about a DSN before it looks for the
// database. It opens nothing, and its errors show no password.
func CheckDSN(dsn string) error {
	kind, rest, _ := strings.Cut(dsn, ":")
	if kind == SQLite {
		return checkFile(strings.TrimPrefix(rest, "//"))
	}
	d, connector, err := serverOf(kind)
	if err != nil {
		return err
	}
	_, _, err = server(dsn, d, connector)
	return err
}

// serverOf returns what speaks to the servers of a kind.
func serverOf(kind string) (Dialect, connectorOf, error) {
	switch kind {
	case MySQL, "mariadb":
		return mysqlDialect, mysqlConnector, nil
	case Postgres, "postgresql":
		return postgresDialect, postgresConnector, nil
	}
	return Dialect{}, nil, errKindOfDatabase
}

// connect opens the pools of the database that the DSN names.
func (db *DB) connect(ctx context.Context, dsn string) error {
	kind, rest, _ := strings.Cut(dsn, ":")
	if kind == SQLite {
		return db.connectSQLite(ctx, strings.TrimPrefix(rest, "//"))
	}
	d, connector, err := serverOf(kind)
	if err != nil {
		return err
	}
	return db.connectServer(ctx, dsn, d, connector)
}

// server reads the URL of a database server.
func server(dsn string, d Dialect, connector connectorOf) (*url.URL, driver.Connector, error) {
	u, err := url.Parse(dsn)
	if err != nil { // its text repeats the DSN
		return nil, nil, fmt.Errorf("the %s database's name is no URL: special characters of the password "+
			"must be written as %%XX", d.Name)
	}
	c, err := connector(u)
	if err != nil {
		return nil, nil, fmt.Errorf("database %s: %w", u.Redacted(), err)
	}
	return u, c, nil
}

// connectServer opens a pool to a database server and asks it for a sign of
// life.
func (db *DB) connectServer(ctx context.Context, dsn string, d Dialect, connector connectorOf) error {
	u, c, err := server(dsn, d, connector)
	if err != nil {
		return err
	}
	db.Dialect = d
	db.write = sql.OpenDB(c)
	db.read = db.write
	db.write.SetMaxOpenConns(poolConns)
	db.write.SetMaxIdleConns(poolConns)
	db.write.SetConnMaxLifetime(poolLifetime)
	db.write.SetConnMaxIdleTime(poolIdle)
	ctx, cancel := context.WithTimeout(ctx, dial.Timeout+5*time.Second)
	defer cancel()
	if err := db.write.PingContext(ctx); err != nil {
		return errors.Join(fmt.Errorf("connect to database %s: %w", u.Redacted(), err), db.write.Close())
	}
	return nil
}

// boundedConnector gives every attempt to connect its limit: those that the pool
// makes by itself have none, and would wait long for a server that takes the
// connection and says nothing, while everybody waits for them.
type boundedConnector struct {
	driver.Connector

	limit time.Duration
}

// errConnect says that a connection was not there in time.
var errConnect = errors.New("the database gave no connection in time")

// Connect implements driver.Connector.
func (c boundedConnector) Connect(ctx context.Context) (driver.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.limit, errConnect)
	defer cancel()
	conn, err := c.Connector.Connect(ctx)
	if err != nil && errors.Is(context.Cause(ctx), errConnect) {
		err = fmt.Errorf("%w: %w", errConnect, err)
	}
	return conn, err
}

// initConnector runs statements on each new connection.
type initConnector struct {
	driver.Connector
	texts []string
}

// Connect implements driver.Connector.
func (c *initConnector) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := c.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	exec, ok := conn.(driver.ExecerContext)
	if !ok {
		return nil, errors.Join(errors.New("the driver lacks a method that is needed"), conn.Close())
	}
	for _, text := range c.texts {
		if _, err := exec.ExecContext(ctx, text, nil); err != nil {
			return nil, errors.Join(fmt.Errorf("prepare the connection: %w", err), conn.Close())
		}
	}
	return conn, nil
}
