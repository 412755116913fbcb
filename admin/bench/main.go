//go:build linux

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// period is the time between two fires of a job, as in the figures of other
// admins that this is compared with.
const period = 10 * time.Second

// options are what the flags say.
type options struct {
	short     bool
	hold      bool
	databases []string
	scenarios []string
	rates     []int // fires a second
	window    time.Duration
	warm      time.Duration
	growth    time.Duration // window of the growth scenarios
	idleJobs  []int         // jobs in the table besides those that fire
	logRows   []int
	jobs      int // with hold
	executors int
	posters   int
	admin     string
	dir       string
	nodeFlags string
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	code := run(ctx, os.Args[1:])
	stop()
	os.Exit(code)
}

// run measures, prints the tables, and returns the exit status.
func run(ctx context.Context, args []string) int {
	opt, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	var b *bench
	if err == nil {
		b, err = newBench(ctx, opt)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	defer b.close()
	if opt.hold {
		err = b.hold(ctx)
	} else {
		err = b.runAll(ctx)
		b.report.print(os.Stdout)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	if len(b.report.faults) > 0 {
		return 1
	}
	return 0
}

// parse reads the flags. -short changes the defaults, so that a flag given
// beside it still counts.
func parse(args []string) (options, error) {
	var opt options
	var lists struct{ db, scenarios, rates, jobs, logs string }
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&opt.short, "short", false, "a small form of everything, for CI")
	flags.BoolVar(&opt.hold, "hold", false, "set up the first database of -db with -jobs and the admin, and wait")
	flags.StringVar(&lists.db, "db", "sqlite,mysql", "databases, of sqlite, mysql and postgres")
	flags.StringVar(&lists.scenarios, "scenarios", strings.Join(scenarioNames(), ","), "what to measure")
	flags.StringVar(&lists.rates, "rates", "1000,5000", "fires a second")
	flags.DurationVar(&opt.window, "window", 0, "length at each rate; default 10m, 20s with -short")
	flags.DurationVar(&opt.growth, "growth-window", 0, "length at each size; default 1m, 10s with -short")
	flags.DurationVar(&opt.warm, "warm", 12*time.Second, "not measured, before each window")
	flags.StringVar(&lists.jobs, "idle-jobs", "", "further jobs; default 1000,100000,1000000, 1000,20000 with -short")
	flags.StringVar(&lists.logs, "log-rows", "", "log rows; default 100,1000000,10000000, 100,50000 with -short")
	flags.IntVar(&opt.jobs, "jobs", 10_000, "jobs with -hold")
	flags.IntVar(&opt.executors, "execs", 2, "executors")
	flags.IntVar(&opt.posters, "posters", 8, "connections that post results")
	flags.StringVar(&opt.admin, "admin", "", "an xxl-job-admin that is built; default is to build it")
	flags.StringVar(&opt.dir, "dir", "", "folder for the SQLite database; default a temporary one")
	flags.StringVar(&opt.nodeFlags, "node-flags", "", "further flags of the admin, separated by blanks")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unknown argument %q: see -help", flags.Arg(0))
	}
	pick := func(value *time.Duration, full, short time.Duration) {
		if *value == 0 {
			*value = full
			if opt.short {
				*value = short
			}
		}
	}
	pick(&opt.window, 10*time.Minute, 20*time.Second)
	pick(&opt.growth, time.Minute, period)
	if lists.jobs == "" {
		lists.jobs = choose(opt.short, "1000,20000", "1000,100000,1000000")
	}
	if lists.logs == "" {
		lists.logs = choose(opt.short, "100,50000", "100,1000000,10000000")
	}
	opt.databases, opt.scenarios = strings.Split(lists.db, ","), strings.Split(lists.scenarios, ",")
	return opt, opt.check(lists.rates, lists.jobs, lists.logs)
}

func choose(short bool, small, full string) string {
	if short {
		return small
	}
	return full
}

// check reads the lists of numbers and refuses what cannot be measured.
func (opt *options) check(rates, jobs, logs string) error {
	for _, list := range []struct {
		flag, text string
		to         *[]int
	}{{"-rates", rates, &opt.rates}, {"-idle-jobs", jobs, &opt.idleJobs}, {"-log-rows", logs, &opt.logRows}} {
		for word := range strings.SplitSeq(list.text, ",") {
			n, err := strconv.Atoi(word)
			if err != nil || n < 1 {
				return fmt.Errorf("%s holds %q, which is no number above 0", list.flag, word)
			}
			*list.to = append(*list.to, n)
		}
	}
	for _, name := range opt.databases {
		if !slices.Contains([]string{"sqlite", "mysql", "postgres"}, name) {
			return fmt.Errorf("-db holds %q: choose from sqlite, mysql, postgres", name)
		}
	}
	for _, name := range opt.scenarios {
		if !slices.Contains(scenarioNames(), name) {
			return fmt.Errorf("-scenarios holds %q: choose from %s", name, strings.Join(scenarioNames(), ", "))
		}
	}
	if opt.window < period || opt.growth < period {
		return fmt.Errorf("a window is at least %v, in which every job fires once", period)
	}
	if opt.executors < 1 || opt.posters < 1 || opt.jobs < 1 || opt.warm < 0 {
		return errors.New("-execs, -posters and -jobs must be at least 1, -warm not negative")
	}
	return nil
}
