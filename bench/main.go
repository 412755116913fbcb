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
	"strings"
	"syscall"
	"time"
)

// runLimit bounds the whole benchmark, should an executor hang.
const runLimit = 20 * time.Minute

// options are what the flags say.
type options struct {
	triggers  int
	warm      int
	jobs      int
	conns     int
	rounds    int
	java      string // release; empty: no Java rows
	dir       string // where the log path on disk lies
	mem       string // where the log path in memory lies; empty: none
	scenarios []string
	short     bool
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithTimeout(ctx, runLimit)
	code := run(ctx, os.Args[1:])
	cancel()
	stop()
	os.Exit(code)
}

// run measures, prints the tables, and returns the exit status.
func run(ctx context.Context, args []string) int {
	opt, err := parse(args)
	if err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	b, err := newBench(ctx, opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 2
	}
	err = b.runAll(ctx)
	b.report.print(os.Stdout)
	b.close(ctx)
	if err != nil {
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
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.BoolVar(&opt.short, "short", false, "a small form of everything, for CI")
	flags.IntVar(&opt.triggers, "triggers", 0, "triggers of a round; default 40000, 4000 with -short")
	flags.IntVar(&opt.warm, "warm", 0, "triggers sent before a round and not counted; default 2000, 200 with -short")
	flags.IntVar(&opt.rounds, "rounds", 0, "rounds of each executor and log path; default 3, 1 with -short")
	flags.IntVar(&opt.jobs, "jobs", 100, "job ids of the throughput rounds")
	flags.IntVar(&opt.conns, "conns", 64, "connections to the executor")
	flags.StringVar(&opt.java, "java", "3.3.2", "release of Java's executor to compare with; empty for none")
	flags.StringVar(&opt.dir, "dir", "build/bench", "folder on disk for log paths; it is created")
	flags.StringVar(&opt.mem, "mem", "/dev/shm", "folder in memory for log paths; empty for none")
	list := flags.String("scenarios", strings.Join(scenarioNames(), ","), "what to measure, separated by commas")
	if err := flags.Parse(args); err != nil {
		return options{}, err
	}
	if flags.NArg() > 0 {
		return options{}, fmt.Errorf("unknown argument %q: see -help", flags.Arg(0))
	}
	opt.scenarios = strings.Split(*list, ",")
	for _, name := range opt.scenarios {
		if !slices.Contains(scenarioNames(), name) {
			return options{}, fmt.Errorf("-scenarios holds %q: choose from %s",
				name, strings.Join(scenarioNames(), ", "))
		}
	}
	opt.fillDefaults()
	if opt.triggers < 1 || opt.warm < 1 || opt.rounds < 1 || opt.jobs < 1 || opt.conns < 1 {
		return options{}, errors.New("-triggers, -warm, -rounds, -jobs and -conns must be at least 1")
	}
	return opt, nil
}

func (opt *options) fillDefaults() {
	pick := func(value *int, full, short int) {
		switch {
		case *value != 0:
		case opt.short:
			*value = short
		default:
			*value = full
		}
	}
	pick(&opt.triggers, 40_000, 4_000)
	pick(&opt.warm, 2_000, 200)
	pick(&opt.rounds, 3, 1)
}
