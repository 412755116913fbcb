// Package cron reads the cron expressions of xxl-job and computes when they
// fire. It imports nothing of ours.
//
// # Expressions
//
// Six or seven fields, separated by blanks or tabs, in either case:
//
//	second minute hour day-of-month month day-of-week [year]
//
// What is accepted is what release 3.4.2 of the Java admin accepts (admin.md
// 3), including what it lets pass in silence: text behind a number or behind
// the first three letters of a name is ignored, "*5" is "*", a field of commas
// alone is empty. A field that holds no value makes a schedule that never
// fires, which Next tells by returning the zero time; "0 0 0 30 2 ?" is
// another one. Refused beyond Java: the numbers 98 and 99, which Java takes for
// its own marks of "?" and "*" (year 99 is the year 99); digits other than 0
// to 9; expressions of more than 1,024 characters. Not refused: a year step
// that begins more than a hundred years ahead, which Java refuses or not as its
// clock says.
//
// Where releases differ, the sane one decides: W is the weekday nearest to its
// day within the month, with every time of that day, and L is the last day of
// every month.
//
// # Time zones
//
// A schedule has no zone of its own: Next computes on the wall clock of the
// location of its argument. Where that clock is put forward or back:
//
//   - An expression that names hours fires once for the times that are skipped,
//     at the end of the gap: "0 30 2 * * ?" fires at 03:00 on the day on which
//     02:00 becomes 03:00, and "0 0/10 2 * * ?" does so once, not six times.
//   - It fires once in an hour that comes twice, in the second pass, which is
//     the pass that Java takes (standard time).
//   - An expression with all 24 hours ("0 0/30 * * * ?") names no hour and
//     follows the clock through both passes and makes up for nothing: it keeps
//     its pace, 30 minutes here, where Java leaves a hole of an hour and a
//     half.
//
// # Horizon
//
// Next looks as far as the end of the hundredth year after the year of its
// argument, so that an expression that cannot match costs microseconds.
package cron
