// Package wire is the xxl-job protocol between executors and admins: paths,
// headers, codes, literal texts, and the JSON body of every request and
// answer. It knows no behaviour, opens nothing, and imports nothing but the
// standard library, so that executor and admin can share it.
//
// # Dialects
//
// The Java releases from 2.2.0 to master speak six generations of the
// protocol. Decoders read all of them. Encoders write a body that all of them
// understand, so nobody has to know who is on the other side. The exceptions
// are the callback body, whose two shapes exclude each other (CallbackForm),
// and the path of a trigger (PathRun, PathTrigger): there the first refusal
// tells (ExpectsObject, ExpectsArray, NotFoundText).
//
// # Leniency
//
// Java reads JSON with a lenient Gson, and jobs in the field have come to rely
// on it, so the decoders accept what Gson accepts and refuse what it refuses:
//
//   - whole numbers also as strings, with blanks round them, or as integral
//     floats (12.0, 1e3); what does not fit its type is an error, except that
//     the nearest double of the largest long is clamped to it;
//   - numbers and booleans for strings, as their literal text;
//   - single quotes, names and strings without quotes, ';' and '=' as
//     separators, comments, a byte order mark, the prefix )]}', raw newlines;
//   - bytes that are no UTF-8, as U+FFFD the way the JDK counts them, and
//     escaped lone surrogates, each as '?';
//   - unknown keys, and keys that come twice (the last wins; a null for a
//     number or a boolean leaves what was there).
//
// Keys are compared with case, which encoding/json does not do. Refused are a
// comma before a closing brace, anything behind the value, an array for an
// object, and a body that is cut off. Decoded strings are copies: a body may
// be reused as soon as the decoder has returned.
//
// Unlike Java, every decoder is bounded in the size of the body, the depth of
// nesting and the number of callback items (MaxBody and its neighbours). All
// functions of the package may be called concurrently.
//
// # History of the protocol
//
// As read from the public sources and from recorded traffic, in 2026:
//
//	2.2.0   JSON over HTTP replaces the binary calls of earlier releases.
//	        Answers are code, msg, content; success has no msg. A callback
//	        item nests its result in executeResult.
//	2.3.0   A callback item has handleCode and handleMsg instead. The admin
//	        sends "" as the body of /beat, and answers callbacks and registry
//	        calls before it has stored them.
//	2.3.1   The admin's token is no longer empty by default.
//	2.5.0   The idle reason is spelled "idle". Call timeouts are configurable.
//	3.2.0   Success says msg "Success"; the text of a kill without a thread
//	        moves from msg to content. No more HTML escapes in JSON. The
//	        admin's answers gain the key success. GLUE_PYTHON means Python 3,
//	        GLUE_PYTHON2 is new.
//	3.3.0   The payload moves from content to data, in both directions. An
//	        empty token is sent as an empty header, and 3.3.0 and 3.3.1
//	        answer 400 without that header. An admin refuses an empty body.
//	3.4.1   The default context path of the admin becomes "/". "repeate
//	        trigger job" is spelled "repeat". A callback has at most 50 items.
//	3.4.2   GLUE_POWERSHELL runs pwsh.
//	master  (3.5.0) /trigger replaces /run. Token and XXL-JOB-APPNAME are both
//	        required. The callback body is an object with callbackList.
//	        logDateTim becomes logDateTime. The admin has a job management
//	        API, addJob to triggerJob.
package wire
