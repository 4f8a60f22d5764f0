/*
 * One database on one connection: create it, check its schema, prepare and run its statements.
 *
 * In: a struct db_spec and a path. Out: an open struct db, or an error that names the database. The file
 * may be damaged or foreign, so application id, layout version and the SQL text of each object are checked
 * before any statement is prepared.
 */
#include "crc32c.h"
#include "db.h"
#include "dir.h"
#include "error.h"
#include "le.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int db_exec(struct db *db, const char *sql, const char *doing, struct armada_error *err)
{
	if (sqlite3_exec(db->conn, sql, NULL, NULL, NULL) != SQLITE_OK)
		return fail_db(err, db, doing);
	return 0;
}

static int put_meta(struct db *db, enum meta_key key, const void *value, size_t len,
		    struct armada_error *err)
{
	static const char sql[] = "INSERT INTO meta (id, value, crc) VALUES (?1, ?2, ?3)";
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		return fail_db(err, db, "cannot be made");
	sqlite3_bind_int64(st, 1, key);
	sqlite3_bind_blob(st, 2, value, (int)len, SQLITE_STATIC);
	sqlite3_bind_int64(st, 3, crc32c((uint32_t)key, value, len));
	rc = sqlite3_step(st) == SQLITE_DONE ? 0 : fail_db(err, db, "cannot be made");
	sqlite3_finalize(st);
	return rc;
}

int db_create(const struct db_spec *spec, const char *path,
	      const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t history_seq,
	      struct armada_error *err)
{
	struct db db = {.name = spec->name};
	uint8_t seq[8];
	int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, rc;

	if (sqlite3_open_v2(path, &db.conn, flags, NULL) != SQLITE_OK)
		rc = fail_db(err, &db, "cannot be made");
	else
		rc = db_exec(&db, spec->create, "cannot be made", err);
	if (!rc)
		rc = put_meta(&db, META_CLUSTER_ID, cluster_id, CLUSTER_ID_BYTES, err);
	put_le64(seq, history_seq);
	if (!rc)
		rc = put_meta(&db, META_HISTORY_SEQ, seq, sizeof(seq), err);
	if (sqlite3_close(db.conn) != SQLITE_OK && !rc)
		rc = fail(err, -EIO, "%s: cannot be closed", spec->name);
	return rc;
}

