/*
 * Error texts of the plugin, and the meaning of SQLite's result codes for an administrator.
 *
 * In: a code and a format, or the last error of a connection. Out: the text in err, and a negative
 * errno. After a failed write (`failed`) store_check returns an error for every further call.
 */
#include "db.h"
#include "error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

int fail(struct armada_error *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return code;
}

int fail_sys(struct armada_error *err, int code, const char *fmt, ...)
{
	char words[128];
	size_t len;
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	len = strlen(err->text);
	if (strerror_r(-code, words, sizeof(words)) != 0)
		snprintf(words, sizeof(words), "error %d", -code);
	snprintf(err->text + len, sizeof(err->text) - len, ": %s", words);
	return code;
}

int fail_in(struct armada_error *err, int code, const char *context)
{
	struct armada_error inner;

	if (!err)
		return code;
	inner = *err;
	return fail(err, code, "%.200s: %.300s", context, inner.text);
}

static const struct {
	int rc, code;
	const char *words;
} meanings[] = {
	{SQLITE_CORRUPT, -EUCLEAN, "it is damaged"},
	{SQLITE_NOTADB, -EUCLEAN, "it is damaged: this is not a database"},
	{SQLITE_FULL, -ENOSPC, "no space is left on the device"},
	{SQLITE_BUSY, -EBUSY, "another program has it open and locked"},
	{SQLITE_LOCKED, -EBUSY, "another program has it open and locked"},
	{SQLITE_READONLY, -EROFS, "it cannot be written"},
	{SQLITE_CANTOPEN, -EACCES, "it cannot be opened"},
	{SQLITE_PERM, -EACCES, "permission denied"},
	{SQLITE_NOMEM, -ENOMEM, "out of memory"},
	{SQLITE_TOOBIG, -EMSGSIZE, "a value is too large"},
	{SQLITE_IOERR, -EIO, "input/output error"},
};

int fail_db(struct armada_error *err, const struct db *db, const char *doing)
{
	int rc = db->conn ? sqlite3_extended_errcode(db->conn) : SQLITE_NOMEM;
	int sys = db->conn ? sqlite3_system_errno(db->conn) : 0;
	char words[128] = "";

	if (db->conn && db_no_room(db) && rc != SQLITE_FULL &&
	    strerror_r(sys, words, sizeof(words)) == 0)
		return fail(err, -ENOSPC, "%s: %s: %s", db->name, doing, words);
	if (((rc & 0xff) == SQLITE_IOERR || (rc & 0xff) == SQLITE_CANTOPEN) && sys &&
	    strerror_r(sys, words, sizeof(words)) == 0)
		return fail(err, -sys, "%s: %s: %s", db->name, doing, words);
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].rc == (rc & 0xff))
			return fail(err, meanings[i].code, "%s: %s: %s (%s)", db->name, doing,
				    meanings[i].words, sqlite3_errmsg(db->conn));
	return fail(err, -EIO, "%s: %s: %s", db->name, doing,
		    db->conn ? sqlite3_errmsg(db->conn) : sqlite3_errstr(rc));
}

int store_check(const struct store *s, struct armada_error *err)
{
	if (atomic_load(&s->failed))
		return fail(err, -EIO,
			    "%s: an earlier write failed, so the contents of the disk are "
			    "unknown until the state is opened again",
			    s->dir);
	return 0;
}

void store_log(const struct store *s, int level, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	if (!s->host || !s->host->log)
		return;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	s->host->log(level, text);
}
