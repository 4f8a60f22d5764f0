/*
 * A request about many jobs: it walks the jobs that its filter names, in portions of one record each, and
 * says in words of a few of them why it could not be done.
 */
#pragma once

#include "core/txn/txn.h"

struct bulk {
	struct txn *txn;
	const Armada__JobFilter *filter;
	uint64_t after, before; /* the job looked at last, and the one before that */
	int64_t work;           /* as filter_cost counts */
	bool is_full;           /* the caller's own measure: no further job in this portion */
	/* of the reply */
	uint64_t *next_after_id, *denied;
	char ***problems;
	size_t *problem_count;
};

/* Of a request and a reply of any kind that has these fields. */
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

/* Was it refused? What the filter names is nothing, or in too many pieces. */
bool bulk_refused(struct txn *txn, const Armada__JobFilter *f);
/* NULL: that was the last, or enough for one record; then the reply says from where to ask again. */
const struct job *bulk_next(struct bulk *b);
/* What of the elements of a job that wait is meant. *ret_set is empty before. */
void bulk_waiting(const struct bulk *b, const struct job *j, struct rangeset *ret_set);
/* Has it tasks, and is it meant? */
bool bulk_means(const struct bulk *b, const struct element *e);
/* The job is somebody else's: it is counted, and a problem. */
void bulk_deny(struct bulk *b, const struct job *j);
/* One sentence more in the reply, in the arena of the input; of more than twenty: no more. */
void bulk_problem(struct bulk *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same of a job, or of an array and e not NULL, of an element: "job 812_7 ...". */
void bulk_problem_of(struct bulk *b, const struct job *j, const struct element *e, const char *why);
