package jobfile

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/xxljob-go/xxljob/admin/client"
)

// document is a job in the order in which it is written.
type document struct {
	ID         int32     `yaml:"id,omitempty"`
	Group      any       `yaml:"group"`
	Name       string    `yaml:"name"`
	Author     string    `yaml:"author,omitempty"`
	AlarmEmail string    `yaml:"alarm_email,omitempty"`
	Schedule   any       `yaml:"schedule"`
	Misfire    string    `yaml:"misfire,omitempty"`
	Route      string    `yaml:"route,omitempty"`
	Block      string    `yaml:"block,omitempty"`
	Handler    string    `yaml:"handler,omitempty"`
	Param      string    `yaml:"param,omitempty"`
	Timeout    string    `yaml:"timeout,omitempty"`
	Retries    int32     `yaml:"retries,omitempty"`
	Children   []any     `yaml:"children,omitempty,flow"`
	Tags       []string  `yaml:"tags,omitempty,flow"`
	State      string    `yaml:"state,omitempty"`
	CodeType   string    `yaml:"code_type,omitempty"`
	Code       yaml.Node `yaml:"code,omitempty"`
}

// Write writes jobs so that Parse reads the same. What has its default is left
// out.
func Write(w io.Writer, jobs []*Job) error {
	if len(jobs) == 0 {
		return nil
	}
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	for _, j := range jobs {
		if err := encoder.Encode(j.document()); err != nil {
			return fmt.Errorf("write job %s: %w", j.Name(), err)
		}
	}
	return encoder.Close()
}

func (j *Job) document() *document {
	in := j.Input
	d := &document{
		ID: j.ID, Group: j.Group.value(), Name: in.Name, Author: in.Author, AlarmEmail: in.AlarmEmail,
		Schedule: scheduleValue(in.Schedule), Handler: in.Handler, Param: in.Param, Retries: in.Retries,
		Tags: in.Tags, State: j.State,
	}
	def := normal(client.JobInput{})
	d.Misfire, d.Route = unless(in.Misfire, def.Misfire), unless(in.Route, def.Route)
	d.Block = unless(in.Block, def.Block)
	if in.TimeoutMs != 0 {
		d.Timeout = span(in.TimeoutMs)
	}
	for _, child := range j.Children {
		d.Children = append(d.Children, child.value())
	}
	d.CodeType = unless(j.CodeType, "bean")
	if j.Code != "" {
		d.Code = yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: j.Code, Style: yaml.LiteralStyle}
	}
	return d
}

func unless(value, def string) string {
	if value == def {
		return ""
	}
	return value
}

func (r Ref) value() any {
	if r.ID != 0 {
		return r.ID
	}
	return r.Name
}

func scheduleValue(s client.Schedule) any {
	type written struct {
		Cron     string `yaml:"cron,omitempty"`
		Every    string `yaml:"every,omitempty"`
		TimeZone string `yaml:"time_zone,omitempty"`
	}
	switch s.Type {
	case client.ScheduleCron:
		return written{Cron: s.Cron, TimeZone: s.TimeZone}
	case client.ScheduleFixRate:
		return written{Every: span(s.IntervalMs), TimeZone: s.TimeZone}
	}
	return client.ScheduleNone
}

// span is a number of milliseconds as people write it.
func span(ms int64) string {
	d := time.Duration(ms) * time.Millisecond
	for _, u := range []struct {
		unit time.Duration
		name string
	}{{time.Hour, "h"}, {time.Minute, "m"}, {time.Second, "s"}} {
		if d >= u.unit && d%u.unit == 0 {
			return strconv.FormatInt(int64(d/u.unit), 10) + u.name
		}
	}
	return d.String()
}
