package xxljob

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/xxljob-go/xxljob/internal/wire"
)

// Job declares a job of the admin for a handler. It is an option of Register,
// and may be given several times for jobs with different names:
//
//	executor.Register("close-day", closeDay, xxljob.Job{Cron: "0 0 2 * * ?", Start: true})
//
// This project's admin makes such jobs once the executor has registered, as far
// as its operator allows (--jobs-from-code): missing ones are created, those
// that exist are changed where only the code has changed, what a person has
// changed stays, and nothing is ever deleted. An admin of Java's master branch is
// given them with Config.JavaJobs; with an older one a warning says once that
// they have to be made in its console.
type Job struct {
	// Name is what the job is called in the admin, and known by among the jobs
	// of this executor: at most 255 characters. Default: the handler's name.
	Name string
	// Author is who looks after it, at most 64 characters. Default: the
	// executor's AppName. It is set when the job is created, and never changed.
	Author string
	// Cron is a Quartz expression of six or seven fields, e.g. "0 0 2 * * ?".
	// The admin checks it. Default none.
	Cron string
	// Every is the time between two runs instead of Cron, whole seconds.
	// Default none. Without both the job runs only when somebody asks for it.
	Every time.Duration
	// TimeZone is the IANA name of Cron's zone. Default: the admin's zone.
	TimeZone string
	// Params is what Run.Param returns. Default empty.
	Params string
	// Route chooses the executor of a run, by the admin's names: FIRST, LAST,
	// ROUND, RANDOM, CONSISTENT_HASH, LEAST_FREQUENTLY_USED,
	// LEAST_RECENTLY_USED, FAILOVER, BUSYOVER, SHARDING_BROADCAST. Default FIRST.
	Route string
	// Block says what becomes of a run while another is at work:
	// SERIAL_EXECUTION, DISCARD_LATER or COVER_EARLY. Default SERIAL_EXECUTION.
	Block string
	// Misfire says what becomes of an instant that was missed: DO_NOTHING or
	// FIRE_ONCE_NOW. Default DO_NOTHING.
	Misfire string
	// Timeout limits a run, whole seconds. Default 0, no limit.
	Timeout time.Duration
	// Retries is how often a failed run is tried again. Default 0.
	Retries int
	// AlarmEmail are the addresses that failures are mailed to, separated by
	// commas. Default none.
	AlarmEmail string
	// Children are the names of jobs of this executor that run after a
	// success. Default none.
	Children []string
	// Start starts the job when it is created. Later its state is the
	// operator's. Default false: it is created stopped.
	Start bool
}

// apply makes a Job an option of Register.
func (j Job) apply(r *registration) { r.jobs = append(r.jobs, j) }

// withDefaults returns j with every default filled in.
func (j Job) withDefaults(handler, app string) Job {
	if j.Name == "" {
		j.Name = handler
	}
	if j.Author == "" {
		j.Author = app
	}
	if j.Route == "" {
		j.Route = wire.RouteFirst
	}
	if j.Block == "" {
		j.Block = wire.BlockSerial
	}
	if j.Misfire == "" {
		j.Misfire = wire.MisfireDoNothing
	}
	j.Children = slices.Clone(j.Children)
	return j
}

// The names that an admin knows.
var (
	jobRoutes = []string{
		wire.RouteFirst, wire.RouteLast, wire.RouteRound, wire.RouteRandom, wire.RouteConsistentHash,
		wire.RouteLeastFrequently, wire.RouteLeastRecently, wire.RouteFailover, wire.RouteBusyover,
		wire.RouteShardingBroadcast,
	}
	jobBlocks   = []string{wire.BlockSerial, wire.BlockDiscardLater, wire.BlockCoverEarly}
	jobMisfires = []string{wire.MisfireDoNothing, wire.MisfireFireOnceNow}
)

// maxJobSeconds is the longest time that an admin's column holds.
const maxJobSeconds = 1<<31 - 1

// validate returns every fault of a Job with its defaults.
func (j *Job) validate() error {
	var errs []error
	bad := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	oneOf := func(field, value string, known []string) {
		if !slices.Contains(known, value) {
			bad("%s is %q: it must be one of %s", field, value, strings.Join(known, ", "))
		}
	}
	seconds := func(field string, d time.Duration) {
		if d < 0 || d%time.Second != 0 || d/time.Second > maxJobSeconds {
			bad("%s is %v: it must be whole seconds", field, d)
		}
	}
	if strings.TrimSpace(j.Name) != j.Name {
		bad("Name %q has outer blanks", j.Name)
	}
	if j.Cron != "" && j.Every != 0 {
		bad("Cron and Every are both set")
	}
	if j.Start && j.Cron == "" && j.Every == 0 {
		bad("Start needs Cron or Every")
	}
	if j.Retries < 0 || j.Retries > maxJobSeconds {
		bad("Retries is %d: it must be at least 0", j.Retries)
	}
	seconds("Every", j.Every)
	seconds("Timeout", j.Timeout)
	oneOf("Route", j.Route, jobRoutes)
	oneOf("Block", j.Block, jobBlocks)
	oneOf("Misfire", j.Misfire, jobMisfires)
	return errors.Join(errs...)
}

// declared returns the job as it is sent.
func (j *Job) declared(handler string) wire.DeclaredJob {
	kind, conf := wire.ScheduleNone, ""
	switch {
	case j.Cron != "":
		kind, conf = wire.ScheduleCron, j.Cron
	case j.Every != 0:
		kind, conf = wire.ScheduleFixRate, fmt.Sprint(int64(j.Every/time.Second))
	}
	d := wire.DeclaredJob{Children: j.Children, Start: j.Start}
	d.JobFields = wire.JobFields{
		Name: wire.Str(j.Name), Author: wire.Str(j.Author), AlarmEmail: wire.Str(j.AlarmEmail),
		ScheduleType: wire.Str(kind), ScheduleConf: wire.Str(conf), MisfireStrategy: wire.Str(j.Misfire),
		ExecutorRouteStrategy: wire.Str(j.Route), ExecutorHandler: wire.Str(handler),
		ExecutorParam: wire.Str(j.Params), ExecutorBlockStrategy: wire.Str(j.Block),
		ExecutorTimeout:        int32(j.Timeout / time.Second), //nolint:gosec // checked by validate
		ExecutorFailRetryCount: int32(j.Retries),               //nolint:gosec // checked by validate
		GlueType:               wire.Str(wire.GlueTypeBean),
	}
	if j.TimeZone != "" {
		d.TimeZone = wire.Str(j.TimeZone)
	}
	return d
}
