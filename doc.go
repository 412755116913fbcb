// Package xxljob is an executor for xxl-job: it runs the jobs that an xxl-job
// admin triggers, the Java one of any release from 2.2.0 on or this project's.
//
// A program makes an Executor, registers handlers under the names that jobs
// carry in the admin as JobHandler, and calls Run:
//
//	executor, err := xxljob.NewExecutor(xxljob.Config{
//		AdminAddrs:  []string{"http://admin:8080/xxl-job-admin"},
//		AppName:     "billing",
//		AccessToken: os.Getenv("XXL_JOB_TOKEN"),
//	})
//	if err != nil {
//		return err
//	}
//	executor.Register("close-day", closeDay)
//	return executor.Run(ctx)
//
// # Promises
//
// A trigger that was answered with success ends in exactly one result, which
// is delivered at least once, whenever the process is killed and started again
// on the same LogPath; a trigger that is sent twice runs once; and a handler
// that ignores its context holds nobody up. docs/guarantees.md has them in
// full, with their limits and the tests that prove them.
//
// # How a request flows
//
//	server → wire → dispatcher → jobthread (one per job id) → handler(ctx, run)
//	                                  │ writes           │ result
//	               /log ◀────────── logfile        journal → callback → adminclient → admin
//
// Each noun is a file of this package; the journal, the run logs, the scripts
// and the protocol's bodies are packages of their own under internal.
package xxljob
