package script

import (
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrNoInterpreter is returned by Run, wrapped with the commands that were
// looked for, when none of them is installed.
var ErrNoInterpreter = errors.New("script: no interpreter found")

// Language describes one script type of the protocol.
type Language struct {
	GlueType string // name on the wire, such as GLUE_SHELL
	Desc     string // name in messages, such as GLUE(Shell)
	Suffix   string // of the script file, with its dot

	// Commands are the interpreters, best first; the first that is found in
	// PATH runs the script. Where releases of xxl-job differ, the newest one's
	// choice comes first and the older one's serves as a fallback.
	Commands []string
}

// The six script types. GLUE_PYTHON has been python3 since 3.2.0 and
// GLUE_POWERSHELL pwsh since 3.4.2.
var languages = []Language{
	{"GLUE_SHELL", "GLUE(Shell)", ".sh", []string{"bash"}},
	{"GLUE_PYTHON", "GLUE(Python3)", ".py", []string{"python3", "python"}},
	{"GLUE_PYTHON2", "GLUE(Python2)", ".py", []string{"python2", "python"}},
	{"GLUE_NODEJS", "GLUE(Nodejs)", ".js", []string{"node"}},
	{"GLUE_POWERSHELL", "GLUE(PowerShell)", ".ps1", []string{"pwsh", "powershell"}},
	{"GLUE_PHP", "GLUE(PHP)", ".php", []string{"php"}},
}

// Lookup returns the script language with exactly this glue type. It knows the
// six types that run as a process: BEAN and GLUE_GROOVY are not among them.
func Lookup(glueType string) (Language, bool) {
	for _, language := range languages {
		if language.GlueType == glueType {
			language.Commands = slices.Clone(language.Commands)
			return language, true
		}
	}
	return Language{}, false
}

// interpreter returns the absolute path of the first of commands that exists.
func interpreter(commands []string) (string, error) {
	for _, command := range commands {
		// A command found by way of a relative PATH entry is an error of
		// LookPath, so that a file in the working directory is never taken for one.
		path, err := exec.LookPath(command)
		if err != nil {
			continue
		}
		if path, err = filepath.Abs(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("%w: looked for %s; install one, or configure its full path",
		ErrNoInterpreter, strings.Join(commands, ", "))
}