int db_query(struct db *db, const char *sql, int64_t *ret_value, struct armada_error *err)
{
	sqlite3_stmt *st;
	int rc = 0;

	if (sqlite3_prepare_v2(db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		return fail_db(err, db, "cannot be read");
	if (sqlite3_step(st) == SQLITE_ROW)
		*ret_value = sqlite3_column_int64(st, 0);
	else
		rc = fail_db(err, db, "cannot be read");
	sqlite3_finalize(st);
	return rc;
}

static int check_object(struct db *db, const struct db_object *want, struct armada_error *err)
{
	static const char sql[] = "SELECT sql FROM sqlite_schema WHERE type = ?1 AND name = ?2";
	sqlite3_stmt *st;
	const char *got;
	int rc = 0;

	if (sqlite3_prepare_v2(db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		return fail_db(err, db, "cannot be read");
	sqlite3_bind_text(st, 1, want->type, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, want->name, -1, SQLITE_STATIC);
	if (sqlite3_step(st) != SQLITE_ROW || !(got = (const char *)sqlite3_column_text(st, 0)) ||
	    strcmp(got, want->sql) != 0)
		rc = fail(err, -EUCLEAN, "%s is damaged: %s %s was changed", db->name, want->type,
			  want->name);
	sqlite3_finalize(st);
	return rc;
}

static bool is_view(const struct db_spec *spec, const char *type, const char *name)
{
	for (size_t i = 0; i < spec->view_count; i++)
		if (strcmp(type, "view") == 0 && strcmp(name, spec->views[i].name) == 0)
			return true;
	return false;
}

/*
 * The file is not trusted: no foreign trigger or view may run. Our views may be those of another release;
 * no statement of ours reads them.
 */
static int check_strange(struct db *db, const struct db_spec *spec, struct armada_error *err)
{
	static const char sql[] =
		"SELECT type, name FROM sqlite_schema WHERE type IN ('trigger', 'view')";
	sqlite3_stmt *st;
	int rc = 0, got;

	if (sqlite3_prepare_v2(db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		return fail_db(err, db, "cannot be read");
	while (!rc && (got = sqlite3_step(st)) != SQLITE_DONE) {
		const char *type = (const char *)sqlite3_column_text(st, 0);
		const char *name = (const char *)sqlite3_column_text(st, 1);

		if (got != SQLITE_ROW)
			rc = fail_db(err, db, "cannot be read");
		else if (!type || !name || !is_view(spec, type, name))
			rc = fail(err, -EUCLEAN, "%s holds %s %.60s, which Armada never makes",
				  db->name, type ? type : "trigger", name ? name : "");
	}
	sqlite3_finalize(st);
	return rc;
}

static int check_schema(struct db *db, const struct db_spec *spec, struct armada_error *err)
{
	int64_t app = 0, version = 0;
	int rc = db_query(db, "PRAGMA application_id", &app, err);

	if (!rc)
		rc = db_query(db, "PRAGMA user_version", &version, err);
	if (rc)
		return rc;
	if (app != spec->application_id)
		return fail(err, -EUCLEAN, "%s is not a database of Armada, or damaged", db->name);
	if (version > STATE_SCHEMA_VERSION)
		return fail(err, -ENOTSUP,
			    "%s was written by a newer release (layout %lld; this one reads up to "
			    "%d)",
			    db->name, (long long)version, STATE_SCHEMA_VERSION);
	if (version < 1)
		return fail(err, -EUCLEAN, "%s is damaged: no layout version", db->name);
	for (size_t i = 0; i < spec->object_count && !rc; i++)
		rc = check_object(db, &spec->objects[i], err);
	return rc ? rc : check_strange(db, spec, err);
}

static int prepare(struct db *db, const struct db_spec *spec, size_t from, size_t upto,
		   struct armada_error *err)
{
	for (size_t i = from; i < upto; i++)
		if (sqlite3_prepare_v3(db->conn, spec->stmts[i], -1, SQLITE_PREPARE_PERSISTENT,
				       &db->stmt[i], NULL) != SQLITE_OK)
			return fail_db(err, db, "cannot be read");
	return 0;
}

/* 1: the object exists; 0: it does not. */
static int has_object(struct db *db, const struct db_object *o, struct armada_error *err)
{
	static const char sql[] = "SELECT 1 FROM sqlite_schema WHERE type = ?1 AND name = ?2";
	sqlite3_stmt *st;
	int rc;

	if (sqlite3_prepare_v2(db->conn, sql, -1, &st, NULL) != SQLITE_OK)
		return fail_db(err, db, "cannot be read");
	sqlite3_bind_text(st, 1, o->type, -1, SQLITE_STATIC);
	sqlite3_bind_text(st, 2, o->name, -1, SQLITE_STATIC);
	rc = sqlite3_step(st) == SQLITE_ROW;
	sqlite3_finalize(st);
	return rc;
}

static int make_view(struct db *db, const struct db_object *view, struct armada_error *err)
{
	int rc = has_object(db, view, err);
	char drop[64];

	if (rc < 0 || (rc > 0 && check_object(db, view, NULL) == 0))
		return rc < 0 ? rc : 0;
	snprintf(drop, sizeof(drop), "DROP VIEW IF EXISTS %.32s", view->name);
	rc = db_exec(db, drop, "cannot be written", err);
	return rc ? rc : db_exec(db, view->sql, "cannot be written", err);
}

int db_complete(struct db *db, const struct db_spec *spec, bool make, struct armada_error *err)
{
	int rc = 0;

	for (size_t i = 0; i < spec->added_count && rc >= 0; i++) {
		rc = has_object(db, &spec->added[i], err);
		if (rc == 0 && make)
			rc = db_exec(db, spec->added[i].sql, "cannot be written", err);
		if (rc >= 0)
			rc = check_object(db, &spec->added[i], err);
	}
	for (size_t i = 0; i < spec->view_count && rc >= 0 && make; i++)
		rc = make_view(db, &spec->views[i], err);
	return rc < 0 ? rc
		      : prepare(db, spec, spec->stmt_count - spec->added_stmts, spec->stmt_count,
				err);
}

int db_open(struct db *db, const struct db_spec *spec, const char *dir, bool read_only,
	    int64_t busy_us, struct armada_error *err)
{
	char *path = dir_path(dir, spec->name);
	int flags = read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE, rc;

	*db = (struct db){.name = spec->name};
	rc = sqlite3_open_v2(path, &db->conn, flags, NULL) == SQLITE_OK
		     ? 0
		     : fail_db(err, db, "cannot be opened");
	free(path);
	if (rc)
		return rc;
	sqlite3_extended_result_codes(db->conn, 1);
	sqlite3_busy_timeout(db->conn, (int)(busy_us / 1000));
	rc = db_exec(db, spec->setup, "cannot be opened", err);
	if (!rc)
		rc = check_schema(db, spec, err);
	if (!rc)
		rc = prepare(db, spec, 0, spec->stmt_count - spec->added_stmts, err);
	return rc;
}

void db_close(struct db *db, bool keep_wal)
{
	for (size_t i = 0; i < DB_STMTS_MAX; i++)
		sqlite3_finalize(db->stmt[i]);
	if (db->conn && keep_wal)
		sqlite3_db_config(db->conn, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	sqlite3_close(db->conn);
	*db = (struct db){0};
}

int db_step(struct db *db, int stmt, const char *doing, struct armada_error *err)
{
	int rc = sqlite3_step(db->stmt[stmt]);

	if (rc == SQLITE_ROW)
		return 1;
	/* Read the error text first: a reset deletes it. */
	rc = rc == SQLITE_DONE ? 0 : fail_db(err, db, doing);
	db_reset(db, stmt);
	return rc;
}

int db_run(struct db *db, int stmt, const char *doing, struct armada_error *err)
{
	int rc;

	do
		rc = db_step(db, stmt, doing, err);
	while (rc > 0);
	return rc;
}

int db_roll_back(struct db *db, int stmt)
{
	/* SQLite may have rolled back by itself. */
	return sqlite3_get_autocommit(db->conn) ? 0 : db_run(db, stmt, "cannot be written", NULL);
}

void db_reset(struct db *db, int stmt)
{
	sqlite3_reset(db->stmt[stmt]);
	sqlite3_clear_bindings(db->stmt[stmt]);
}

void db_bind_u64(struct db *db, int stmt, int column, uint64_t v)
{
	sqlite3_bind_int64(db->stmt[stmt], column, (sqlite3_int64)v);
}

void db_bind_blob(struct db *db, int stmt, int column, const void *data, size_t len)
{
	/* A NULL pointer would bind NULL, which is not the empty blob. */
	sqlite3_bind_blob64(db->stmt[stmt], column, data ? data : "", len, SQLITE_STATIC);
}

void db_bind_text(struct db *db, int stmt, int column, const char *text)
{
	sqlite3_bind_text(db->stmt[stmt], column, text ? text : "", -1, SQLITE_STATIC);
}

int db_meta(struct db *db, int stmt, enum meta_key key, void *ret_value, size_t len,
	    struct armada_error *err)
{
	sqlite3_stmt *st = db->stmt[stmt];
	const void *value;
	int rc;

	db_bind_u64(db, stmt, 1, key);
	rc = db_step(db, stmt, "cannot be read", err);
	if (rc < 0)
		return rc;
	if (rc == 0)
		return fail(err, -EUCLEAN, "%s is damaged: an entry of its meta table is missing",
			    db->name);
	value = sqlite3_column_blob(st, 0);
	if (!value || (size_t)sqlite3_column_bytes(st, 0) != len ||
	    sqlite3_column_int64(st, 1) != crc32c((uint32_t)key, value, len))
		rc = fail(err, -EUCLEAN, "%s is damaged: an entry of its meta table is wrong",
			  db->name);
	else
		memcpy(ret_value, value, len);
	db_reset(db, stmt);
	return rc < 0 ? rc : 0;
}

/*
 * A write that failed for lack of space; SQLite rolls it back cleanly. SQLite's own code covers a full disk,
 * but not a full quota or a file size limit. A failed sync is not included: it may have lost data.
 */
bool db_no_room(const struct db *db)
{
	int rc = sqlite3_extended_errcode(db->conn), sys = sqlite3_system_errno(db->conn);

	return rc == SQLITE_FULL || (rc == SQLITE_IOERR_WRITE && (sys == EDQUOT || sys == EFBIG));
}

int db_truncate_wal(struct db *db, struct armada_error *err)
{
	int rc = sqlite3_wal_checkpoint_v2(db->conn, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);

	return rc == SQLITE_OK ? 0 : fail_db(err, db, "cannot be written");
}

int db_unused_bytes(struct db *db, uint64_t *ret_bytes, struct armada_error *err)
{
	int64_t pages = 0, page_bytes = 0;
	int rc = db_query(db, "PRAGMA freelist_count", &pages, err);

	if (!rc)
		rc = db_query(db, "PRAGMA page_size", &page_bytes, err);
	if (!rc)
		*ret_bytes = (uint64_t)pages * (uint64_t)page_bytes;
	return rc;
}
