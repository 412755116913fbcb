// Package importer copies the groups, jobs, users and, if wanted, the logs of one
// database into another one: from that of a Java admin of any generation, or of
// ours, into ours.
//
// A row keeps its id where that is free. Where it is not, it gets another one,
// and what refers to it follows: the jobs of a group, the children of a job, the
// permissions of a user, code versions and logs.
//
// What was copied stands in settings of the target under the source's name, so
// that a second import of the same source adds what is new there and changes
// nothing else: neither what was edited here since, nor what was deleted. Rows
// that are there already without an import are known by what they say: a group by
// its app name, a user by the name, a job by all its fields.
//
// From a database of ours comes also what stands in our own tables: roles, tags,
// mute windows, alarm rules, API keys, saved filters, history. It follows the groups,
// jobs and users that are copied; see [OwnReport]. What never comes over stands in
// the report with the reason. A table that is added has to be one or the other.
//
// Everything but code versions, history and logs is written in one transaction.
// These follow in pages, each with the mark of how far it has come, so that an import
// that was cut off goes on.
package importer
