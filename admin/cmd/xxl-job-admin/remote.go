package main

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"go.yaml.in/yaml/v3"

	"github.com/xxljob-go/xxljob/admin/client"
	"github.com/xxljob-go/xxljob/admin/internal/jobfile"
)

// Exit codes of the commands that talk to a running admin, beside those of all.
const (
	exitChanges   = 3 // apply --dry-run: there is something to change
	exitRunFailed = 4 // job run --wait: a run failed
	exitNotFound  = 5 // there is no such job, run, group or key
)

// codedError ends the program with a code of its own.
type codedError struct {
	error
	code int
}

// Unwrap returns the error itself.
func (e codedError) Unwrap() error { return e.error }

// notFound says that something does not exist.
func notFound(format string, args ...any) error {
	return codedError{fmt.Errorf(format, args...), exitNotFound}
}

// remote are the flags of all commands that talk to a running admin.
type remote struct {
	Server  string        `help:"${server}" env:"XXL_JOB_SERVER" default:"http://127.0.0.1:8080" placeholder:"URL"`
	Key     string        `help:"${key}" env:"XXL_JOB_KEY" placeholder:"KEY"`
	Timeout time.Duration `help:"Limit of one request." default:"30s" env:"-"`
}

// client makes the client.
func (r *remote) client() (*client.Client, error) {
	if r.Key == "" {
		return nil, usageError{errors.New("an API key is needed: set XXL_JOB_KEY, or give --key; " +
			"xxl-job-admin key create NAME --verb admin --login USER makes the first one")}
	}
	if r.Timeout <= 0 {
		return nil, usageError{fmt.Errorf("--timeout %v must be above 0", r.Timeout)}
	}
	c, err := client.New(client.Config{
		BaseURL: r.Server, Key: r.Key, Timeout: r.Timeout, UserAgent: "xxl-job-admin",
	})
	if err != nil {
		return nil, usageError{fmt.Errorf("--server: %w", errors.New(strings.TrimPrefix(err.Error(), "client: ")))}
	}
	return c, nil
}

// with calls f with a client.
func (r *remote) with(f func(c *client.Client) error) error {
	c, err := r.client()
	if err != nil {
		return err
	}
	defer c.Close()
	if err := f(c); err != nil {
		if errors.Is(err, client.ErrNotFound) {
			return codedError{err, exitNotFound}
		}
		return err
	}
	return nil
}

// output is the form in which a command prints what it found.
type output struct {
	Output string `help:"${output}" short:"o" enum:"table,json,yaml" default:"table" env:"-"`
}

// print writes value as JSON or YAML, or a table that fill makes.
func (o *output) print(con console, value any, fill func(w io.Writer)) error {
	switch o.Output {
	case "json":
		encoder := json.NewEncoder(con.out)
		encoder.SetIndent("", "  ")
		encoder.SetEscapeHTML(false)
		return encoder.Encode(value)
	case "yaml":
		return printYAML(con.out, value)
	}
	table := tabwriter.NewWriter(con.out, 0, 0, 2, ' ', 0)
	fill(table)
	return table.Flush()
}

// aside is where goes what is not the output itself: JSON and YAML stay whole.
func (o *output) aside(con console) io.Writer {
	if o.Output == "table" {
		return con.out
	}
	return con.err
}

// printYAML writes what the JSON of a value says.
func printYAML(w io.Writer, value any) error {
	raw, err := json.Marshal(value)
	if err != nil {
		return err
	}
	var node yaml.Node
	if err := yaml.Unmarshal(raw, &node); err != nil { // JSON is YAML; the order of fields stays
		return err
	}
	plainStyle(&node)
	encoder := yaml.NewEncoder(w)
	encoder.SetIndent(2)
	if err := encoder.Encode(&node); err != nil {
		return err
	}
	return encoder.Close()
}

// plainStyle writes blocks, and quotes only where it is needed.
func plainStyle(n *yaml.Node) {
	n.Style = 0
	for _, child := range n.Content {
		plainStyle(child)
	}
}

// row writes the cells of a table. What comes from elsewhere cannot control the
// terminal.
func row(w io.Writer, cells ...any) {
	for i, cell := range cells {
		if i > 0 {
			fmt.Fprint(w, "\t")
		}
		fmt.Fprint(w, safe(fmt.Sprint(cell)))
	}
	fmt.Fprintln(w)
}

