/*
 * The queue of requests to explain a job, to the scheduler's thread and back.
 *
 * Two lists, which the owner protects with a lock: waiting requests, in order, and answered ones.
 * An explanation costs as much as many rounds, so the number of waiting requests is limited, also
 * for each user.
 */
#pragma once

#include "core/core.h"
#include "sched/trial.h"

#include <sys/queue.h>

enum { EXPLAIN_QUEUE_WAITING = 64, EXPLAIN_QUEUE_OF_USER = 16 };

struct explain_question {
	STAILQ_ENTRY(explain_question) entry;
	uint64_t conn;
	uint32_t request, uid;
	struct explain_ask ask;
	/* A job that does not exist: the packed record for sched_feed_try; NULL: a job that waits. */
	uint8_t *record;
	size_t record_len;
	char *note; /* passed back with the answer; NULL: none */
	struct sched_explanation explanation;
	struct sched_trial trial;
	bool known; /* there is an explanation, or the outcome of a trial */
};

STAILQ_HEAD(explain_question_list, explain_question);

struct explain_queue {
	struct explain_question_list waiting, answered;
	size_t count; /* number of waiting requests */
};

void explain_queue_init(struct explain_queue *q);
/* Frees all requests, answered or not. */
void explain_queue_done(struct explain_queue *q);
/* Copies the request, with its record and its note. False: too many wait, of this user or of all. */
bool explain_queue_put(struct explain_queue *q, const struct explain_question *one);
/* Takes the first waiting request; NULL: none. The caller passes it to explain_queue_answer. */
struct explain_question *explain_queue_next(struct explain_queue *q);
void explain_queue_answer(struct explain_queue *q, struct explain_question *one);
/* Moves all answered requests, for explain_queue_free. */
void explain_queue_take(struct explain_queue *q, struct explain_question_list *ret_list);
void explain_queue_free(struct explain_question_list *list);
