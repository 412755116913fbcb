// Package httpx is what every HTTP interface of the scheduling centre shares:
// handlers that return errors, bounded bodies, the headers and checks that keep
// foreign pages out, a request log without secrets, and route tables in which
// each route says who may use it.
//
// # Routes
//
// A Table is mounted as a whole, under "/" and under "/xxl-job-admin" (the
// context path of Java releases up to 3.4.0). Mount returns an error, and the
// program does not start, when a route lacks a permission, a handler or a
// method, when two routes meet, or when a table has routes that need a check
// but no Guard that makes it. What is checked on a loaded object rather than
// on the request is marked with a role: the operation behind the handler does it.
//
// # Methods
//
// A route that changes state (Changes) takes POST, PUT, PATCH or DELETE only;
// Mount refuses a table that says otherwise. So a link, an image or a prefetch
// never changes anything, and Protect refuses what a foreign page posts.
package httpx
