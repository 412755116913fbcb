// Package declare makes the jobs that executors declare in their code
// (executor.Register(name, handler, xxljob.Job{...})), under a policy of the
// operator.
//
// What was declared last is kept beside each job, as a digest of each field.
// From it a later declaration tells what the code has changed from what a
// person has: a person's edit stays, and is reported. Nothing is ever deleted,
// and nothing is started or stopped but a job that was just created.
//
// Two nodes that create a job of one name at the same time look for each
// other's after their own is stored: who sees another takes its own, which is
// stopped, away again and tells the executor to come back. So a name never
// stands for two jobs, and a repeat of a declaration changes nothing.
package declare
