package script

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestLookup(t *testing.T) {
	tests := []struct {
		glueType     string
		wantDesc     string
		wantSuffix   string
		wantCommands []string
	}{
		{"GLUE_SHELL", "GLUE(Shell)", ".sh", []string{"bash"}},
		{"GLUE_PYTHON", "GLUE(Python3)", ".py", []string{"python3", "python"}},
		{"GLUE_PYTHON2", "GLUE(Python2)", ".py", []string{"python2", "python"}},
		{"GLUE_NODEJS", "GLUE(Nodejs)", ".js", []string{"node"}},
		{"GLUE_POWERSHELL", "GLUE(PowerShell)", ".ps1", []string{"pwsh", "powershell"}},
		{"GLUE_PHP", "GLUE(PHP)", ".php", []string{"php"}},
	}
	for _, tt := range tests {
		t.Run(tt.glueType, func(t *testing.T) {
			got, ok := Lookup(tt.glueType)
			require.True(t, ok)
			assert.Equal(t, Language{tt.glueType, tt.wantDesc, tt.wantSuffix, tt.wantCommands}, got)
		})
	}
	for _, glueType := range []string{"", "BEAN", "GLUE_GROOVY", "glue_shell", "GLUE_SHELL ", "FOO"} {
		_, ok := Lookup(glueType)
		assert.False(t, ok, "Lookup(%q)", glueType)
	}
}

func TestLookupReturnsACopy(t *testing.T) {
	first, _ := Lookup("GLUE_SHELL")
	first.Commands[0] = "changed"
	second, _ := Lookup("GLUE_SHELL")
	assert.Equal(t, []string{"bash"}, second.Commands)
}

func TestInterpreterIgnoresTheWorkingDirectory(t *testing.T) {
	dir := t.TempDir()
	program := filepath.Join(dir, "planted")
	require.NoError(t, os.WriteFile(program, []byte("#!/bin/sh\n"), 0o755))
	t.Chdir(dir)
	t.Setenv("PATH", "."+string(os.PathListSeparator)+os.Getenv("PATH"))
	_, err := interpreter([]string{"planted"})
	assert.ErrorIs(t, err, ErrNoInterpreter)
}
