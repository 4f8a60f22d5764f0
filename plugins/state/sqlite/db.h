/* A connection to one database, its prepared statements and its meta rows. */
#pragma once

#include "sqlite.h"

/* history_seq: the record up to which the history counts as complete. */
int db_create(const struct db_spec *spec, const char *path,
	      const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t history_seq,
	      struct armada_error *err);
int db_open(struct db *db, const struct db_spec *spec, const char *dir, bool read_only,
	    int64_t busy_us, struct armada_error *err);
/*
 * Called after all checks: with make, create the objects that a database of an older release lacks; without
 * it, another connection has created them. Then prepare their statements.
 */
int db_complete(struct db *db, const struct db_spec *spec, bool make, struct armada_error *err);
/* keep_wal: leave the WAL as it is, so that the next open can check it. */
void db_close(struct db *db, bool keep_wal);
/* Run a text of SQL without results. doing: as in "cannot be written". */
int db_exec(struct db *db, const char *sql, const char *doing, struct armada_error *err);
/* Run a pragma or query that returns one integer. */
int db_query(struct db *db, const char *sql, int64_t *ret_value, struct armada_error *err);
/* 1: a row; 0: no more rows, and the statement is reset; or a negative errno. */
int db_step(struct db *db, int stmt, const char *doing, struct armada_error *err);
/* Step to the end and reset. */
int db_run(struct db *db, int stmt, const char *doing, struct armada_error *err);
/* End the transaction, if one is open, with the statement ROLLBACK of the database. */
int db_roll_back(struct db *db, int stmt);
void db_reset(struct db *db, int stmt);
void db_bind_u64(struct db *db, int stmt, int column, uint64_t v);
/* Borrowed until the statement is reset. NULL with len 0 is an empty blob. */
void db_bind_blob(struct db *db, int stmt, int column, const void *data, size_t len);
void db_bind_text(struct db *db, int stmt, int column, const char *text);
/* The value of a meta row, checked; it must be exactly len bytes. stmt: LOG_META or PUT_META. */
int db_meta(struct db *db, int stmt, enum meta_key key, void *ret_value, size_t len,
	    struct armada_error *err);
/* Write the WAL back to the database and empty it, if no other connection reads. */
int db_truncate_wal(struct db *db, struct armada_error *err);
/* Did the last call fail because the disk is full, and change nothing? */
bool db_no_room(const struct db *db);
/* The number of bytes that can be written before the file grows. */
int db_unused_bytes(struct db *db, uint64_t *ret_bytes, struct armada_error *err);
