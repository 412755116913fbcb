package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
	"github.com/xxljob-go/xxljob/admin/internal/cron"
)

const (
	maxTimes    = 1000
	maxCronLine = 64 << 10
)

// cronCmd shows when cron expressions fire.
type cronCmd struct {
	Expr []string `arg:"" optional:"" help:"Expressions, each in quotes. None: one a line from standard input."`

	Count int    `help:"How many times to show, 1 to 1000." default:"5" env:"-" short:"n"`
	Zone  string `help:"IANA time zone, e.g. Asia/Shanghai. Default: the machine's." placeholder:"ZONE" env:"-"`
	After string `help:"${cron_after}" placeholder:"TIME" env:"-"`
}

// errBadCron ends the command after its faults have been printed.
var errBadCron = errors.New("an expression is not valid")

// Run prints the times of each expression.
func (c *cronCmd) Run(con cli.Console) error {
	if c.Count < 1 || c.Count > maxTimes {
		return cli.UsageError{Err: fmt.Errorf("--count %d is not between 1 and %d", c.Count, maxTimes)}
	}
	loc, err := loadZone(c.Zone)
	if err != nil {
		return cli.UsageError{Err: fmt.Errorf("--zone: %w", err)}
	}
	after := time.Now().In(loc)
	if c.After != "" {
		if after, err = time.ParseInLocation(time.DateTime, c.After, loc); err != nil {
			return cli.UsageError{Err: fmt.Errorf("--after %q is no time of the form 2026-03-28 12:00:00", c.After)}
		}
	}
	if len(c.Expr) == 0 {
		return c.lines(con, after)
	}
	bad := false
	for _, expr := range c.Expr {
		if !c.print(con, expr, after, len(c.Expr) > 1) {
			bad = true
		}
	}
	if bad {
		return cli.SilentError{Err: errBadCron}
	}
	return nil
}

// lines reads expressions, one a line; blank lines and those that begin with #
// are passed over.
func (c *cronCmd) lines(con cli.Console, after time.Time) error {
	bad := false
	scanner := bufio.NewScanner(con.In)
	scanner.Buffer(nil, maxCronLine)
	for scanner.Scan() {
		expr := strings.TrimSpace(scanner.Text())
		if expr == "" || strings.HasPrefix(expr, "#") {
			continue
		}
		if !c.print(con, expr, after, true) {
			bad = true
		}
	}
	if err := scanner.Err(); err != nil {
		return fmt.Errorf("read expressions: %w", err)
	}
	if bad {
		return cli.SilentError{Err: errBadCron}
	}
	return nil
}

// print shows one expression and reports whether it is valid.
func (c *cronCmd) print(con cli.Console, expr string, after time.Time, title bool) bool {
	schedule, err := cron.Parse(expr)
	if err != nil {
		printFault(con.Err, expr, err)
		return false
	}
	indent := ""
	if title {
		fmt.Fprintln(con.Out, expr)
		indent = "  "
	}
	at := after
	for n := range c.Count {
		if at = schedule.Next(at); at.IsZero() {
			if n == 0 {
				fmt.Fprintln(con.Out, indent+"never fires")
			}
			break
		}
		fmt.Fprintln(con.Out, indent+at.Format("2006-01-02 15:04:05 -07:00 Mon"))
	}
	return true
}

// printFault shows an error, and below the expression where it is.
func printFault(w io.Writer, expr string, err error) {
	fmt.Fprintln(w, "xxl-job-admin:", err)
	var syntax *cron.SyntaxError
	if errors.As(err, &syntax) && syntax.Column > 0 && syntax.Column <= 200 {
		fmt.Fprintln(w, "  "+strings.ReplaceAll(expr, "\t", " "))
		fmt.Fprintln(w, "  "+strings.Repeat(" ", syntax.Column-1)+"^")
	}
}

// loadZone reads the name of a time zone; "" is the machine's.
func loadZone(name string) (*time.Location, error) {
	if name == "" {
		return time.Local, nil
	}
	loc, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, fmt.Errorf("%q is no IANA time zone: write a name such as Asia/Shanghai", name)
	}
	return loc, nil
}
