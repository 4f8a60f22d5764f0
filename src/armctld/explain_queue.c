#include "armctld/explain_queue.h"
#include "util/mem.h"

void explain_queue_init(struct explain_queue *q)
{
	*q = (struct explain_queue){0};
	q->waiting_last = &q->waiting;
	q->answered_last = &q->answered;
}

void explain_queue_free(struct question *list)
{
	for (struct question *next; list; list = next) {
		next = list->next;
		if (list->known)
			sched_explanation_done(&list->explanation);
		free(list);
	}
}

void explain_queue_done(struct explain_queue *q)
{
	explain_queue_free(q->waiting);
	explain_queue_free(q->answered);
	explain_queue_init(q);
}

static size_t waiting_of(const struct explain_queue *q, uint32_t uid)
{
	size_t n = 0;

	for (const struct question *one = q->waiting; one; one = one->next)
		n += one->uid == uid;
	return n;
}

bool explain_queue_put(struct explain_queue *q, const struct question *one)
{
	struct question *copy;

	if (q->count >= EXPLAIN_QUEUE_WAITING || waiting_of(q, one->uid) >= EXPLAIN_QUEUE_OF_USER)
		return false;
	copy = xmemdup(one, sizeof(*one));
	copy->next = NULL;
	*q->waiting_last = copy;
	q->waiting_last = &copy->next;
	q->count++;
	return true;
}

struct question *explain_queue_next(struct explain_queue *q)
{
	struct question *one = q->waiting;

	if (!one)
		return NULL;
	q->waiting = one->next;
	if (!q->waiting)
		q->waiting_last = &q->waiting;
	q->count--;
	one->next = NULL;
	return one;
}

void explain_queue_answer(struct explain_queue *q, struct question *one)
{
	*q->answered_last = one;
	q->answered_last = &one->next;
}

struct question *explain_queue_take(struct explain_queue *q)
{
	struct question *list = q->answered;

	q->answered = NULL;
	q->answered_last = &q->answered;
	return list;
}
