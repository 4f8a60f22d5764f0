/*
 * Jobs that are to be explained, on their way to the scheduler's thread and back.
 *
 * Two lists, which whoever owns them keeps under a lock: what waits, in the order asked, and what has
 * been answered. Both have an end: an explanation costs as much as many rounds, so only so many may
 * wait, and one user may not take all of the places.
 */
#pragma once

#include "core/core.h"

#include <sys/queue.h>

enum { EXPLAIN_QUEUE_WAITING = 64, EXPLAIN_QUEUE_OF_USER = 16 };

struct explain_question {
	STAILQ_ENTRY(explain_question) entry;
	uint64_t conn;
	uint32_t request, uid;
	struct explain_ask ask;
	struct sched_explanation explanation;
	bool known; /* there is an explanation */
};

STAILQ_HEAD(explain_question_list, explain_question);

struct explain_queue {
	struct explain_question_list waiting, answered;
	size_t count; /* that wait */
};

void explain_queue_init(struct explain_queue *q);
/* Those that nobody answered, and answers that nobody took, too. */
void explain_queue_done(struct explain_queue *q);
/* Copied. False: too many wait already, of this user or of all. */
bool explain_queue_put(struct explain_queue *q, const struct explain_question *one);
/* Out of the waiting ones; NULL for none. The caller gives it to explain_queue_answer. */
struct explain_question *explain_queue_next(struct explain_queue *q);
void explain_queue_answer(struct explain_queue *q, struct explain_question *one);
/* Moves all answered ones, for explain_queue_free. */
void explain_queue_take(struct explain_queue *q, struct explain_question_list *ret_list);
void explain_queue_free(struct explain_question_list *list);
