// Package legacy answers the JSON endpoints of the Java console, so that
// scripts and third-party tools written for it keep working: same paths,
// fields, envelopes, paging, order of validation and texts. What is asked for
// is done by package ops; here is only the form.
//
// # Dialects
//
// A request tells by its path, the names of its paging parameters (start and
// length, or offset and pagesize, or ids[]) or its cookie which generation
// wrote it; where it does not, Config.Default decides. A is 3.1.1 and before, C
// is 3.3.0 to 3.4.2 (with the date format of 3.4.1 and later). B, 3.2.0, is
// recognised by the cookie of C together with a path or paging of A; where it
// looks like C it is answered as C, with data in the place of content. Every
// path is there under "/" and "/xxl-job-admin", and both families of
// parameters (id and ids[]) are taken everywhere.
//
// Lists hold at most 10,000 rows a page.
//
// Pages are not written here: every page path of Java's is there, checked for
// the login, and handed to Config.Pages, which checks the object that it shows.
//
// # Differences on purpose: security
//
//   - State changes are taken by POST only. Java takes any method, so that a
//     link is enough to delete a job. A GET is answered with HTTP 405, the
//     header Allow, and an envelope of code 500 that says so; a script has to
//     send the same parameters by POST (in the body or in the query).
//     Parameters of reads may come by GET or POST.
//   - Cross-origin requests that change something are refused with 403 before
//     they come here (httpx.Protect).
//   - Login cookies hold a random session id, under the names of Java and with
//     SameSite=Lax, and Secure behind TLS. "Remember me" is 30 days instead of
//     68 years. Java's own cookies are not accepted (that of A is the password
//     hash), nor is the default password 123456. A user may have several
//     sessions; a change of the password ends them all, also in C.
//   - The change of a password always wants the old one (2.4.1 and before do
//     not).
//   - Too many wrong passwords are answered with code 500, the text of a wrong
//     password, and the seconds to wait (also in Retry-After).
//   - Permissions are checked on the object that was loaded, on every endpoint.
//     So A refuses what its releases let pass: lists of foreign jobs, start,
//     stop and removal of foreign jobs, kill and log text of foreign runs,
//     pulling a foreign job into one's own group. jobGroup=0 lists what the
//     user may see.
//   - User objects have password and token null always, group objects have no
//     token.
//   - An address override of "run once" may only name addresses of the job's
//     executor: another one is answered with code 500.
//   - Code (GLUE) cannot be written unless the admin's operator has switched it
//     on: then code 500 and a text of ours.
//
// # Differences on purpose: form
//
//   - Job forms and /jobinfo/nextTriggerTime take timeZone, an IANA name, which
//     Java does not know: "" keeps the job's zone, "server" takes it away. Job
//     objects have the key only where a zone is set. On a database that is
//     shared with a Java node it is refused.
//   - Where Java answers an exception that is an accident (NullPointerException
//     for an unknown id, a text too long for its column), the answer is an
//     ordinary refusal with code 500 and a text that says what is wrong.
//     logKill of an unknown id and start and stop of an unknown job in A are
//     such.
//   - Where Java means to throw (no permission, not logged in), envelope and
//     text are the same, class name included, because scripts look for it.
//   - Other faults are "java.lang.RuntimeException: internal error, see the log
//     of the admin", without a stack trace or SQL.
//   - In A a missing number is HTTP 200 with code 500, as up to 2.5.0 (3.0.0
//     to 3.1.1 say 400); texts may be missing in A, as up to 2.5.0.
//   - Error pages (HTTP 400, 405) have a body of ours.
//   - An unknown path is 404 for everybody (A sends those who are not logged in
//     to the login page).
//   - A redirect to the login page is relative in C too.
//   - In A code of a job may not be saved empty, as since 3.3.0.
//   - Kill of a run that has ended is refused instead of overwriting its result.
package legacy
