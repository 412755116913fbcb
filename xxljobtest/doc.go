// Package xxljobtest tests programs that use package xxljob.
//
// # Handlers
//
// Run calls a handler with a real *xxljob.Run and returns what the executor
// would report to the admin, with the run's log. There is no network, no disk
// and no executor, and it works inside a testing/synctest bubble, where
// timeouts take no time. RunTyped does the same for handlers of
// xxljob.RegisterTyped, RunRegistered for what a program has registered, with
// its middleware.
//
//	result := xxljobtest.Run(t.Context(), closeDay, xxljobtest.Trigger{Param: "2024-02-29"})
//	if result.Code != 200 || result.Msg != "closed 2024-02-29" {
//		t.Errorf("result = %+v", result)
//	}
//
// # Executors
//
// Admin stands in for an admin on a loopback port: executors register with it,
// it triggers them, and it records what they report. It speaks the dialect of
// most Java releases (see Dialect), and it can be made to fail as admins do: to
// reset connections, to hang, to answer nonsense, to refuse results. With that a
// program can be driven as in production, and shown to lose nothing.
//
//	admin := xxljobtest.NewAdmin(t, xxljobtest.Options{})
//	xxljobtest.StartExecutor(t, admin, xxljob.Config{}, registerHandlers)
//	logID, err := admin.Trigger(t.Context(), xxljobtest.Trigger{Handler: "close-day"})
//	…
//	result, err := admin.Result(t.Context(), logID)
//
// StartAdmin and Admin.NewExecutor need no testing.T, for examples and demos.
// An Admin listens on a real socket, so it does not work in a bubble.
package xxljobtest
