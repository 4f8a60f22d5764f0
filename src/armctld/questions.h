/*
 * Jobs that are to be explained, on their way to the scheduler's thread and back.
 *
 * Two lists, which whoever owns them keeps under a lock: what waits, in the order asked, and what has
 * been answered. Both have an end: an explanation costs as much as many rounds, so only so many may
 * wait, and one user may not take all of the places.
 */
#ifndef ARMCTLD_QUESTIONS_H
#define ARMCTLD_QUESTIONS_H

#include "core/core.h"

enum { QUESTIONS_WAITING = 64, QUESTIONS_OF_USER = 16 };

struct question {
	struct question *next;
	uint64_t conn;
	uint32_t request, uid;
	struct explain_ask ask;
	struct sched_explanation explanation;
	bool known; /* there is an explanation */
};

struct questions {
	struct question *waiting, **waiting_last;
	struct question *answered, **answered_last;
	size_t count; /* that wait */
};

void questions_init(struct questions *q);
/* Those that nobody answered, and answers that nobody took, too. */
void questions_done(struct questions *q);
/* Copied. False: too many wait already, of this user or of all. */
bool questions_put(struct questions *q, const struct question *one);
/* Out of the waiting ones; NULL for none. The caller gives it to questions_answer. */
struct question *questions_next(struct questions *q);
void questions_answer(struct questions *q, struct question *one);
/* All answered ones, as a list, for questions_free. */
struct question *questions_take(struct questions *q);
void questions_free(struct question *list);

#endif
