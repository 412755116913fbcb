package cli

import (
	"bufio"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"
)

// PasswordFlag is a password from standard input, or one that is made up.
type PasswordFlag struct {
	PasswordStdin bool `help:"Read the password from the first line of standard input." env:"-"`
}

// Get returns the password, and whether it was made up.
func (p PasswordFlag) Get(con Console) (password string, generated bool, err error) {
	if !p.PasswordStdin {
		return RandomPassword(), true, nil
	}
	line, err := bufio.NewReader(io.LimitReader(con.In, 4096)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", false, fmt.Errorf("read the password: %w", err)
	}
	if line = strings.TrimRight(line, "\r\n"); line == "" {
		return "", false, UsageError{Err: errors.New("--password-stdin: standard input is empty")}
	}
	return line, false, nil
}

// RandomPassword is as long as the Java admin takes them, with 100 random bits.
func RandomPassword() string { return strings.ToLower(rand.Text()[:20]) }
