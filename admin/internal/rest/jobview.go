package rest

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/xxljob-go/xxljob/admin/internal/model"
	"github.com/xxljob-go/xxljob/admin/internal/ops"
)

// schedule is when a job fires by itself.
type schedule struct {
	Type       string `json:"type"`
	Cron       string `json:"cron,omitempty"`
	IntervalMs int64  `json:"interval_ms,omitempty"`
	TimeZone   string `json:"time_zone,omitempty"`
}

// jobInput is what an editor sets of a job.
type jobInput struct {
	GroupID    int32    `json:"group_id"`
	Name       string   `json:"name"`
	Author     string   `json:"author"`
	AlarmEmail string   `json:"alarm_email"`
	Schedule   schedule `json:"schedule"`
	Misfire    string   `json:"misfire"`
	Route      string   `json:"route"`
	Block      string   `json:"block"`
	Handler    string   `json:"handler"`
	Param      string   `json:"param"`
	TimeoutMs  int64    `json:"timeout_ms"`
	Retries    int32    `json:"retries"`
	Children   []int32  `json:"children"`
	Tags       []string `json:"tags"`
}

// jobCreate is jobInput with what cannot be edited in the same way.
type jobCreate struct {
	jobInput

	State      string `json:"state"`
	CodeType   string `json:"code_type"`
	Code       string `json:"code"`
	CodeRemark string `json:"code_remark"`
}

// jobView is a job as it is answered.
type jobView struct {
	ID int32 `json:"id"`
	jobInput

	State     string  `json:"state"`
	CodeType  string  `json:"code_type"`
	LastFire  *string `json:"last_fire"`
	NextFire  *string `json:"next_fire"`
	CreatedAt *string `json:"created_at"`
	UpdatedAt *string `json:"updated_at"`
}

func viewJob(j *model.Job, tags []string) jobView {
	children, _ := j.ChildIDs()
	v := jobView{
		ID: j.ID,
		jobInput: jobInput{
			GroupID: j.GroupID, Name: j.Name, Author: j.Author.S, AlarmEmail: j.AlarmEmail.S,
			Schedule: viewSchedule(j), Misfire: lower(j.Misfire), Route: lower(j.Route), Block: lower(j.Block),
			Handler: j.Handler.S, Param: j.Param.S, TimeoutMs: int64(max(j.TimeoutSec, 0)) * 1000,
			Retries: max(j.Retries, 0), Children: orEmpty(children), Tags: orEmpty(tags),
		},
		State: "stopped", CodeType: strings.ToLower(j.GlueType), LastFire: msOrNull(j.LastMs),
		CreatedAt: atOrNull(j.AddTime), UpdatedAt: atOrNull(j.UpdateTime),
	}
	if j.Running {
		v.State, v.NextFire = "started", msOrNull(j.NextMs)
	}
	return v
}

func viewSchedule(j *model.Job) schedule {
	s := schedule{Type: lower(j.ScheduleType), TimeZone: j.TimeZone}
	switch j.ScheduleType {
	case model.ScheduleCron:
		s.Cron = j.ScheduleConf.S
	case model.ScheduleFixRate:
		if n, err := strconv.ParseInt(j.ScheduleConf.S, 10, 32); err == nil {
			s.IntervalMs = n * 1000
		}
	case model.ScheduleNone:
	}
	return s
}

func lower[T ~string](v T) string { return strings.ToLower(string(v)) }

func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// etagOf is the version of what an editor sets.
func etagOf(v any) string {
	raw, err := json.Marshal(v)
	if err != nil {
		return `""` // structs of plain fields: never
	}
	sum := sha256.Sum256(raw)
	return `"` + hex.EncodeToString(sum[:16]) + `"`
}

func jobETag(j *model.Job, tags []string) string {
	v := viewJob(j, tags)
	return etagOf(v.jobInput)
}

// faults collects fields at fault.
type faults []fieldFault

func (f *faults) add(pointer, detail string) { *f = append(*f, fieldFault{pointer, detail}) }

