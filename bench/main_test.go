//go:build linux

package main

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

func TestParse(t *testing.T) {
	t.Parallel()
	full, err := parse(nil)
	require.NoError(t, err)
	assert.Equal(t, 40_000, full.triggers)
	assert.Equal(t, 2_000, full.warm)
	assert.Equal(t, 3, full.rounds)
	assert.Equal(t, scenarioNames(), full.scenarios)

	short, err := parse([]string{"-short", "-triggers", "77", "-scenarios", "log,jobs"})
	require.NoError(t, err)
	assert.Equal(t, 77, short.triggers, "a flag counts beside -short")
	assert.Equal(t, 1, short.rounds)
	assert.Equal(t, []string{"log", "jobs"}, short.scenarios)

	tests := []struct {
		name string
		args []string
		want string
	}{
		{name: "unknown scenario", args: []string{"-scenarios", "log,speed"}, want: `"speed": choose from throughput`},
		{name: "nothing to send", args: []string{"-triggers", "-1"}, want: "at least 1"},
		{name: "argument", args: []string{"short"}, want: `unknown argument "short"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := parse(tt.args)
			assert.ErrorContains(t, err, tt.want)
		})
	}
}

func TestMavenProfile(t *testing.T) {
	t.Parallel()
	for release, want := range map[string]string{
		"2.2.0": "v22", "2.3.1": "v23", "2.5.0": "v23", "3.1.1": "v23", "3.2.0": "v23", "3.3.2": "v33",
	} {
		assert.Equal(t, want, mavenProfile(release), release)
	}
}
