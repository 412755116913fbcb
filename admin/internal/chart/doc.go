// Package chart draws small charts as SVG on the server: bars over time, spark
// lines, the strip of a job's last runs, the density of the coming hour, the
// heat map of a year, and the graph of child jobs.
//
// Every chart is a piece of HTML that may stand in any page:
//
//   - It has classes and attributes only, no style and no script, so that it
//     passes a strict content security policy. The colours come from Stylesheet,
//     which uses the custom properties of the page (--chart-ok …) and has a value
//     of its own for each.
//   - It has a title, says its unit, and carries its numbers as a table: behind a
//     disclosure under a big chart, out of sight beside a small one.
//   - State is never colour alone: each result has a shape too.
//   - All texts are the caller's, in the language of the page, and are escaped
//     here. Addresses of links that are no path of this site are left out.
//
// What is drawn is bounded, whatever is passed in. All functions are pure and
// safe for concurrent use.
package chart
