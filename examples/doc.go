// Package examples holds whole programs, each in a folder of its own:
//
//   - basic: the smallest executor; with -standalone it needs nothing else
//   - typed: a handler that takes its parameters as JSON
//   - sharding: a broadcast in which every executor does its part
//   - mounted: an executor inside a service's own net/http server
//   - graceful: a stop that loses no work
//   - script: jobs that are written in the admin, as shell or Python code
//   - jobs: jobs that are declared in the code, for this project's admin
//   - kitchensink: a handler for everything, for tests and benchmarks
//
// All take -admin and -token for the admin to register with.
package examples
