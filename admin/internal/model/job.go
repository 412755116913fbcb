package model

import (
	"math"
	"strconv"
	"strings"
	"time"
)

// Job is a row of xxl_job_info.
type Job struct {
	ID         int32
	GroupID    int32
	Name       string // job_desc, or name from master on
	AddTime    time.Time
	UpdateTime time.Time
	Author     Text
	AlarmEmail Text // comma separated

	ScheduleType ScheduleType
	ScheduleConf Text // a cron expression, or seconds
	Misfire      Misfire
	TimeZone     string // IANA name; "" is the server's zone
	Running      bool   // trigger_status
	LastMs       int64  // the last planned instant; 0 is none
	NextMs       int64  // the next one to plan; 0 is none

	Route      Route
	Handler    Text
	Param      Text
	Block      Block
	TimeoutSec int32 // seconds; 0 is no limit
	Retries    int32 // runs after the first failed one

	GlueType    string
	GlueSource  Text // not read by the scheduling pass for BEAN jobs
	GlueRemark  Text
	GlueUpdated time.Time // zero for NULL

	Children Text // child_jobid: ids, comma separated
}

// ChildIDs splits Children. Items that are not positive 32-bit numbers come
// back in bad, as typed.
func (j *Job) ChildIDs() (ids []int32, bad []string) {
	if strings.TrimSpace(j.Children.S) == "" {
		return nil, nil
	}
	for item := range strings.SplitSeq(j.Children.S, ",") {
		n, err := strconv.ParseInt(strings.TrimSpace(item), 10, 32)
		if err != nil || n <= 0 {
			bad = append(bad, item)
			continue
		}
		ids = append(ids, int32(n))
	}
	return ids, bad
}

// JobFilter selects jobs for a list. Zero fields select everything; the three
// texts match as substrings.
type JobFilter struct {
	GroupID  int32
	GroupIDs []int32 // nil is every group; else GroupID must be one of them too
	Running  *bool
	Name     string
	Named    string // exactly this name, as the database compares
	Handler  string
	Author   string
	Tag      string // exactly this one
	Sort     JobSort
	// Ascending turns the order round: the smallest or oldest first.
	Ascending bool
	After     *JobMark // only what comes behind it in this order; nil is from the start
	Before    *JobMark // only what comes before it, the nearest; instead of After
	Offset    int
	Limit     int // 0 is 10; at most 1,000
}

// JobSort is the order of a list of jobs; where two are the same the id decides.
type JobSort uint8

// The orders. Texts are compared as the database does.
const (
	SortID JobSort = iota
	SortName
	SortNext  // by the next planned instant; jobs that fire no more are the latest
	SortGroup // by the title of the group
	SortHandler
	SortAuthor
	SortState // started ones are the greater
)

// JobMark is a place in a list of jobs: what the order goes by, and the id.
type JobMark struct {
	ID     int32
	Text   string
	Number int64
}

// Mark is the place of a job in a list of this order. group is the title of its
// group, for SortGroup.
func (s JobSort) Mark(j *Job, group string) JobMark {
	m := JobMark{ID: j.ID}
	switch s {
	case SortName:
		m.Text = j.Name
	case SortNext:
		if m.Number = math.MaxInt64; j.Running && j.NextMs > 0 {
			m.Number = j.NextMs
		}
	case SortGroup:
		m.Text = group
	case SortHandler:
		m.Text = j.Handler.S
	case SortAuthor:
		m.Text = j.Author.S
	case SortState:
		if j.Running {
			m.Number = 1
		}
	case SortID:
	}
	return m
}

// TagCount is a tag and how many jobs have it.
type TagCount struct {
	Tag  string
	Jobs int
}

// GlueVersion is a row of xxl_job_logglue: a saved version of a job's code.
type GlueVersion struct {
	ID       int32
	JobID    int32
	GlueType string
	Source   Text
	Remark   string
	AddTime  time.Time
	Updated  time.Time
	User     string // who has saved it; "" where it is not known: a Java admin, or before it was kept
	Before   int32  // set by saving: the version that held the code until then; 0 is none
}

// StartedJob is what of a started job decides when it fires.
type StartedJob struct {
	ID           int32
	GroupID      int32
	Name         string
	ScheduleType ScheduleType
	Conf         string
	TimeZone     string // "" is that of the admin
	NextMs       int64  // the next instant that is not planned yet; 0 is none
}
