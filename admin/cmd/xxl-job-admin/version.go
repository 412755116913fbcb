package main

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// versionCmd shows what the program was built from.
type versionCmd struct{}

// Run prints it.
func (versionCmd) Run(con cli.Console) error {
	fmt.Fprintln(con.Out, versionText())
	return nil
}

func versionText() string {
	version, revision := "unknown", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = info.Main.Version
		for _, s := range info.Settings {
			switch {
			case s.Key == "vcs.revision":
				revision = " " + s.Value[:min(len(s.Value), 12)]
			case s.Key == "vcs.modified" && s.Value == "true":
				revision += " with changes"
			}
		}
	}
	return fmt.Sprintf("xxl-job-admin %s%s (%s, %s/%s)", version, revision,
		runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
