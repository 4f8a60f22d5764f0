/*
 * A request about many jobs. It walks the jobs that its filter selects, in portions of one record
 * each. For a few of the jobs that could not be handled, the reply has a sentence with the reason.
 */
#pragma once

#include "core/txn/txn.h"

struct bulk {
	struct txn *txn;
	const Armada__JobFilter *filter;
	uint64_t after, before; /* the job visited last, and the job before that */
	int64_t work;           /* in units of filter_cost() */
	bool is_full;           /* set by the caller: no further job in this portion */
	/* members of the reply */
	uint64_t *next_after_id, *denied;
	char ***problems;
	size_t *problem_count;
};

/* For any request and reply with these fields. */
#define BULK(txn_, m_, reply_)                                                                     \
	((struct bulk){                                                                            \
		.txn = (txn_),                                                                     \
		.filter = (m_)->filter,                                                            \
		.after = (m_)->after_id,                                                           \
		.next_after_id = &(reply_)->next_after_id,                                         \
		.denied = &(reply_)->denied,                                                       \
		.problems = &(reply_)->problems,                                                   \
		.problem_count = &(reply_)->n_problems,                                            \
	})

/* True if the request was refused: its filter is empty, or names too many ranges of elements. */
bool bulk_refused(struct txn *txn, const Armada__JobFilter *f);
/*
 * The next job. NULL: no further job, or enough for one record; then the reply says from which id
 * the client asks again.
 */
const struct job *bulk_next(struct bulk *b);
/* The waiting elements of the job that the filter selects. *ret_set must be empty before. */
void bulk_waiting(const struct bulk *b, const struct job *j, struct rangeset *ret_set);
/* True if the element has tasks and the filter selects it. */
bool bulk_means(const struct bulk *b, const struct element *e);
/* Counts a job of another user as denied, with a sentence. */
void bulk_deny(struct bulk *b, const struct job *j);
/* Adds a sentence to the reply, in the arena of the input. At most twenty are kept. */
void bulk_problem(struct bulk *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * The same about a job, or about an element if e is set and the job is an array: "job 812_7 ...".
 */
void bulk_problem_of(struct bulk *b, const struct job *j, const struct element *e, const char *why);
