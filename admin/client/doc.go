// Package client talks to the REST API of a scheduling centre: jobs, runs,
// executor groups, alarms, users, keys and settings, under /v1. The API describes
// itself at /v1/openapi.json.
//
//	c, err := client.New(client.Config{BaseURL: "http://127.0.0.1:8080", Key: os.Getenv("XXL_JOB_KEY")})
//	…
//	for job, err := range c.Jobs(ctx, client.JobFilter{State: client.StateStarted}) {
//
// # Repeats
//
// A request that may be sent twice is sent again when the connection fails or the
// server asks for patience: what only reads, and every POST, which carries an
// Idempotency-Key so that the server does it once. PUT and DELETE are sent again
// only after an answer that says that nothing was done, [Client.TestAlarm] never.
//
// # Errors
//
// A refusal is an [*Error] with the fields of the problem that the server
// describes. errors.Is finds [ErrNotFound], [ErrStale] and others in it.
//
// The package needs the standard library alone. All methods of [Client] block
// until the answer is there or ctx is done, and are safe for concurrent use.
package client
