// Package browsertest proves the console in a real Chromium: a real admin on
// SQLite, a real executor of our library with jobs that run, and a database in
// which every field that anyone can write holds markup, names of 255 characters,
// right-to-left text or emoji.
//
// TestWalk opens every page that the console has, in each language, light and
// dark, wide and narrow, and lets testdata/audit.js look at it: no error, no
// violation of the content security policy, no failed request, no sideways
// scrolling, one heading, names for all that can be used, enough contrast, and
// nothing of what was written into fields has become markup. A page that nobody
// walks fails the test. The pictures are in build/screens.
//
// The other tests do what an operator does, with JavaScript and without it.
//
// The tests have the build tag browser and need Debian's chromium:
//
//	make browser
package browsertest
