package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// Sure is the flag of commands that ask before they do something.
type Sure struct {
	Yes bool `help:"Ask no questions." short:"y" env:"-"`
}

// check refuses a form of output that a question would spoil.
func (s *Sure) check(f *Form) error {
	if f.Output != "table" && !s.Yes {
		return UsageError{Err: errors.New("--output json and yaml ask no questions: give --yes")}
	}
	return nil
}

// ask asks once, unless --yes says that the answer is known. The question is made
// when it is asked. Where nobody could answer it, nothing is asked or done.
func (s *Sure) ask(con Console, question func() (string, error)) error {
	if s.Yes {
		return nil
	}
	if file, ok := con.In.(*os.File); ok && !isTerminal(file) {
		return UsageError{Err: errors.New("standard input is no terminal, so that nobody can answer: " +
			"give --yes if it is meant")}
	}
	text, err := question()
	if err != nil {
		return err
	}
	fmt.Fprint(con.Out, text+" [y/N] ")
	line, err := bufio.NewReader(io.LimitReader(con.In, 256)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes":
		return nil
	}
	if line == "" {
		fmt.Fprintln(con.Out)
	}
	return errors.New("nothing was changed; --yes asks no questions")
}

// isTerminal reports whether somebody may sit at the other end.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	if err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return false
	}
	null, err := os.Stat(os.DevNull) // what services and cron have as standard input
	return err != nil || !os.SameFile(info, null)
}

// known is a question that needs nothing to be found out.
func known(text string) func() (string, error) {
	return func() (string, error) { return text, nil }
}
