/*
 * Accounting of a state plugin: attempts as records with all that they used, and sums over them.
 */
#ifndef ARMADA_ATTEMPTS_H
#define ARMADA_ATTEMPTS_H

#include <armada/history.h>

/* Amounts that are not known are -1. Times are microseconds of the wall clock; 0: there is none. */
struct armada_attempt {
	uint64_t job;
	uint32_t first_element,
		last_element; /* several: elements that ended together without a start */
	uint32_t attempt;
	bool requeued; /* the job waited again afterwards: this is not its end */
	int32_t state; /* enum JobState of client.proto */
	int32_t lost;  /* enum Lost of client.proto */
	uint32_t uid, gid;
	const char *user, *account, *queue, *job_set, *name, *priority_class;
	int64_t submit_us, eligible_us, start_us, end_us;
	int32_t exit_code, exit_signal;
	const char *reason, *by; /* by: the user whose request ended it; "": none */
	uint64_t for_job;        /* preempted for it; 0: none */
	uint32_t for_element;
	const char *for_queue;
	uint32_t tasks, node_count;
	const char *nodes; /* a host list */
	/* reserved, for all tasks; resources: all of them, as a JSON object */
	int64_t cpu_milli, memory_bytes, gpus;
	const char *resources;
	/* used; peak_bytes: of the largest task */
	int64_t cpu_us, user_us, system_us, peak_bytes, read_bytes, written_bytes;
	const struct armada_attempt_label {
		const char *key, *value;
	} * labels; /* of the job */
	size_t label_count;
};

/* Each list that is not empty must match. Strings are compared exactly. */
struct armada_attempt_filter {
	/*
	 * Attempts that ran at some time in [from_us, to_us), and those that ended in it without a start.
	 */
	int64_t from_us, to_us;
	const char *const *users,
		*const *accounts, *const *queues, *const *job_sets, *const *names, *const *classes;
	size_t user_count, account_count, queue_count, job_set_count, name_count, class_count;
	const int32_t *states;
	size_t state_count;
	const struct armada_history_ids *ids;
	size_t id_count;
	/* With `limited`, only attempts of this user or in these queues. */
	bool limited;
	uint32_t viewer_uid;
	const char *const *viewer_queues;
	size_t viewer_queue_count;
	/* Of attempts_list: attempts after this one, in the order of end, job, element, attempt. */
	bool has_after;
	int64_t after_end_us;
	uint64_t after_job;
	uint32_t after_element, after_attempt;
	bool newest_first; /* the reverse order, and without a cursor */
	uint32_t limit;
	/* Asked often by a long call. True: the call ends with -ECANCELED. NULL: it never does. */
	bool (*stop)(void *arg);
	void *stop_arg;
	const char *sum_label; /* of sums with ARMADA_SUM_LABEL: the key */
};

/* What attempts are added up by. */
enum armada_sum_by {
	ARMADA_SUM_USER = 1,
	ARMADA_SUM_ACCOUNT = 2,
	ARMADA_SUM_QUEUE = 3,
	ARMADA_SUM_CLASS = 4,
	ARMADA_SUM_TIME = 5,  /* the intervals between the bounds of the caller */
	ARMADA_SUM_LABEL = 6, /* the values of a label; "": jobs without it */
};

/*
 * Sums over the part of each attempt in the period. Amounts are multiplied by microseconds: millicores,
 * gpus and bytes. used: as far as it is known; the use of an attempt counts as spread evenly over its
 * time.
 */
struct armada_attempt_sum {
	const char *key;   /* "" with ARMADA_SUM_TIME */
	int64_t from_us;   /* with ARMADA_SUM_TIME: the beginning of the interval */
	uint64_t attempts; /* that ran */
	double cpu, cpu_used, cpu_idle, cpu_lost_preempted, cpu_lost_node, cpu_lost_other;
	double gpu, gpu_lost_preempted, gpu_lost_node, gpu_lost_other;
	/*
	 * memory_peak: the peak of the largest task for each task; of attempts whose peak is known, as
	 * memory
	 */
	double memory, memory_peak;
	double cpu_measured; /* the part of cpu whose use is known */
	/* from the time when it could start to its start; of the attempts that started in the period */
	uint64_t waits;
	int64_t wait_p50_us, wait_p95_us;
};

/* A result other than 0 stops the caller, which returns it. The data is borrowed for the call. */
typedef int armada_attempt_fn(void *arg, const void *row, size_t len);
typedef int armada_sum_fn(void *arg, const struct armada_attempt_sum *sum);
/* Makes an attempt of the packed JobRow of a history row. Negative: the row cannot be read. */
typedef int armada_attempt_of_fn(void *arg, const void *row, size_t len,
				 struct armada_attempt *ret_attempt);

/* The size and the age of the history. */
struct armada_history_space {
	uint64_t used_bytes, bound_bytes; /* bound 0: none */
	int64_t oldest_us, keep_us; /* the end of the oldest attempt, 0: none; keep 0: for ever */
	uint64_t pruned;            /* attempts that were deleted since open */
	bool incomplete;            /* rows of an earlier release are not yet among the attempts */
};

#endif