// safe shows what a terminal would obey.
func safe(s string) string {
	if !strings.ContainsFunc(s, unprintable) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			b.WriteString(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unprintable(r rune) bool { return r != ' ' && !unicode.IsPrint(r) }

// clock is an instant in a table, in the zone of this machine.
func clock(t *time.Time) string {
	if t == nil || t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04:05")
}

func dash(s string) string { return cmp.Or(s, "-") }

// world is what there is, for names.
func world(ctx context.Context, c *client.Client) (jobfile.World, error) {
	w := jobfile.World{Code: func(id int32) (string, error) {
		code, err := c.Code(ctx, id)
		if err != nil {
			return "", err
		}
		return code.Code, nil
	}}
	for g, err := range c.Groups(ctx, "") {
		if err != nil {
			return w, err
		}
		w.Groups = append(w.Groups, g)
	}
	for j, err := range c.Jobs(ctx, client.JobFilter{Sort: "id"}) {
		if err != nil {
			return w, err
		}
		w.Jobs = append(w.Jobs, j)
	}
	return w, nil
}

// appNames maps the ids of groups to their app names.
func appNames(ctx context.Context, c *client.Client) (map[int32]string, error) {
	names := make(map[int32]string)
	for g, err := range c.Groups(ctx, "") {
		if err != nil {
			return nil, err
		}
		names[g.ID] = g.AppName
	}
	return names, nil
}

// asID reads the id of a job or group.
func asID(text string) (int32, bool) {
	id, err := strconv.ParseInt(text, 10, 32)
	return int32(id), err == nil && id > 0 //nolint:gosec // parsed as 32 bits wide
}

// findGroup returns the group of an id or an app name.
func findGroup(ctx context.Context, c *client.Client, name string) (*client.Group, error) {
	if id, ok := asID(name); ok {
		return c.Group(ctx, id)
	}
	var found []*client.Group
	for g, err := range c.Groups(ctx, name) {
		if err != nil {
			return nil, err
		}
		if g.AppName == name {
			found = append(found, g)
		}
	}
	switch len(found) {
	case 0:
		return nil, notFound("there is no group %q: xxl-job-admin executor list shows them", name)
	case 1:
		return found[0], nil
	}
	return nil, usageError{fmt.Errorf("there are %d groups %q: give the id of one (%d, %d …)",
		len(found), name, found[0].ID, found[1].ID)}
}

// findJob returns the job of an id, a name, or a group and a name: 7, settle or
// orders/settle.
func findJob(ctx context.Context, c *client.Client, name string) (*client.Job, error) {
	if id, ok := asID(name); ok {
		return c.Job(ctx, id)
	}
	filter, want := client.JobFilter{Name: name}, name
	if app, rest, ok := strings.Cut(name, "/"); ok {
		g, err := findGroup(ctx, c, app)
		if err == nil {
			filter, want = client.JobFilter{GroupID: g.ID, Name: rest}, rest
		} else if coded := new(codedError); !errors.As(err, coded) { // else the name has a slash
			return nil, err
		}
	}
	var ids []string
	var found *client.Job
	for j, err := range c.Jobs(ctx, filter) {
		if err != nil {
			return nil, err
		}
		if j.Name == want {
			found = j
			ids = append(ids, strconv.Itoa(int(j.ID)))
		}
	}
	switch len(ids) {
	case 0:
		return nil, notFound("there is no job %q: xxl-job-admin job list shows them", name)
	case 1:
		return found, nil
	}
	return nil, usageError{fmt.Errorf("there are %d jobs %q: give the id of one (%s), or its group: GROUP/NAME",
		len(ids), name, strings.Join(ids, ", "))}
}

// findTarget is findJob for what is done to a job. A key may do it without being
// allowed to look: then only the id is known.
func findTarget(ctx context.Context, c *client.Client, name string) (*client.Job, error) {
	j, err := findJob(ctx, c, name)
	if id, ok := asID(name); ok && errors.Is(err, client.ErrForbidden) {
		return &client.Job{ID: id}, nil
	}
	return j, err
}

// confirm asks a question, unless yes says that the answer is known.
func confirm(con console, yes bool, question string) error {
	if yes {
		return nil
	}
	fmt.Fprint(con.out, question+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(con.in, 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	if line == "" {
		fmt.Fprintln(con.out)
	}
	return errors.New("nothing was changed; --yes asks no questions")
}
