// Package api is the admin's interface for executors of every release,
// /api/callback, /api/registry and /api/registryRemove (wire.md 2), and
// master's job API for programs, /api/addJob to /api/triggerJob (wire.md 2.8).
//
// # Order and texts
//
// The HTTP status is 200, and code and msg say what became of the call; only a
// body that is too large is answered with 413 as well. The checks stand in the
// order of Java 3.3.0 and later: method, path, blank body, token, unknown call,
// body. Where the generations differ:
//
//   - A blank body is refused before the token is looked at, for every client.
//   - Errors in a body begin with "openapi invoke error: " (3.3.0 and later)
//     and go on in words of our own.
//   - A wrong token is refused with the text of 2.2.0 to 3.4.2, and with
//     master's two texts if the request names an app (XXL-JOB-APPNAME) or calls
//     the job API.
//   - A missing token header is an empty token, not the HTTP 400 of 3.3.0.
//   - Every answer has code, msg, content and data.
//
// # Tokens
//
// The common token (Config.Token) is for executors whose group has none. A
// group with a token of its own accepts only that one: its executors are
// recognised by it, also those of before master that send no appname, and may
// register and remove only under the group's app name. Their results count only
// for runs of their group; a result for a foreign run is refused and changes
// nothing, while its neighbours in the same post are stored. With the common
// token nobody registers for, or ends runs of, a group that has its own. So a
// stolen token is worth one group (lessons.md B1, #3938). Tokens are compared
// as SHA-256 hashes, so that the time it takes tells nothing, and a change is
// seen within a second of the registry's. Without the right token at most
// 32 KiB of a body are read.
//
// # Results
//
// Success means that every result is durable. An error means that the executor
// keeps them and sends them again; the first result wins, so storing them twice
// changes nothing. A result for an unknown run, and a repeated one, is success,
// or the executor would send it for ever; so is the list null, which 2.4.1 posts
// for a damaged file. A result whose code is 0 or below leaves its run open and
// is not stored. An object without callbackList is refused, where master would
// answer success and lose the result. A post may have 32 MiB, not 5 as all
// other calls: executors of before 3.4.1 send everything they have in one, and
// never split it.
//
// # The job API
//
// XXL-JOB-APPNAME is required, as in master, and names whose jobs the call is
// about. What Java does and we do not, and what we keep:
//
//   - Java lets every token manage the jobs of every group. Here a call acts on
//     jobs of the named app's groups only, and of these only those for which
//     the token is right: the group's own, or the common one where the group
//     has none. Foreign jobs are refused.
//   - updateJob keeps child jobs (Java clears them) and the time zone. Group and
//     code stay too, as in Java.
//   - updateJob says that a job does not exist before it checks the fields.
//   - A missing executorHandler or scheduleConf is an ordinary refusal where one
//     is needed, and nothing where none is, not the text of a null pointer.
//   - A missing name is refused with the text of releases up to 3.4.2, which
//     call it a description.
//   - misfireStrategy is required (kept: conformance case 98).
//   - triggerJob without executorParam runs the job with an empty parameter, not
//     its own (kept: case 99); addressList picks only among the addresses that
//     are registered or configured for the group.
//   - removeJob of an unknown id is a success (kept: case 100).
//   - 100 calls a second for the whole admin, a wait of at most 1 s, then code
//     502 (kept); no warm-up. Only calls with a right token count. Callbacks and
//     heartbeats are bounded in size, not in rate.
//   - A job with code (GLUE) needs code editing to be switched on.
package api
