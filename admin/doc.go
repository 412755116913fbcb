// Package admin is the companion scheduling centre of xxljob: it keeps jobs and
// their schedules, sends triggers to executors, and collects their results. Any
// executor works under it unchanged, Java 2.2.0 to master or ours, and it opens
// the database of a Java admin as it is.
//
// The program xxl-job-admin serves it; a service may also embed it:
//
//	centre, err := admin.New(admin.Config{DB: "sqlite:jobs.db", AccessToken: token})
//	…
//	mux.Handle("/xxl-job-admin/", centre.Handler())
//	err = centre.Run(ctx) // opens the database, works, and stops in order
//
// What it promises, and what not, stands in docs/guarantees.md; how its parts
// work together in docs/architecture.md.
package admin
