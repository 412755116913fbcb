// Package cli holds the commands of the program xxl-job-admin that talk to a
// running admin: jobs, runs, executors, keys, alarms, logins, retention, the
// audit log and the history. They know the REST API through package client and
// nothing of the admin itself.
//
// A command is a struct of flags with a method Run, as kong wants it. It embeds
// Remote for the admin to talk to and Form for what it prints, and talks to a
// Console. Errors say by their type with which code the program ends:
// UsageError, SilentError, or one that notFound makes.
package cli
