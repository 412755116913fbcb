package xxljob

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/xxljob-go/xxljob/internal/script"
	"github.com/xxljob-go/xxljob/internal/wire"
)

// scriptKillGrace is the time between SIGTERM and SIGKILL for a script's
// process group, a little less than stopGrace, so that the end of the script
// is what the run reports.
const scriptKillGrace = stopGrace - 300*time.Millisecond

// newScriptStore returns the folder of script files.
func newScriptStore(cfg *Config) *script.Store {
	commands := make(map[string][]string, len(cfg.Scripts.Commands))
	for glueType, command := range cfg.Scripts.Commands {
		commands[glueType] = []string{command}
	}
	return script.NewStore(filepath.Join(cfg.LogPath, "gluesource"), script.Options{
		Commands:       commands,
		MaxOutputBytes: cfg.Scripts.MaxOutputBytes,
		MaxSourceBytes: wire.MaxBody,
		KillGrace:      scriptKillGrace,
		Env:            cfg.Scripts.Env,
		Dir:            cfg.Scripts.Dir,
	})
}

// scriptRegistration returns the handler of a job thread whose triggers carry
// a script. The thread keeps the source that it began with, as in Java, until
// a trigger with another glueUpdatetime replaces it.
func (d *dispatcher) scriptRegistration(t *wire.TriggerRequest) *registration {
	source := t.GlueSource
	lang, _ := script.Lookup(t.GlueType.String)
	handle := func(ctx context.Context, run *Run) error {
		return d.runScript(ctx, run, lang, source)
	}
	return &registration{name: t.GlueType.String, handle: d.handlers.wrap(handle)}
}

// runScript runs a script (wire.md 3.6): its output goes to the run's log, its
// exit status becomes the result.
func (d *dispatcher) runScript(ctx context.Context, run *Run, lang script.Language, source wire.NullString) error {
	if !source.Valid {
		run.log.entry(siteScript, "the trigger has no glueSource: save the job's script in the admin again")
		return errors.New(wire.ScriptExitText(-1))
	}
	s, err := d.scripts.Prepare(run.trigger.JobID, run.trigger.GlueUpdateTime, lang, source.String)
	if err != nil {
		return fmt.Errorf("script file: %w", err)
	}
	run.log.entry(siteScript, wire.ScriptFileText(s.Path()))
	exit, err := s.Run(ctx, run.log, script.Args{
		Param:      run.Param(),
		ShardIndex: run.ShardIndex(),
		ShardTotal: int(run.trigger.BroadcastTotal),
	})
	if err != nil {
		run.log.entry(siteScript, err.Error())
	}
	if err != nil || exit != 0 {
		return errors.New(wire.ScriptExitText(exit))
	}
	return nil
}
