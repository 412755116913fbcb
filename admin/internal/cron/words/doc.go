// Package words says in words when a schedule fires: "every day 03:00",
// "every 5 minutes from 09:00 to 17:59 on weekdays", in English, simplified and
// traditional Chinese.
//
// The words are made from what an expression means (cron.Fields), not from how
// it is written, so that "0 0/5 * * * ?" and "0 */5 * ? * *" read the same, and
// what the Java admin lets pass in silence is shown as what it does. They are
// whole: two expressions with the same words fire at the same times. Whatever
// parses has words; where there is no idiom for it, they go field by field.
//
// All functions are pure and safe for concurrent use.
package words
