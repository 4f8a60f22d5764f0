/*
 * The history of a state plugin: rows of ended elements, ended jobs, samples of shares, and the filter of a
 * query.
 */
#ifndef ARMADA_HISTORY_H
#define ARMADA_HISTORY_H

#include <armada/plugin.h>

/*
 * One ended element, or a range of elements of one job with the same end; of attempts_put, an attempt of an
 * element that waits again.
 */
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
	const char *account; /* "": none */
	bool start;          /* among attempts: it has begun, and nothing else is known */
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

/* A sample of the share of a queue. */
struct armada_history_share {
	uint64_t seq; /* of the record that notes it */
	int64_t time_us;
	const char *queue, *fairness; /* fairness: the plugin */
	double cost, fair, capped, weight, memory, factor;
	/*
	 * cost is that of the mean use from from_us to time_us, level that of the use from time_us on.
	 * from_us 0: a sample of an older release, with the cost at time_us. A plugin that does not
	 * keep these members returns 0.
	 */
	int64_t from_us;
	double level;
	bool unknown_after; /* nothing is known until from_us of the next sample of the queue */
};

/*
 * A job event (armada-events(5)). The numbers of a job set, which is a queue and a name, grow by one, except
 * after the set was forgotten for a while. The same event may be given again after a crash.
 */
struct armada_history_event {
	uint64_t seq; /* of the record that it follows from */
	const char *queue, *job_set;
	uint64_t number;
	int64_t time_us;
	uint64_t job;
	uint32_t first_element, last_element; /* all of an array: 0 and UINT32_MAX */
	uint32_t uid;                         /* owner of the job */
	int32_t kind;                         /* enum JobEventKind of client.proto */
	const void *body; /* packed JobEvent without the members above, returned as it is */
	size_t body_len;
};

/* What is listed in the order of the records. */
enum armada_ends {
	ARMADA_ENDS = 0,      /* rows */
	ARMADA_ENDS_JOBS = 1, /* jobs whose last element has ended, with their details */
	/* rows, attempts of elements that wait again, and starts; `attempt` of a place is a code of these */
	ARMADA_ENDS_ALL = 2,
};

/* The place of an end in the order of the records: compared member by member. */
struct armada_history_place {
	uint64_t seq;
	uint64_t job;
	uint32_t first_element, attempt; /* of an end of an element; 0 of the end of a job */
};

/* Each list that is not empty must match. Strings are compared exactly. */
struct armada_history_filter {
	const struct armada_history_ids {
		uint64_t first, last;
	} * ids;
	size_t id_count;
	const char *const *users, *const *queues, *const *job_sets, *const *names;
	size_t user_count, queue_count, job_set_count, name_count;
	const int32_t *states;
	size_t state_count;
	uint64_t after_job; /* rows after (after_job, after_element) in that order */
	uint32_t after_element;
	bool has_after_element;
	uint32_t limit;
	const char *const *accounts;
	size_t account_count;
	uint32_t after_attempt; /* of attempts_find, with after_element */
};

#endif
