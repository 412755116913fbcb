package importer

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// What became of a row.
const (
	Copied   = "copied"   // with its id
	Remapped = "remapped" // copied under another id
	Present  = "present"  // there already, and left as it is
	Skipped  = "skipped"  // not copied, for the reason in Note
)

// Report says what an import has done, or would do.
type Report struct {
	Source     string   `json:"source"`     // database without password
	Target     string   `json:"target"`     // database without password
	Generation string   `json:"generation"` // of the source's schema, S1 to S5
	DryRun     bool     `json:"dry_run"`
	Groups     Section  `json:"groups"`
	Jobs       Section  `json:"jobs"`
	Users      Section  `json:"users"`
	Versions   Section  `json:"code_versions"`
	Logs       *Section `json:"logs,omitempty"` // nil unless logs were asked for
	Running    int      `json:"running_jobs"`   // copied jobs that fire by themselves from now on

	Own       *OwnReport `json:"own,omitempty"`       // nil for the database of a Java admin
	Passwords int        `json:"passwords,omitempty"` // users who log in here as they did there
}

// Section counts the rows of one kind. Items lists those of which there is
// something to say.
type Section struct {
	Copied   int    `json:"copied"` // under whatever id
	Remapped int    `json:"remapped"`
	Present  int    `json:"present"`
	Skipped  int    `json:"skipped"`
	Items    []Item `json:"items,omitempty"`
}

// Item is a row that was not simply copied or simply present.
type Item struct {
	Action   string   `json:"action"` // Copied, Remapped, Present or Skipped
	ID       int64    `json:"id"`     // in the source; 0 stands for several rows
	NewID    int64    `json:"new_id,omitempty"`
	Name     string   `json:"name,omitempty"`
	Notes    []string `json:"notes,omitempty"`
	Password string   `json:"password,omitempty"` // of a new user, where it was asked for; shown once
}

// add counts a row, and keeps it if there is something to say of it.
func (s *Section) add(it Item) {
	switch it.Action {
	case Copied:
		s.Copied++
	case Remapped:
		s.Copied++
		s.Remapped++
	case Present:
		s.Present++
	case Skipped:
		s.Skipped++
	}
	if it.Action == Remapped || it.Action == Skipped || len(it.Notes) > 0 || it.Password != "" {
		s.Items = append(s.Items, it)
	}
}

// skip counts n rows that are left out for the same reason.
func (s *Section) skip(n int, why string) {
	if n > 0 {
		s.Skipped += n
		s.Items = append(s.Items, Item{Action: Skipped, Name: rows(n), Notes: []string{why}})
	}
}

func rows(n int) string {
	if n == 1 {
		return "1 row"
	}
	return fmt.Sprintf("%d rows", n)
}

// Changes reports whether anything was copied, or would be.
func (r *Report) Changes() bool {
	return slices.ContainsFunc(r.sections(), func(s namedSection) bool { return s.Copied > 0 })
}

type namedSection struct {
	name string
	*Section
}

// sections lists those that the report has, in the order in which people read
// them.
func (r *Report) sections() []namedSection {
	list := []namedSection{
		{"groups", &r.Groups},
		{"jobs", &r.Jobs},
		{"users", &r.Users},
		{"code versions", &r.Versions},
	}
	if o := r.Own; o != nil {
		list = append(list, []namedSection{
			{"roles in groups", &o.Roles},
			{"rights to write code", &o.Code},
			{"saved filters", &o.Views},
			{"tags", &o.Tags},
			{"mute windows", &o.Mutes},
			{"alarm rules", &o.Rules},
			{"API keys", &o.Keys},
			{"old tokens", &o.OldTokens},
			{"declared jobs", &o.Declared},
			{"history", &o.Changes},
		}...)
	}
	if r.Logs != nil {
		list = append(list, namedSection{"logs", r.Logs})
	}
	return list
}

// WriteText writes the report for people.
func (r *Report) WriteText(w io.Writer) error {
	verb := "imported"
	if r.DryRun {
		verb = "would import"
	}
	fmt.Fprintf(w, "%s from %s (schema %s) into %s\n\n", verb, r.Source, r.Generation, r.Target)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\tCOPIED\tWITH ANOTHER ID\tTHERE ALREADY\tSKIPPED")
	sections := r.sections()
	for _, s := range sections {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t%d\n", s.name, s.Copied, s.Remapped, s.Present, s.Skipped)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	for _, s := range sections {
		if len(s.Items) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n", s.name)
		for _, it := range s.Items {
			fmt.Fprintf(w, "  %s\n", it.line())
		}
	}
	if r.Own != nil && len(r.Own.Left) > 0 {
		fmt.Fprintln(w, "\nnever copied:")
		for _, l := range r.Own.Left {
			fmt.Fprintf(w, "  %d %s: %s\n", l.Rows, l.What, l.Why)
		}
	}
	if r.Passwords > 0 {
		fmt.Fprintf(w, "\n%d of the copied users log in with the passwords that they have.\n", r.Passwords)
	}
	if r.Running > 0 {
		fmt.Fprintf(w, "\n%d of the copied jobs are switched on: stop the other admin before this one runs them.\n",
			r.Running)
	}
	return nil
}

// line is an item for people. Names come from the database and are quoted.
func (it *Item) line() string {
	var b strings.Builder
	b.WriteString(it.Action)
	if it.ID != 0 {
		fmt.Fprintf(&b, " %d", it.ID)
	}
	if it.Action == Remapped {
		fmt.Fprintf(&b, " to %d", it.NewID)
	}
	if it.Name != "" {
		fmt.Fprintf(&b, " %q", it.Name)
	}
	if it.Password != "" {
		b.WriteString(", password " + it.Password)
	}
	if len(it.Notes) > 0 {
		b.WriteString(": " + strings.Join(it.Notes, "; "))
	}
	return b.String()
}
