/*
 * What a change of jobs did. The controller answers in pages, which are asked for one by one and added up, as
 * the commands do.
 */
#pragma once

#include "armrestd/exchange.h"

enum { OUTCOME_PROBLEMS = 20 };

struct outcome {
	uint64_t matched, done, waiting, ending, ended, signalled, not_running, denied, refused;
	const char
		*problems[OUTCOME_PROBLEMS]; /* the first sentences, in the arena of the exchange */
	size_t problem_count;
	Armada__JobRange *const *missing; /* ids that are not in memory */
	size_t missing_count;
	uint64_t next_after_id; /* of the last page */
};

/* A kind of change. */
struct change {
	enum msg_type request, reply;
	uint64_t *(*after_id)(void *request);
	void (*add)(const void *reply, struct outcome *o);
	const char *ended; /* added to "job 7 has ended"; NULL: a job that has ended is no error */
};

extern const struct change change_cancel, change_hold, change_suspend, change_requeue,
	change_update, change_preempt;

/*
 * Asks until all pages have come, and looks ids that are not in memory up in the history. f: the filter of
 * the request. 0: something was done, or had been done before; otherwise why not: -EPERM, -EBADE, -ENOENT.
 */
int outcome_ask(struct exchange *x, const struct change *k, void *request,
		const Armada__JobFilter *f, struct outcome *ret, struct err *err);
/* A member of the answer. */
void outcome_count(struct exchange *x, const char *name, uint64_t n);
/* The members of what was not done: denied, refused and problems. */
void outcome_rest(struct exchange *x, const struct outcome *o);
