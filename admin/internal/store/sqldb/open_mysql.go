package sqldb

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/go-sql-driver/mysql"

	"github.com/xxljob-go/xxljob/admin/internal/store/dial"
)

var mysqlDialect = Dialect{
	Name: MySQL,
	lock: " FOR UPDATE",
	now:  "(TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000)",
	kind: mysqlKind,
}

// jdbcParams are parameters that people copy from the URL of the Java admin.
var jdbcParams = []string{
	"useUnicode", "characterEncoding", "autoReconnect", "serverTimezone", "useSSL", "allowPublicKeyRetrieval",
	"rewriteBatchedStatements", "zeroDateTimeBehavior", "connectTimeout", "socketTimeout",
}

// mysqlConnector turns the URL into the driver's configuration.
func mysqlConnector(u *url.URL) (driver.Connector, error) {
	query := u.Query()
	for _, name := range jdbcParams {
		if query.Has(name) {
			return nil, fmt.Errorf("parameter %s belongs to Java's driver: leave it out; "+
				"the time zone is an option of its own", name)
		}
	}
	network, addr := "tcp", u.Host
	if socket := query.Get("socket"); socket != "" {
		network, addr = "unix", socket
		query.Del("socket")
	} else if u.Port() == "" {
		addr = net.JoinHostPort(u.Hostname(), "3306")
	}
	name := strings.TrimPrefix(u.Path, "/")
	if name == "" || (network == "tcp" && u.Hostname() == "") {
		return nil, errors.New("host and database are needed: mysql://user:password@host:port/name")
	}
	cfg, err := mysql.ParseDSN(network + "(" + addr + ")/" + url.PathEscape(name) + "?" + query.Encode())
	if err != nil {
		return nil, err
	}
	cfg.User = u.User.Username()
	cfg.Passwd, _ = u.User.Password()
	mysqlDefaults(cfg, query)
	c, err := mysql.NewConnector(cfg)
	if err != nil {
		return nil, err
	}
	// Lock waits are short: a transaction runs again, and says so, instead of
	// standing in line behind a backup. A text that does not fit is refused,
	// never cut, whatever the server's mode. A session whose peer is gone ends
	// soon, and its locks with it; MySQL itself has no limit of its own for
	// transactions, and skips what only MariaDB reads.
	return boundedConnector{limit: cfg.Timeout, Connector: &initConnector{Connector: c, texts: []string{
		"SET SESSION sql_mode=CONCAT(@@sql_mode,',STRICT_TRANS_TABLES')," +
			"innodb_lock_wait_timeout=2,lock_wait_timeout=5,autocommit=1," +
			mysqlLimits(sessionIdle, "wait_timeout") + "," +
			mysqlLimits(sessionIdleTx, "net_read_timeout") +
			"/*M!100300 ," + mysqlLimits(sessionIdleTx, "idle_transaction_timeout",
			"idle_write_transaction_timeout", "idle_readonly_transaction_timeout") + "*/",
		"SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED",
	}}}, nil
}

// mysqlLimits sets variables that count in seconds.
func mysqlLimits(limit time.Duration, names ...string) string {
	for i, name := range names {
		names[i] = fmt.Sprintf("%s=%d", name, int(limit.Seconds()))
	}
	return strings.Join(names, ",")
}

func mysqlDefaults(cfg *mysql.Config, query url.Values) {
	cfg.ParseTime = false
	cfg.ClientFoundRows = true
	cfg.MultiStatements = false
	cfg.InterpolateParams = true
	cfg.RejectReadOnly = true // after a failover: look for the new primary
	if cfg.Timeout <= 0 {
		cfg.Timeout = dial.Timeout
	}
	if !query.Has("readTimeout") {
		cfg.ReadTimeout = 60 * time.Second // a long list; dead peers are noticed by keep-alive
	}
	if !query.Has("writeTimeout") {
		cfg.WriteTimeout = 10 * time.Second
	}
	if !query.Has("maxAllowedPacket") {
		cfg.MaxAllowedPacket = 0 // ask the server
	}
	if !query.Has("charset") && !query.Has("collation") {
		_ = cfg.Apply(mysql.Charset("utf8mb4", "")) // cannot fail
	}
	cfg.DialFunc = dial.NewPeers().Dial
	cfg.Logger = &mysql.NopLogger{} // errors are returned
}

// Error numbers of MySQL and MariaDB.
const (
	myLockWait    = 1205
	myDeadlock    = 1213
	myDupKey      = 1062
	myShutdown    = 1053
	myInterrupted = 1317
	myKilled      = 1927 // MariaDB: connection was killed
)

// mysqlKind sorts the errors of the driver.
func mysqlKind(err error) errKind {
	var e *mysql.MySQLError
	if !errors.As(err, &e) {
		var n net.Error
		switch {
		case errors.Is(err, mysql.ErrPktTooLarge):
			return errRow
		case connError(err), errors.Is(err, mysql.ErrInvalidConn), errors.As(err, &n):
			return errConn
		}
		return errOther
	}
	switch e.Number {
	case myLockWait, myDeadlock, 1637, 3572: // too many transactions, NOWAIT
		return errRetry
	case myDupKey, 1586:
		return errDuplicate
	case 1048, 1153, 1264, 1265, 1292, 1366, 1406, 1690, 1300, 3854, 4025:
		return errRow // NULL, packet, range, truncation, wrong value, wrong characters, too long, constraint
	case myShutdown, myInterrupted, myKilled, 3024, 1969, 1180, 4031, 2006, 2013:
		return errConn
	}
	return errServer
}
