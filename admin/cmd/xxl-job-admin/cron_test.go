package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

func TestCron(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		args  []string
		stdin string
		code  int
		out   string
		err   string // fragment
	}{
		{
			name: "one", args: []string{"-n", "2", "0 30 9 ? * MON"},
			out: "2026-03-30 09:30:00 +00:00 Mon\n2026-04-06 09:30:00 +00:00 Mon\n",
		},
		{
			name: "two", args: []string{"-n", "1", "0 0 0 1 1 ?", "* * * * * ?"},
			out: "0 0 0 1 1 ?\n  2027-01-01 00:00:00 +00:00 Fri\n* * * * * ?\n  2026-03-28 12:00:01 +00:00 Sat\n",
		},
		{
			name: "from standard input", args: []string{"-n", "1"}, code: cli.ExitFault,
			stdin: "# a comment\n\n0 0 0 1 1 ?\n0 0 25 * * ?\n* * * * * ?",
			out:   "0 0 0 1 1 ?\n  2027-01-01 00:00:00 +00:00 Fri\n* * * * * ?\n  2026-03-28 12:00:01 +00:00 Sat\n",
			err:   "  0 0 25 * * ?\n      ^\n",
		},
		{name: "never", args: []string{"0 0 0 30 2 ?"}, out: "never fires\n"},
		{name: "bad", args: []string{"0 0 25 * * ?"}, code: cli.ExitFault, err: "hour"},
		{name: "too few fields", args: []string{"* * *"}, code: cli.ExitFault, err: "xxl-job-admin: "},
		{name: "summer time", args: []string{"--zone", "Europe/Berlin", "-n", "2", "0 30 2 * * ?"}, out: "2026-03-29 03:00:00 +02:00 Sun\n2026-03-30 02:30:00 +02:00 Mon\n"},
		{name: "line too long", stdin: strings.Repeat("*", maxCronLine+1), code: cli.ExitFault, err: "read expressions"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			args := append([]string{"cron", "--zone", "UTC", "--after", "2026-03-28 12:00:00"}, tt.args...)
			code, out, errOut := call(t, tt.stdin, args...)
			assert.Equal(t, tt.code, code, errOut)
			assert.Equal(t, tt.out, out)
			assert.Contains(t, errOut, tt.err)
		})
	}
}
