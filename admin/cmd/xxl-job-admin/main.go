// Command xxl-job-admin is the scheduling centre in one program.
//
//	xxl-job-admin                     serve, with a SQLite database in ./xxl-job-data
//	xxl-job-admin demo                a tour: admin, executors and sample jobs in one process
//	xxl-job-admin serve --db 'mysql://user:pw@host:3306/xxl_job' --access-token …
//	xxl-job-admin migrate --dry-run   what would be added to a database
//	xxl-job-admin import --from URL   copy the database of a Java admin
//	xxl-job-admin user passwd admin   a new password
//	xxl-job-admin job apply -f jobs.yaml  make jobs of a running admin what a file says
//	xxl-job-admin cron '0 0/5 * * * ?'  when an expression fires
//
// Every flag is an environment variable too (--access-token is
// XXL_JOB_ADMIN_ACCESS_TOKEN), and a key of the JSON file that --config names.
// A flag wins over the environment, and the environment over the file.
//
// Exit codes: 0 when all went well, 1 when not, 2 for a mistake on the command
// line, in the environment or in the file. Commands on a running admin also have 3
// for job apply --dry-run that would change something, 4 for job run --wait whose
// run failed, and 5 for what does not exist.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // zones also where the machine has none, as in an empty container

	"github.com/alecthomas/kong"

	"github.com/xxljob-go/xxljob/admin/internal/cli"
)

// envPrefix begins the names of environment variables.
const envPrefix = "XXL_JOB_ADMIN"

// commands is the command line.
type commands struct {
	Config configFlag `help:"JSON file with flags by their names, e.g. {\"listen\": \":8080\"}." placeholder:"FILE"`

	Serve   serveCmd   `cmd:"" default:"withargs" help:"Run the scheduling centre (the default command)."`
	Demo    demoCmd    `cmd:"" help:"Show it at work: admin, executors and sample jobs in one process."`
	Migrate migrateCmd `cmd:"" help:"Create the tables, or add what is missing to those of a Java admin, and exit."`
	Import  importCmd  `cmd:"" help:"Copy groups, jobs, users and logs from the database of a Java admin into ours."`
	User    userCmd    `cmd:"" help:"List, add and delete users, and set passwords."`

	Job       cli.JobCmd       `cmd:"" help:"List, apply, export, start, stop, run and delete jobs of a running admin."`
	Run       cli.RunCmd       `cmd:"" help:"List, show, kill and retry runs of a running admin, and print their logs."`
	Executor  cli.ExecutorCmd  `cmd:"" help:"List, probe, create and delete groups of executors of a running admin."`
	Key       cli.KeyCmd       `cmd:"" help:"List, create and revoke API keys of a running admin."`
	Alarm     cli.AlarmCmd     `cmd:"" help:"Show alarms of a running admin; set rules, mute, test channels."`
	Session   cli.SessionCmd   `cmd:"" help:"List and end logins of a running admin."`
	Retention cli.RetentionCmd `cmd:"" help:"Show and set how long a running admin keeps rows."`
	Audit     cli.AuditCmd     `cmd:"" help:"List and export the audit log of a running admin."`

	Completion completionCmd `cmd:"" help:"Print a script for the completion of a shell."`
	Cron       cronCmd       `cmd:"" help:"Show when cron expressions fire."`
	Version    versionCmd    `cmd:"" help:"Show what this program was built from."`
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the program at once
	code := run(ctx, os.Args[1:], cli.Console{In: os.Stdin, Out: os.Stdout, Err: os.Stderr})
	stop()
	os.Exit(code)
}

// run is the whole program. It returns the exit code.
func run(ctx context.Context, args []string, con cli.Console) int {
	if err := unsetEmpty(); err != nil {
		fmt.Fprintln(con.Err, "xxl-job-admin:", err)
		return cli.ExitFault
	}
	var line commands
	exited := false
	parser, err := kong.New(&line,
		kong.Name("xxl-job-admin"),
		kong.Description("A scheduling centre for xxl-job executors."),
		helpTexts,
		kong.DefaultEnvars(envPrefix),
		kong.Configuration(loadFile),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}),
		kong.Writers(con.Out, con.Err),
		kong.Exit(func(int) { exited = true }), // after --help
		kong.BindTo(ctx, (*context.Context)(nil)),
		kong.Bind(con),
	)
	if err != nil {
		fmt.Fprintln(con.Err, "xxl-job-admin:", err)
		return cli.ExitFault
	}
	parsed, err := parser.Parse(joinSort(args))
	if exited {
		return cli.ExitOK
	}
	if err != nil {
		explain(con, err, parser.Model, args)
		return cli.ExitUsage
	}
	return con.ExitCode(parsed.Run())
}

// joinSort makes one word of --sort and an order from the end, such as --sort -name,
// which otherwise is a flag.
func joinSort(args []string) []string {
	var joined []string
	for i := 0; i < len(args); i++ {
		if args[i] == "--sort" && i+1 < len(args) && strings.HasPrefix(args[i+1], "-") {
			joined = append(joined, "--sort="+args[i+1])
			i++
			continue
		}
		joined = append(joined, args[i])
	}
	return joined
}

// explain says what is wrong with a command line, and where to look.
func explain(con cli.Console, err error, model *kong.Application, args []string) {
	if name, ok := strings.CutPrefix(err.Error(), "unexpected argument "); ok && !slices.Contains(args, "serve") &&
		typed(err) == "xxl-job-admin serve" { // which is the command where none is named
		fmt.Fprintf(con.Err, "xxl-job-admin: there is no command %q%s\nRun %q for the commands.\n",
			name, nearly(model, name), "xxl-job-admin --help")
		return
	}
	text := strings.Replace(err.Error(), `one of "",`, "one of ", 1) // "" stands for a flag that is not given
	fmt.Fprintf(con.Err, "xxl-job-admin: %s\nRun \"%s --help\" for the flags.\n", text, typed(err))
}

// nearly asks whether a command of a name that is like one was meant.
func nearly(model *kong.Application, name string) string {
	i := slices.IndexFunc(model.Children, func(command *kong.Node) bool {
		return strings.HasPrefix(name, command.Name) || strings.HasPrefix(command.Name, name)
	})
	if i < 0 {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", model.Children[i].Name)
}

// typed is the command that a mistake is in, as far as it was understood.
func typed(err error) string {
	var fault *kong.ParseError
	if errors.As(err, &fault) && fault.Context != nil {
		if node := fault.Context.Selected(); node != nil {
			return node.FullPath()
		}
	}
	return "xxl-job-admin"
}

// unsetEmpty takes variables of ours without a value out of the environment:
// container tools set those that a user has left out to nothing.
func unsetEmpty() error {
	for _, entry := range os.Environ() {
		name, value, _ := strings.Cut(entry, "=")
		if value == "" && strings.HasPrefix(name, envPrefix+"_") {
			if err := os.Unsetenv(name); err != nil {
				return err
			}
		}
	}
	return nil
}
