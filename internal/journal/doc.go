// Package journal keeps on disk what an executor has promised: the triggers it
// accepted, the results that no admin has taken yet, and the identities of the
// triggers that it has seen, so that a repeat is recognised after a restart.
//
// # Files
//
// A journal is a folder that one process owns at a time (a lock on the file
// "lock"). In it lie numbered segments, to which records are only appended:
// accepted, started, finished, acknowledged, withdrawn and, now and then, the
// up-time of the executor. A segment is deleted when it is the oldest and all
// its runs are acknowledged or withdrawn; the identities in it move to a
// "remember-…" file first, each to one only; a trigger in such a file that is
// withdrawn after that is noted in the next. "set-aside.jsonl" holds results
// that no admin takes, "damaged-…" bytes that could not be read, "spare-…" is
// room that is given up when the disk is full, so that the journal can still
// turn round.
//
// # Records
//
// A record has a header (two marker bytes, kind, flags, body length, Seq,
// CRC-32C), a body, and one closing byte that is never zero. The sum is salted
// with a random number that stands in the name of the file, so that nothing a
// trigger carries can pass for a record. A damaged record costs itself only:
// the reader goes on at the next bytes that are a record.
//
// # Room
//
// A segment grows by writing zeros ahead and records are written into that
// room. Accept asks for room for its own record and for the finished record of
// every open run, so that a full disk refuses a trigger but never a result. On
// file systems that copy on write (btrfs, zfs) the room is only likely to be
// there.
//
// # Goroutines
//
// The writer owns the current segment: it takes all that is pending, writes it
// at once, remembers the triggers in it and answers the waiting Accepts. While
// many callers come it lets them run first, so that one write serves them all;
// whoever adds to what is pending wakes it only when it sleeps. The syncer makes written bytes
// durable. The cleaner deletes segments and carries long-lived runs forward.
package journal
