// Package auth knows who somebody is: passwords, the throttle of logins,
// sessions, and the first administrator of a database. What somebody may do is
// decided where the object is loaded (package ops).
//
// # Passwords
//
// Our own hashes are argon2id in PHC form, in our own table. Behind the hash
// stands a fingerprint of what Java's password column held when it was made:
// it counts only while that column is unchanged. So a password that a Java
// admin, or a person with SQL, sets in Java's column takes effect here, and
// ends what was valid before.
//
// Java's MD5 and SHA-256 rows are accepted once and moved over: our hash is
// stored at that login, Java's column stays as it is. The published default
// rows of the password 123456 never log in. When a password changes here,
// Java's column becomes a random text that no hash equals, unless the database
// is shared with a Java node: then it becomes the hash which that release
// uses. (The text is random because Java releases up to 3.1.1 take the column
// itself as the proof in their cookie: with a constant there, everybody could
// forge it.)
//
// A check takes the same time whether the user exists, has a Java hash, or has
// ours. Hashes are bounded in number: at most two at once, at most 64 wait,
// more are refused with ErrBusy, so logins never take the machine from the
// scheduler.
//
// # Throttle
//
// Ten wrong passwords for an account, or from an address (IPv6: from a /64),
// use up its allowance, which grows back by one each 30 s (account) or 6 s
// (address). An address from which an account has logged in before has an
// allowance of its own for that account, and the other two do not count there:
// nobody locks others out by guessing. Behind a reverse proxy all clients have
// one address unless the proxy is trusted (httpx.Proxies). A wrong old password
// counts for the account too. Memory is bounded: 10,000 accounts, 10,000
// addresses, 1,000 pairs of the two.
//
// # Sessions
//
// The cookie holds 256 random bits; the database holds their SHA-256. A user
// may have several sessions. One ends at logout, when its user is removed,
// when password or role change, after 12 h without a request (7 days with
// "remember me"), and 7 days (30 days) after login in any case. The cookies of
// the Java releases are not accepted: that of 3.1.1 and before is the hex of
// the password hash. Only that of 3.2.0 and later may be, where it is switched
// on for a database shared with a Java node (Config.AcceptJavaToken).
//
// # Setup
//
// The first opening of a database makes the administrator: with the given
// password, or with a generated one of 100 random bits that is printed once. So
// there is no moment at which whoever comes first may take the admin over. A
// printed password ends up in journals and in logs of containers, therefore it
// is good for one thing only: to choose another one. Until then no interface
// takes it, nor a session that began with it, but for the page of the setup.
// What a printed password is known by is a fingerprint of its salted hash, kept
// as a setting. When the hash changes, by whatever way, that step is closed for
// good: no later state of the database brings the fingerprint back.
package auth
