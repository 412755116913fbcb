// Command dbserver starts a MariaDB or PostgreSQL server in a temporary
// directory, prints the DSN of an empty database on it, and ends it on an
// interrupt: for benchmarks and for trying things out.
//
//	go run ./admin/internal/dbtest/cmd/dbserver mysql
//	go run ./admin/internal/dbtest/cmd/dbserver -fast postgres "-c max_connections=200"
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/xxljob-go/xxljob/admin/internal/dbtest"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "dbserver:", err)
		os.Exit(1)
	}
}

func run() error {
	fast := flag.Bool("fast", false, "give up durability for speed")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: dbserver [-fast] mysql|postgres [server flag]…")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		return fmt.Errorf("say which database: mysql or postgres")
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()

	var opts []dbtest.Option
	if *fast {
		opts = append(opts, dbtest.Fast())
	}
	for _, arg := range flag.Args()[1:] {
		opts = append(opts, dbtest.Flag(arg))
	}
	server, err := dbtest.Start(ctx, flag.Arg(0), opts...)
	if err != nil {
		return err
	}
	dsn, err := server.NewDatabase(ctx)
	if err == nil {
		_, err = fmt.Fprintln(os.Stdout, dsn)
	}
	if err == nil {
		fmt.Fprintf(os.Stderr, "dbserver: %s runs as process %d; Ctrl-C ends it and removes its data\n",
			flag.Arg(0), server.Pid())
		<-ctx.Done()
	}
	if ended := server.Close(); err == nil {
		err = ended
	}
	return err
}
