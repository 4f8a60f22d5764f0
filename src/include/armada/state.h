/*
 * State plugins: make batches of records durable, replay them, and keep the history.
 *
 * A record is a sequence of bytes with a sequence number; numbers grow by one. A snapshot consists of
 * chunks and replaces all records up to its sequence. History rows describe ended elements. They are
 * written later than the records, and again after a crash. So each row has a key (job, element,
 * attempt), and a second write of a row changes nothing.
 *
 * Threads: one thread calls append and snapshot, one (possibly another) calls history_put, and any
 * thread may call history_find. Every call returns 0, or a negative errno with a sentence in err.
 * An append that returns -ENOSPC changed nothing, and may be repeated when there is space. After any
 * other failed append the handle refuses every call but close: only the next open finds out which data
 * reached the disk. A failed fsync must never be repeated.
 */
#ifndef ARMADA_STATE_H
#define ARMADA_STATE_H

#include <armada/attempts.h>
#include <armada/replica.h>
#include <armada/state_types.h>

typedef int armada_state_end_fn(void *arg, const struct armada_history_place *place,
				const void *data, size_t len);

struct armada_state_ops {
	/*
	 * Creates a new state for this cluster in dir, and dir itself if only its parent exists.
	 * Refuses a dir that contains a state.
	 */
	int (*init)(const char *dir, const uint8_t cluster_id[16],
		    const struct armada_option_value *values, struct armada_error *err);
	/*
	 * Opens the state for one controller, and checks it for damage. Errors: no state in dir, in
	 * use by another controller, damaged, not writable, readable by other users.
	 */
	int (*open)(void **ret_handle, const char *dir, const struct armada_option_value *values,
		    const struct armada_host *host, struct armada_state_info *ret_info,
		    struct armada_error *err);
	void (*close)(void *handle);
	/* Calls on_chunk for the newest snapshot that is not above history_seq, then on_record. */
	int (*replay)(void *handle, armada_state_record_fn *on_chunk,
		      armada_state_record_fn *on_record, void *arg, struct armada_error *err);
	/* The records are durable when it returns. Sequences have no gaps. */
	int (*append)(void *handle, const struct armada_state_record *records, size_t count,
		      struct armada_error *err);
	/*
	 * Stores a snapshot that replaces all records up to seq; durable when it returns. It is kept with
	 * the one from which a replay would begin before it; records before both are deleted. The same seq
	 * again makes a second copy, which counts as the older one.
	 */
	int (*snapshot)(void *handle, uint64_t seq, const struct armada_state_chunk *chunks,
			size_t count, struct armada_error *err);
	/* Adds rows and jobs, and notes that the history is complete up to seq, in one transaction. */
	int (*history_put)(void *handle, uint64_t seq, const struct armada_history_row *rows,
			   size_t row_count, const struct armada_history_job *jobs,
			   size_t job_count, struct armada_error *err);
	/* Calls on_row for each match, in the order of job, then first element. */
	int (*history_find)(void *handle, const struct armada_history_filter *filter,
			    armada_state_row_fn *on_row, void *arg, struct armada_error *err);
	/* -ENOENT: no such job. The caller frees ret_* with free(); blobs may be NULL. */
	int (*history_job)(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
			   void **ret_script, size_t *ret_script_len, void **ret_env,
			   size_t *ret_env_len, struct armada_error *err);
	/*
	 * Stores samples of shares; durable when it returns. An option of the plugin says how long
	 * they are kept. The host calls it before the history_put of the same records, and again
	 * after a crash; the key of a sample is its time and queue. NULL: no samples are kept.
	 */
	int (*shares_put)(void *handle, const struct armada_history_share *shares, size_t count,
			  struct armada_error *err);
	/*
	 * Calls on_share for the samples of these queues (queue_count 0: all) from since_us to
	 * until_us, the newest first. NULL if shares_put is NULL.
	 */
	int (*shares_find)(void *handle, const char *const *queues, size_t queue_count,
			   int64_t since_us, int64_t until_us, armada_state_share_fn *on_share,
			   void *arg, struct armada_error *err);
	/*
	 * One step, of some milliseconds, of work that can wait: deleting records, making files smaller.
	 * Called by the thread of append while no record waits, until it returns 0. 1: there is more to do.
	 * An error changes nothing that is durable. NULL: no such work.
	 */
	int (*tidy)(void *handle, struct armada_error *err);
	/*
	 * Looks at the space of the file system, and makes the reserve again when there is room. Called
	 * about once a second, by any thread; takes microseconds. NULL: the host refuses nothing.
	 */
	int (*space)(void *handle, struct armada_state_space *ret_space, struct armada_error *err);
	/*
	 * Reads a damaged state that no controller has open, and changes nothing. Calls on_chunk and
	 * on_record for what can be kept, as replay does, then on_lost for each later record that can be
	 * read by itself. NULL: the plugin cannot recover.
	 */
	int (*salvage)(const char *dir, const struct armada_option_value *values,
		       struct armada_state_salvage *ret_salvage, armada_state_record_fn *on_chunk,
		       armada_state_record_fn *on_record, armada_state_record_fn *on_lost,
		       void *arg, struct armada_error *err);
	/*
	 * Puts a log that consists of one snapshot, at seq, in the place of the damaged one, whose files
	 * are renamed; ret_suffix: what their names end with. NULL if salvage is NULL.
	 */
	int (*replace_log)(const char *dir, const struct armada_option_value *values,
			   const uint8_t cluster_id[16], uint64_t seq,
			   const struct armada_state_chunk *chunks, size_t count,
			   char ret_suffix[64], struct armada_error *err);
	/*
	 * Like snapshot, in parts, between which records are appended. The part with the last chunk makes
	 * the snapshot valid. -EAGAIN: it has to begin again, with the first part; any other error ends it.
	 * NULL: the host calls snapshot.
	 */
	int (*snapshot_part)(void *handle, const struct armada_state_part *part,
			     struct armada_error *err);
	/*
	 * Stores attempts of elements that wait again, and starts; durable when it returns. The host
	 * calls it before the history_put of the same records, and again after a crash; the key is
	 * job, element and attempt. Neither history_find nor history_job sees them. NULL: no
	 * attempts are kept.
	 */
	int (*attempts_put)(void *handle, const struct armada_history_row *rows, size_t count,
			    struct armada_error *err);
	/*
	 * Calls on_row for each attempt that matches, in the order of job, element and attempt. The filter
	 * begins after (after_job, after_element, after_attempt). NULL if attempts_put is NULL.
	 */
	int (*attempts_find)(void *handle, const struct armada_history_filter *filter,
			     armada_state_row_fn *on_row, void *arg, struct armada_error *err);
	/*
	 * Stores job events; durable when it returns. The host calls it before the history_put of the same
	 * records, and again after a crash; the key is queue, job set and number. NULL: no events are kept.
	 */
	int (*events_put)(void *handle, const struct armada_history_event *events, size_t count,
			  struct armada_error *err);
	/*
	 * Calls on_event for the events of a job set from number `from` on that are kept, in their order,
	 * at most limit of them. ret_first, ret_last: the lowest and the highest number of the set that
	 * are kept; 0: none. NULL if events_put is NULL.
	 */
	int (*events_find)(void *handle, const char *queue, const char *job_set, uint64_t from,
			   uint32_t limit, armada_state_event_fn *on_event, void *arg,
			   uint64_t *ret_first, uint64_t *ret_last, struct armada_error *err);
	/*
	 * Stores attempts for accounting, ended ones and those after which an element waits again; durable
	 * when it returns. The host calls it before the attempts_put and the history_put of the same
	 * records, and again after a crash. NULL: there is no accounting, and the next four are NULL.
	 */
	int (*accounting_put)(void *handle, const struct armada_attempt *list, size_t count,
			      struct armada_error *err);
	/*
	 * Calls on_row with the packed row of each attempt that the filter selects. This call and the next
	 * one may take seconds, and must not delay other calls. -ECANCELED: the filter's stop() returned
	 * true.
	 */
	int (*accounting_list)(void *handle, const struct armada_attempt_filter *filter,
			       armada_attempt_fn *on_row, void *arg, struct armada_error *err);
	/* Adds up the attempts that the filter selects. bounds: of the intervals, with ARMADA_SUM_TIME. */
	int (*accounting_sum)(void *handle, const struct armada_attempt_filter *filter,
			      enum armada_sum_by by, const int64_t *bounds, size_t bound_count,
			      armada_sum_fn *on_sum, void *arg, struct armada_error *err);
	/*
	 * One step, of some milliseconds, of work on the history: rows of an earlier release become
	 * attempts, and old ones are deleted. Called by the thread of history_put until it returns 0, and
	 * again about every ten seconds. 1: there is more to do.
	 */
	int (*history_tidy)(void *handle, int64_t now_us, armada_attempt_of_fn *attempt_of,
			    void *arg, struct armada_error *err);
	/* Never waits. */
	int (*history_space)(void *handle, struct armada_history_space *ret_space,
			     struct armada_error *err);
	/*
	 * Calls on_end for the first ends after a place that are durable, at most limit of them, in the order
	 * of their places. ret_behind: the number of ends after the place; it may be counted up to some
	 * number only. NULL: there are no notifications.
	 */
	int (*ends_find)(void *handle, const struct armada_history_place *after,
			 enum armada_ends which, uint32_t limit, armada_state_end_fn *on_end,
			 void *arg, uint64_t *ret_behind, struct armada_error *err);
	/*
	 * The operations of an engine that several controllers share. NULL: the state belongs to the one
	 * controller that opens it.
	 */
	const struct armada_replica_ops *replica;
	/*
	 * Calls on_event, with queue and job_set, for the events after this place in the order of queue, job
	 * set and number, until it returns something other than 0. NULL if events_put is NULL.
	 */
	int (*events_after)(void *handle, const char *queue, const char *job_set, uint64_t number,
			    armada_state_event_fn *on_event, void *arg, struct armada_error *err);
};

#endif
