/*
 * State plugins: make this batch of records durable; replay them; keep the history.
 *
 * A record is opaque bytes under a sequence number that grows by one. A snapshot is opaque chunks
 * that stand for every record up to its sequence. History rows describe ended elements; they are
 * written behind from the records, so a row is identified by what it is about and writing it twice
 * changes nothing.
 *
 * Threads: append and snapshot are called by one thread, history_put by one (maybe another),
 * history_find by any. Every call returns 0 or a negative errno with a sentence in err. After a
 * failed append the handle refuses everything but close: what reached the disk is only known
 * after the next open (never retry fsync).
 */
#ifndef ARMADA_STATE_H
#define ARMADA_STATE_H

#include <armada/plugin.h>

struct armada_state_record {
	uint64_t seq;
	const void *data;
	size_t len;
};

struct armada_state_chunk {
	const void *data;
	size_t len;
};

/* What open found. */
struct armada_state_info {
	uint8_t cluster_id[16];
	uint64_t last_seq;	/* of the last record; 0: none */
	uint64_t snapshot_seq;	/* 0: no snapshot */
	uint64_t history_seq;	/* every row of records up to this is durable in the history */
	uint64_t torn_records;	/* unacknowledged ones cut from the end by this open: at least so many */
};

/* One ended element, or several of one job that ended alike. */
struct armada_history_row {
	uint64_t seq; /* of the record that ended it */
	uint64_t job;
	uint32_t first_element, last_element;
	uint32_t attempt;
	uint32_t uid;
	const char *user, *queue, *job_set, *name, *nodes;
	int32_t state; /* enum JobState of client.proto */
	int64_t submit_us, start_us, end_us;
	const void *row; /* packed JobRow, returned as it is */
	size_t row_len;
};

/* What `actl show job` shows of a job that has left memory. */
struct armada_history_job {
	uint64_t seq;
	uint64_t job;
	const void *detail; /* packed ShowJobReply without blobs */
	size_t detail_len;
	struct armada_history_blob {
		uint8_t hash[32];
		const void *data; /* NULL: none */
		size_t len;
	} script, env; /* stored once for all jobs that share them */
};

/* How a queue stood, noted now and then. */
struct armada_history_share {
	uint64_t seq; /* of the record that notes it */
	int64_t time_us;
	const char *queue, *fairness; /* fairness: the plugin */
	double cost, fair, capped, weight, memory, factor;
};

/* Every list must match where it is not empty. Lists of strings are matched exactly. */
struct armada_history_filter {
	const struct armada_history_ids {
		uint64_t first, last;
	} *ids;
	size_t id_count;
	const char *const *users, *const *queues, *const *job_sets, *const *names;
	size_t user_count, queue_count, job_set_count, name_count;
	const int32_t *states;
	size_t state_count;
	uint64_t after_job; /* rows after (after_job, after_element) in that order */
	uint32_t after_element;
	bool has_after_element;
	uint32_t limit;
};

/* Returning non-zero stops and is returned. The data is borrowed for the call. */
typedef int armada_state_record_fn(void *arg, uint64_t seq, const void *data, size_t len);
typedef int armada_state_row_fn(void *arg, uint64_t job, uint32_t first, uint32_t last,
				const void *row, size_t len);

typedef int armada_state_share_fn(void *arg, const struct armada_history_share *share);

struct armada_state_ops {
	/*
	 * Make a new state in dir (made if missing, its parent must exist) for this cluster. Refuses
	 * a dir that already holds one.
	 */
	int (*init)(const char *dir, const uint8_t cluster_id[16],
		    const struct armada_option_value *values, struct armada_error *err);
	/*
	 * Take the state: exclusive, checked for damage. Refuses in words: no state there, held
	 * by another controller, damaged, not writable, readable by others (S6).
	 */
	int (*open)(void **ret_handle, const char *dir, const struct armada_option_value *values,
		    const struct armada_host *host, struct armada_state_info *ret_info,
		    struct armada_error *err);
	void (*close)(void *handle);
	/* The newest snapshot's chunks to on_chunk (seq: the snapshot's), then records after it. */
	int (*replay)(void *handle, armada_state_record_fn *on_chunk,
		      armada_state_record_fn *on_record, void *arg, struct armada_error *err);
	/* Durable when it returns. Sequences follow one another and the last one of before. */
	int (*append)(void *handle, const struct armada_state_record *records, size_t count,
		      struct armada_error *err);
	/*
	 * Keep a snapshot that stands for all records up to seq; durable when it returns. Records
	 * are cut below the older of the two newest snapshots and never above history_seq.
	 */
	int (*snapshot)(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
			size_t count, struct armada_error *err);
	/* Add rows and jobs, then note that the history is whole up to seq. Durable together. */
	int (*history_put)(void *handle, uint64_t seq, const struct armada_history_row *rows,
			   size_t row_count, const struct armada_history_job *jobs,
			   size_t job_count, struct armada_error *err);
	/* Rows in order of job, then first element. */
	int (*history_find)(void *handle, const struct armada_history_filter *filter,
			    armada_state_row_fn *on_row, void *arg, struct armada_error *err);
	/* -ENOENT when the job is not there. ret_* are new, freed with free(); blobs may be NULL. */
	int (*history_job)(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
			   void **ret_script, size_t *ret_script_len, void **ret_env,
			   size_t *ret_env_len, struct armada_error *err);
	/*
	 * Samples of shares, kept for as long as the plugin's options say. Durable when it returns;
	 * called before the history_put that tells of their records, and again after a crash: a
	 * sample is identified by its time and queue. NULL: none are kept.
	 */
	int (*shares_put)(void *handle, const struct armada_history_share *shares, size_t count,
			  struct armada_error *err);
	/*
	 * Of these queues (0: all) from since_us to until_us, the youngest first. NULL where
	 * shares_put is.
	 */
	int (*shares_find)(void *handle, const char *const *queues, size_t queue_count,
			   int64_t since_us, int64_t until_us, armada_state_share_fn *on_share,
			   void *arg, struct armada_error *err);
};

#endif
