package store

import (
	"errors"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// dialect is where the databases differ. Statements are written once, with ?
// for a parameter, in the SQL that SQLite and PostgreSQL share.
type dialect struct {
	name   string
	rebind func(string) string // ? to what the driver wants
	serial string              // type of a column that numbers itself
	begin  string
	// atomic says that a statement that fails leaves its transaction usable, so
	// that a single statement needs no savepoint of its own.
	atomic bool
	// fatal says that an error ended the whole transaction.
	fatal func(error) bool
	// damaged says that an error means a broken database file.
	damaged func(error) bool
}

func sqliteDialect() dialect {
	return dialect{
		name:   "sqlite",
		rebind: func(q string) string { return q },
		serial: "INTEGER PRIMARY KEY AUTOINCREMENT",
		begin:  "BEGIN IMMEDIATE",
		atomic: true,
		fatal: func(err error) bool {
			switch sqliteCode(err) {
			case sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_BUSY,
				sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY:
				return true
			}
			return false
		},
		damaged: func(err error) bool {
			c := sqliteCode(err)
			return c == sqlite3.SQLITE_CORRUPT || c == sqlite3.SQLITE_NOTADB
		},
	}
}

// sqliteCode is the primary result code behind err, 0 when there is none.
func sqliteCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	return 0
}

// schema fills the types of d into a migration.
func (d dialect) schema(sql string) string { return strings.ReplaceAll(sql, "{{serial}}", d.serial) }
