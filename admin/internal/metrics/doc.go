// Package metrics holds the numbers of the admin that Prometheus scrapes. Parts
// of the admin call small methods when something has happened; what is a state,
// such as the depth of a lane, is asked for at each scrape.
//
// The number of series is bounded, whatever comes over the wire: addresses
// beyond the busiest two hundred are added up in one series, as are operations
// beyond the first sixty-four, and texts of strangers are cut and stripped of
// what is no UTF-8 and of passwords.
package metrics
