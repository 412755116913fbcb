// Package sqldb is what package store stands on: SQLite, MySQL or MariaDB, and
// PostgreSQL behind one set of methods. It knows no job and no run, and no table
// by its name.
//
//   - Open reads the DSN, connects, and takes the lock of a SQLite file.
//   - DB.SQL and DB.Bind turn a statement with ? and words in braces into one of
//     this database; Dialect is what differs beyond that.
//   - DB.InTx runs a transaction, again after a deadlock; DB.Reader is for reads
//     outside of one, DB.AtOnce for several that must agree.
//   - DB.Insert and DB.Update write many rows with few statements.
//   - DB.Wall and DB.ScanTime are for DATETIME columns, which hold wall clock.
//   - DB.LockMigration and DB.RunMigrations change the schema, one node at a time.
//
// SQLite has one writing connection, which is a queue by itself, and a few
// reading ones, whose prepared statements are kept. Checkpoints run beside the
// writer; it is only kept out for the short rest when the write-ahead log has
// grown long. Package dial connects to the servers, package filelock keeps a
// second process away from a SQLite file.
package sqldb
