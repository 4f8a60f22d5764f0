/* The functions that the files of state/sqlite share, by file. */
#pragma once

#include "sqlite.h"

/* error.c: fill err (NULL: no text is wanted) and return code. */
int fail(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As fail, with the text of errno -code appended. */
int fail_sys(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "context: " before the text. */
int fail_in(struct armada_error *err, int code, const char *context);
/* From the last error of a connection. doing: the failed action in words, as "cannot be read". */
int fail_db(struct armada_error *err, const struct db *db, const char *doing);
/* -EIO and a text if a write failed before, else 0. */
int store_check(const struct store *s, struct armada_error *err);
void store_log(const struct store *s, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* db.c */
int db_create(const struct db_spec *spec, const char *path,
	      const uint8_t cluster_id[CLUSTER_ID_BYTES], struct armada_error *err);
int db_open(struct db *db, const struct db_spec *spec, const char *dir, bool read_only,
	    int64_t busy_us, struct armada_error *err);
/*
 * Called after all checks: with make, create the objects that a database of an older release lacks; without
 * it, another connection has created them. Then prepare their statements.
 */
int db_complete(struct db *db, const struct db_spec *spec, bool make, struct armada_error *err);
/* keep_wal: leave the WAL as it is, so that the next open can check it. */
void db_close(struct db *db, bool keep_wal);
/* 1: a row; 0: no more rows, and the statement is reset; or a negative errno. */
int db_step(struct db *db, int stmt, const char *doing, struct armada_error *err);
/* Step to the end and reset. */
int db_run(struct db *db, int stmt, const char *doing, struct armada_error *err);
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
/* SQLite's own check of the structure of the file. */
int db_quick_check(struct db *db, struct armada_error *err);

/* dir.c */
int dir_make(const char *path, struct armada_error *err);
/* Open and check owner and modes of the directory (S6). */
int dir_open(const char *path, int *ret_fd, struct armada_error *err);
/* Check owner, mode and type of each of our files in the directory. */
int dir_check_files(int dir_fd, const char *path, struct armada_error *err);
bool dir_has(int dir_fd, const char *name);
/* Take the lock file; held until the descriptor is closed. */
int dir_lock(int dir_fd, const char *path, int *ret_fd, struct armada_error *err);
/* A new string path/name. */
char *dir_path(const char *path, const char *name);

/* mark.c: see mark_write. */
struct mark {
	uint64_t seq;
	uint8_t hash[HASH_BYTES];
};
/* 1 and the mark; 0: missing or damaged, which is logged; or a negative errno. */
int mark_open(struct store *s, struct mark *ret_mark, struct armada_error *err);
/*
 * Record that everything up to last_seq is durable. Written only after that is true, so a log that ends
 * before its mark has lost records. sync: the mark itself must be on the disk.
 */
int mark_write(struct store *s, bool sync);
int mark_create(int dir_fd, struct armada_error *err);

/* chain.c */
void chain_genesis(const uint8_t cluster_id[CLUSTER_ID_BYTES], uint8_t ret_hash[HASH_BYTES]);
/* hash: in: of the predecessor; out: of the record. */
void chain_next(uint8_t hash[HASH_BYTES], uint64_t seq, const void *data, size_t len);
uint32_t chain_crc(const uint8_t prev[HASH_BYTES], uint64_t seq, const void *data, size_t len);

/* record.c */
int record_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err);
/*
 * Read the records after from.seq, whose chain hash is from.hash, in order, and check each. on_record may
 * be NULL. Returns the sequence and the hash of the last record.
 */
int record_read(struct store *s, const struct snapshot *from, armada_state_record_fn *on_record,
		void *arg, uint64_t *ret_last, uint8_t ret_hash[HASH_BYTES],
		struct armada_error *err);
int record_first(struct store *s, uint64_t *ret_first, struct armada_error *err);
/* Inside a transaction: delete up to budget records at or below cut_goal. */
int record_cut(struct store *s, uint64_t budget, uint64_t *ret_first, struct armada_error *err);
/* Write the WAL back if it is larger than its limit. The last batch is already durable. */
void record_checkpoint(struct store *s);

/* snapshot.c */
int snapshot_write(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		   size_t count, struct armada_error *err);
/*
 * Find the newest complete snapshot; a damaged one is logged and skipped. ret_older: the one before it; its
 * seq is 0 if there is none.
 */
int snapshot_find(struct store *s, struct snapshot *ret_newest, struct snapshot *ret_older,
		  struct armada_error *err);
int snapshot_read(struct store *s, const struct snapshot *snap, armada_state_record_fn *on_chunk,
		  void *arg, struct armada_error *err);

/* history.c, find.c */
/* Is the text in the list? An empty list contains every text. */
bool find_is_listed(const char *text, const char *const *list, size_t count);
int history_put(void *handle, uint64_t seq, const struct armada_history_row *rows, size_t row_count,
		const struct armada_history_job *jobs, size_t job_count, struct armada_error *err);
int history_find(void *handle, const struct armada_history_filter *filter,
		 armada_state_row_fn *on_row, void *arg, struct armada_error *err);
/* shares.c */
int shares_put(void *handle, const struct armada_history_share *shares, size_t count,
	       struct armada_error *err);
int shares_find(void *handle, const char *const *queues, size_t queue_count, int64_t since_us,
		int64_t until_us, armada_state_share_fn *on_share, void *arg,
		struct armada_error *err);

int history_job(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
		void **ret_script, size_t *ret_script_len, void **ret_env, size_t *ret_env_len,
		struct armada_error *err);

/* init.c, open.c */
int store_init(const char *dir, const uint8_t cluster_id[CLUSTER_ID_BYTES],
	       const struct armada_option_value *values, struct armada_error *err);
int store_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
	       const struct armada_host *host, struct armada_state_info *ret_info,
	       struct armada_error *err);
void store_close(void *handle);
int store_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		 void *arg, struct armada_error *err);

static inline void put_le64(uint8_t *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (uint8_t)(v >> (8 * i));
}

static inline uint64_t get_le64(const uint8_t *p)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}
