// Package rest is the REST API under /v1, as openapi.yaml describes it: the
// document is served as it is, and a test drives every operation of it against
// the real admin and validates requests and answers.
//
// The package knows HTTP and JSON. What is done, and whether the caller may, is
// package ops: every call goes there with the principal of a user or of an API
// key. What a key's verbs allow is kept here, by the table of endpoints.
//
// # The way of a request
//
//  1. who asks: the API key in Authorization, else the console's session;
//  2. the limit of requests a second, one for each key and user;
//  3. the CSRF token, where a session changes something;
//  4. the verb of the endpoint;
//  5. names of query parameters, size and type of the body;
//  6. the idempotency key of a POST: begun, or answered as before;
//  7. the endpoint.
//
// Whatever is refused is a problem (RFC 9457) in the language of the caller.
package rest
