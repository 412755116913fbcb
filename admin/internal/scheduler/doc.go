// Package scheduler plans: it turns the schedules of running jobs into runs on
// record, a moment before they are due.
//
// Every half second a pass takes the jobs whose next instant lies within the
// horizon and, in one transaction under the lease of their shards, writes a run
// for each instant and moves the jobs on. After the commit nothing can be lost
// or doubled, before it nothing was sent; the dispatcher does the rest (design
// 4.1, ADR 0007).
//
// Instants that are late by at most [Grace] are planned, each once. Older ones
// are a gap: one record of how many, first and last, and one run more if the
// job's misfire strategy says so. What nobody has planned of a job that is
// stopped or edited is a gap too.
package scheduler
