//go:build linux

package main

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestParse(t *testing.T) {
	t.Parallel()
	opt, err := parse(nil)
	require.NoError(t, err)
	assert.Equal(t, 10*time.Minute, opt.window)
	assert.Equal(t, []int{1000, 5000}, opt.rates)
	assert.Equal(t, []int{1000, 100_000, 1_000_000}, opt.idleJobs)
	assert.Equal(t, []int{100, 1_000_000, 10_000_000}, opt.logRows)
	assert.Equal(t, []string{"sqlite", "mysql"}, opt.databases)
	assert.Equal(t, scenarioNames(), opt.scenarios)

	opt, err = parse([]string{"-short", "-rates", "7", "-db", "postgres"})
	require.NoError(t, err)
	assert.Equal(t, 20*time.Second, opt.window)
	assert.Equal(t, []int{7}, opt.rates)
	assert.Equal(t, []string{"postgres"}, opt.databases)
}

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		args []string
		want string
	}{
		{args: []string{"-rates", "0"}, want: "-rates"},
		{args: []string{"-rates", "1,x"}, want: `"x"`},
		{args: []string{"-db", "oracle"}, want: "oracle"},
		{args: []string{"-scenarios", "none"}, want: "none"},
		{args: []string{"-window", "5s"}, want: "10s"},
		{args: []string{"-posters", "0"}, want: "-posters"},
		{args: []string{"rest"}, want: "rest"},
	} {
		_, err := parse(tt.args)
		assert.ErrorContains(t, err, tt.want, tt.args)
	}
}
