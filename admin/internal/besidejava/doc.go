// Package besidejava proves that a Java admin and this one can run side by side
// on one database, as design.md 4.2 promises with --shared-with-java. The real
// Java admin cannot be had here, so [Node] performs its statements, in its order
// and at its pace, as admin.md 2 to 6 writes them down: the schedule pass under
// the row schedule_lock with its five seconds ahead and its ring of sixty
// slots, the trigger with its insert and its update, the callback, and the
// monitors of failed runs, lost runs and registered executors, and the day
// statistics. It keeps Java's weaknesses too: a result is checked and stored by
// two statements, a pass may commit half of its updates, and a late job loses
// the instants before now.
//
// [Executor] is the counting judge: both admins send to it, it answers well,
// badly, late, or not at all, and reports its results to the one admin, to the
// other, or to both at once. Since a Java admin plans five seconds ahead and
// ours only one, a Java node that never rests would leave nothing to ours; so
// the test lets it rest every few seconds, which makes both hand jobs over to
// each other again and again, and restarts ours in the middle.
//
// The tests need MariaDB, and stand behind the build tag databases. The short
// form takes half a minute; XXLJOB_LONG=1 selects ten minutes with the real
// pace of Java's monitors.
package besidejava
