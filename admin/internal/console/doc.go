// Package console is what people look at: pages rendered on the server with
// html/template, one style sheet, and small modules of our own that make them
// live. Reading and the main actions work without JavaScript.
//
// # Where a page is
//
// The pages of jobs, runs, executors, alarms and settings are in packages of their
// own: jobpages, jobedit, runpages, executorpages, alarmpages, settingspages. Each
// has a file routes.go with its paths. This package puts them together, and has
// the rest: sign-in, setup, overview, search, help, and the addresses of the Java
// console. Templates, scripts and style sheets of all are in templates/ and
// static/ here.
//
// Package web is what all pages are made with, and says how; package parts is what
// several of them show. Package frame reads templates/ and static/, package
// loghtml shows logs.
//
// # Languages
//
// Texts are in package i18n, files console_*.go, in three languages side by
// side. The page offers all of them; the choice, like that of the theme, is
// kept in a cookie.
package console
