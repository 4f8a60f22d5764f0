/*
 * What the files of state/sqlite call of one another, by the file that has it.
 */
#pragma once

#include "sqlite.h"

/* error.c: fill err and return code; err NULL: nobody reads it. */
int fail(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As fail, with the words of errno -code appended. */
int fail_sys(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "context: " before the text. */
int fail_in(struct armada_error *err, int code, const char *context);
/* From the last error of a connection: what was being done, in words. */
int fail_db(struct armada_error *err, const struct db *db, const char *doing);
/* -EIO and words if a write failed before, else 0. */
int store_check(const struct store *s, struct armada_error *err);
void store_log(const struct store *s, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* db.c */
int db_create(const struct db_spec *spec, const char *path,
	      const uint8_t cluster_id[CLUSTER_ID_BYTES], struct armada_error *err);
int db_open(struct db *db, const struct db_spec *spec, const char *dir, bool read_only,
	    int64_t busy_us, struct armada_error *err);
/* Once all is checked: make what an older release did not, or find it made by another connection. */
int db_complete(struct db *db, const struct db_spec *spec, bool make, struct armada_error *err);
/* keep_wal: leave the WAL as it is, for the next open to look at. */
void db_close(struct db *db, bool keep_wal);
/* 1: a row, 0: no more (and reset), negative errno. */
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
/* Write everything back from the WAL and empty it, if nobody is reading. */
int db_truncate_wal(struct db *db, struct armada_error *err);
/* Did the last call fail for want of room, and leave everything as it was? */
bool db_no_room(const struct db *db);
/* How much can be written before the file grows. */
int db_unused_bytes(struct db *db, uint64_t *ret_bytes, struct armada_error *err);
/* SQLite's own look at the structure of the file. */
int db_quick_check(struct db *db, struct armada_error *err);

/* dir.c */
int dir_make(const char *path, struct armada_error *err);
/* Open and check owner and modes of the directory (S6). */
int dir_open(const char *path, int *ret_fd, struct armada_error *err);
/* The checks of every file in the directory that is ours. */
int dir_check_files(int dir_fd, const char *path, struct armada_error *err);
bool dir_has(int dir_fd, const char *name);
/* Take the lock file; held until the descriptor is closed. */
int dir_lock(int dir_fd, const char *path, int *ret_fd, struct armada_error *err);
/* As asprintf("%s/%s"), new. */
char *dir_path(const char *path, const char *name);

/* mark.c: see mark_write. */
struct mark {
	uint64_t seq;
	uint8_t hash[HASH_BYTES];
};
/* 1 and the mark; 0: none, or not readable as one (said in the log); negative errno. */
int mark_open(struct store *s, struct mark *ret_mark, struct armada_error *err);
/*
 * Note that everything up to last_seq is durable. Only written after it is true, so a log that ends
 * before its mark has lost something. sync: put the mark itself on the disk.
 */
int mark_write(struct store *s, bool sync);
int mark_create(int dir_fd, struct armada_error *err);

/* chain.c */
void chain_genesis(const uint8_t cluster_id[CLUSTER_ID_BYTES], uint8_t ret_hash[HASH_BYTES]);
/* hash: of the predecessor, becomes that of the record. */
void chain_next(uint8_t hash[HASH_BYTES], uint64_t seq, const void *data, size_t len);
uint32_t chain_crc(const uint8_t prev[HASH_BYTES], uint64_t seq, const void *data, size_t len);

/* record.c */
int record_append(void *handle, const struct armada_state_record *records, size_t count,
		  struct armada_error *err);
/*
 * Read the records after from.seq, whose chain hash is from.hash, in order, and check each.
 * on_record may be NULL. Leaves the last sequence and its hash.
 */
int record_read(struct store *s, const struct snapshot *from, armada_state_record_fn *on_record,
		void *arg, uint64_t *ret_last, uint8_t ret_hash[HASH_BYTES],
		struct armada_error *err);
int record_first(struct store *s, uint64_t *ret_first, struct armada_error *err);
/* Inside a transaction: drop some of what is below cut_goal. */
int record_cut(struct store *s, uint64_t budget, uint64_t *ret_first, struct armada_error *err);
/* Write back the WAL if it grew past its limit. The batch before it is already durable. */
void record_checkpoint(struct store *s);

/* snapshot.c */
int snapshot_write(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
		   size_t count, struct armada_error *err);
/*
 * Find the newest snapshot that is whole; a damaged one is said in the log and passed over.
 * ret_older: the next one down, seq 0: none.
 */
int snapshot_find(struct store *s, struct snapshot *ret_newest, struct snapshot *ret_older,
		  struct armada_error *err);
int snapshot_read(struct store *s, const struct snapshot *snap, armada_state_record_fn *on_chunk,
		  void *arg, struct armada_error *err);

/* history.c, find.c */
/* Is the text one of these? An empty list has all. */
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
