// Package browsertest proves the console in a real Chromium: a real admin on
// SQLite, a real executor of our library with jobs that run, and a database in
// which every field that anyone can write holds markup, names of 255 characters,
// right-to-left text or emoji.
//
// TestWalk opens every page that the console has, light and dark, wide and
// narrow, in several languages, among 10,000 jobs, and lets testdata/audit.js
// look at it: no error, no violation of the content security policy, no failed
// request, no sideways scrolling, one heading, names for all that can be used,
// enough contrast, and nothing of what was written into fields has become markup.
// TestEmpty does the same where there is nothing yet.
//
// TestWithoutScripts opens every page with scripts turned off: nothing is shown
// there that needs one.
//
// TestEveryAction follows every link without scripts and does what every button
// on the way is for. The other tests do what an operator does, with scripts: the
// live log, the live list, the editor, the command box, the keys.
//
// TestMain knows the table of routes: a page that no test has opened, or an
// action that none has done, fails.
//
// The tests have the build tag browser and need Debian's chromium, or its
// headless shell:
//
//	make browser
//	make screens # every combination, with pictures in build/screens
package browsertest
