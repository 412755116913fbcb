// Package ops holds what a person, a script or a program may ask of the admin:
// every action in one place, validated in the order and with the texts of the
// Java admin, permitted by the object that was loaded and not by what the
// caller says of it, and written to the audit log. It knows no HTTP: the REST
// API, the interface of the Java console and our own console stand on top of
// it.
//
// # Who may do what
//
// A [Principal] is an administrator, or has a role in some groups
// ([model.Role]). The zero Principal may nothing. Jobs, their code, logs and
// runs belong to the group in their own row, and every operation asks
// [Principal.Can] for the role that it takes there:
//
//	viewer    sees jobs, versions of code, runs, logs, addresses, alarms, changes
//	operator  runs, kills, retries, starts and stops jobs, probes, mutes
//	editor    creates, changes, moves and deletes jobs, tags and alarm rules,
//	          clears logs; writes code with the permission to
//	admin     sets title, addresses and token of the group, and who has which
//	          role in it
//
// Moving a job takes an editor of both groups, naming a child job one of the
// child's group, killing a run an operator of the group of its log row and of
// that of its job. Making, renaming and deleting groups, users and the audit log
// are for administrators. Numbers of the dashboard and previews of schedules are
// for everybody who is logged in. Writing code that executors run is off, whoever
// asks, unless [Config.CodeEditing] is set; then it is for administrators, and for
// who has been given the permission, in the groups whose editor one is.
//
// # History and keys
//
// What an editor sets of a job or group is kept before and after each change,
// without tokens and code, and can be set back ([Service.Undo]); so are rules for
// alarms and mute windows. A job that is deleted can be brought back with its code
// ([Service.RestoreJob]), a group without its token ([Service.RestoreGroup]), as
// long as the audit log is kept. An API key is a
// principal of its own ([KeyPrincipal]); which verbs it has is kept by the
// interface that takes it, its groups are kept here.
//
// # Errors
//
// What the caller did wrong, or may not do, is an [*Error] (errors.As): its
// text is that of the Java admin, its detail says what to do. Anything else is
// a fault of the admin or its database and belongs in the log.
//
// # Where we differ from the Java admin
//
//	Java                                          here
//	----                                          ----
//	update of a job checks the group that the     both the group of the row and the submitted
//	request names, not that of the row            one
//	(2.4.2 to 3.1.1) remove, start, stop, the     checked on the loaded row
//	log text and kill check nothing
//	list of logs with a job id ignores the group  both count
//	group 0 lists everything, or is refused       lists what the caller may see
//	job or log that does not exist: exception     the text of an illegal id; for who sees not every
//	                                              group that of a foreign one
//	add and update without executorHandler or     an absent text is an empty one, and a BEAN job
//	scheduleConf: exception                       without a handler is refused, in an update too
//	a job added with triggerStatus 1 and no next  is started: it fires at its next time
//	time fires at once, as misfired
//	start of a running job moves its next time    changes nothing
//	start and edit: first fire after now + 5 s    after now; + 5 s only where a Java node shares
//	                                              the database
//	stop and edit: up to 5 s of old fires         what is planned and not sent is cancelled
//	edits write the whole row, with status and    only what an editor sets
//	next time as read before
//	edit to a circle of several jobs: accepted    refused, and the circle is shown
//	a child that is named twice starts twice      once
//	child ids 0 and below: not exist              illegal
//	timeout and retries below 0: stored           stored as 0
//	texts longer than their column: exception     refused with the limit
//	\r removed from shell code on add only        on save too
//	code of a BEAN job is stored                  is dropped on add, refused on save
//	everybody writes code                         off; if on, who has the permission to
//	code that a job had before its first save     becomes a version first
//	is lost
//	run once at any address                       only at registered or configured ones, in any
//	                                              spelling of the slash at the end
//	kill of a run that has ended kills a later    refused
//	run of the job
//	a killed run is tried again, and alarms       neither: a person has ended it
//	a run that a later one has replaced           neither: its job wants that (COVER_EARLY),
//	(COVER_EARLY) is tried again, and alarms      and its retry would replace the later run
//	log text of a run that has no address:        the end, or why there is none
//	exception
//	clear deletes the rows of open runs           ends them first, as failed, without a retry
//	clear of everything takes what comes in       what was triggered up to now
//	while it works
//	manual addresses: any text behind http:       a URL of an executor: no user, query or
//	                                              fragment, not of the local link, no disguised IP
//	two groups with one app name (before master)  refused for new ones
//	an update writes the list of an automatic     the registry does, at once
//	group from the request
//	user names: only a browser checks them        no markup, no control characters
//	passwords are trimmed                         taken as they are
//	sessions outlive a change of password or      they end
//	role
//	hashes and tokens in lists                    never shown; a token only when it is made
//
// Kept on purpose: the order of checks and the texts, put together without
// blanks; names of 4 to 20 characters and, by default, passwords too (Config
// widens it); users and groups are not told apart from unknown ones where they
// are not permitted, but jobs and logs are; deleting a job or user that does
// not exist is a success.
package ops