func (f *faults) err() error {
	if len(*f) == 0 {
		return nil
	}
	return problem(kindInvalid, "see errors", *f...)
}

// enum reads one of the values in lower case; "" is the default.
func enum[T ~string](f *faults, pointer, given string, def T, values ...T) T {
	if given == "" {
		return def
	}
	names := make([]string, len(values))
	for i, v := range values {
		if names[i] = lower(v); names[i] == given {
			return v
		}
	}
	f.add(pointer, "use one of "+joined(names))
	return def
}

// seconds reads milliseconds that are whole seconds.
func (f *faults) seconds(pointer string, ms, low int64) int32 {
	if ms < low*1000 || ms%1000 != 0 || ms/1000 > math.MaxInt32 {
		f.add(pointer, "whole seconds in milliseconds, from "+strconv.FormatInt(low*1000, 10)+" on")
		return int32(low) //nolint:gosec // 0 or 1
	}
	return int32(ms / 1000) //nolint:gosec // checked above
}

func (s schedule) fill(f *faults, j *model.Job) {
	if s.Type == "" {
		f.add("/schedule/type", "it is missing")
	}
	j.ScheduleType = enum(f, "/schedule/type", s.Type, model.ScheduleNone,
		model.ScheduleNone, model.ScheduleCron, model.ScheduleFixRate)
	j.TimeZone = s.TimeZone
	if s.Cron != "" && s.Type != "cron" {
		f.add("/schedule/cron", "it goes with type cron")
	}
	if s.IntervalMs != 0 && s.Type != "fix_rate" {
		f.add("/schedule/interval_ms", "it goes with type fix_rate")
	}
	j.ScheduleConf = model.T("")
	switch s.Type {
	case "cron":
		j.ScheduleConf = model.T(s.Cron)
	case "fix_rate":
		j.ScheduleConf = model.T(strconv.Itoa(int(f.seconds("/schedule/interval_ms", s.IntervalMs, 1))))
	}
}

// job returns the job that the input describes.
func (in *jobInput) job(f *faults) *model.Job {
	if in.GroupID < 1 {
		f.add("/group_id", "it is missing")
	}
	j := &model.Job{
		GroupID: in.GroupID, Name: in.Name, Author: model.T(in.Author), AlarmEmail: model.T(in.AlarmEmail),
		Misfire: enum(f, "/misfire", in.Misfire, model.MisfireDoNothing,
			model.MisfireDoNothing, model.MisfireFireOnceNow),
		Route: enum(f, "/route", in.Route, model.RouteFirst, model.Routes()...),
		Block: enum(f, "/block", in.Block, model.BlockSerial,
			model.BlockSerial, model.BlockDiscardLater, model.BlockCoverEarly),
		Handler: model.T(in.Handler), Param: model.T(in.Param),
		TimeoutSec: f.seconds("/timeout_ms", in.TimeoutMs, 0), Retries: in.Retries, GlueType: model.GlueBean,
	}
	if in.Retries < 0 {
		f.add("/retries", "a number from 0 on")
	}
	in.Schedule.fill(f, j)
	ids := make([]string, len(in.Children))
	for i, id := range in.Children {
		ids[i] = strconv.Itoa(int(id))
	}
	j.Children = model.T(strings.Join(ids, ","))
	in.Tags = slices.Compact(slices.Sorted(slices.Values(in.Tags)))
	return j
}

// edited is the job of an update: an empty zone takes the job's own away.
func (in *jobInput) edited(f *faults, id int32) *model.Job {
	j := in.job(f)
	j.ID, j.TimeZone = id, cmp.Or(j.TimeZone, ops.ServerZone)
	return j
}

// created is the job of a creation.
func (in *jobCreate) created(f *faults) *model.Job {
	j := in.job(f)
	j.GlueType = enum(f, "/code_type", in.CodeType, model.GlueBean, model.GlueTypes()...)
	j.GlueSource, j.GlueRemark = model.T(in.Code), model.T(in.CodeRemark)
	switch in.State {
	case "", "stopped":
	case "started":
		j.Running = true
	default:
		f.add("/state", "use one of started, stopped")
	}
	return j
}
