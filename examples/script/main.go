// Command script runs jobs whose code is written in the admin: shell, Python,
// Node.js, PHP and PowerShell, as far as the interpreter is installed. It needs
// no handler. Add a job of the mode "GLUE(Shell)" to an executor group "script"
// of your admin and edit its code there.
//
// Whoever holds the access token can run any code as the user of this process.
// Scripts are off unless a program switches them on, as this one does.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"github.com/xxljob-go/xxljob"
)

var (
	admin   = flag.String("admin", "http://127.0.0.1:8080/xxl-job-admin", "URL of the admin")
	token   = flag.String("token", "", "access token, the same as in the admin")
	port    = flag.Int("port", 9999, "port to listen on")
	logPath = flag.String("logpath", "xxl-job-logs", "folder for logs and results")
	python  = flag.String("python", "", "Python interpreter (default: looked up in PATH)")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "script:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	dir := filepath.Join(*logPath, "work")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	scripts := xxljob.ScriptConfig{
		Enabled:        true,
		Dir:            dir,
		Env:            environment,
		MaxOutputBytes: 1 << 20,
	}
	if *python != "" {
		scripts.Commands = map[string]string{"GLUE_PYTHON": *python}
	}
	executor, err := xxljob.NewExecutor(xxljob.Config{
		AdminAddrs:  []string{*admin},
		AppName:     "script",
		AccessToken: *token,
		Port:        *port,
		LogPath:     *logPath,
		Scripts:     scripts,
	})
	if err != nil {
		return err
	}
	return executor.Run(ctx)
}

// environment is what scripts see. The default would be all of this process's
// variables, secrets included.
func environment() []string {
	return []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8"}
}
