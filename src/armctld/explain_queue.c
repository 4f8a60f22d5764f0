#include "armctld/explain_queue.h"
#include "util/mem.h"

void explain_queue_init(struct explain_queue *q)
{
	q->count = 0;
	STAILQ_INIT(&q->waiting);
	STAILQ_INIT(&q->answered);
}

void explain_queue_free(struct explain_question_list *list)
{
	for (struct explain_question *one; (one = STAILQ_FIRST(list));) {
		STAILQ_REMOVE_HEAD(list, entry);
		if (one->known && one->record)
			sched_trial_done(&one->trial);
		else if (one->known)
			sched_explanation_done(&one->explanation);
		free(one->record);
		free(one->note);
		free(one);
	}
}

void explain_queue_done(struct explain_queue *q)
{
	explain_queue_free(&q->waiting);
	explain_queue_free(&q->answered);
	q->count = 0;
}

static size_t waiting_of(const struct explain_queue *q, uint32_t uid)
{
	const struct explain_question *one;
	size_t n = 0;

	STAILQ_FOREACH (one, &q->waiting, entry)
		n += one->uid == uid;
	return n;
}

bool explain_queue_put(struct explain_queue *q, const struct explain_question *one)
{
	struct explain_question *copy;

	if (q->count >= EXPLAIN_QUEUE_WAITING || waiting_of(q, one->uid) >= EXPLAIN_QUEUE_OF_USER)
		return false;
	copy = xmemdup(one, sizeof(*one));
	copy->record = one->record ? xmemdup(one->record, one->record_len) : NULL;
	copy->note = one->note ? xstrdup(one->note) : NULL;
	STAILQ_INSERT_TAIL(&q->waiting, copy, entry);
	q->count++;
	return true;
}

struct explain_question *explain_queue_next(struct explain_queue *q)
{
	struct explain_question *one = STAILQ_FIRST(&q->waiting);

	if (one) {
		STAILQ_REMOVE_HEAD(&q->waiting, entry);
		q->count--;
	}
	return one;
}

void explain_queue_answer(struct explain_queue *q, struct explain_question *one)
{
	STAILQ_INSERT_TAIL(&q->answered, one, entry);
}

void explain_queue_take(struct explain_queue *q, struct explain_question_list *ret_list)
{
	STAILQ_INIT(ret_list);
	STAILQ_CONCAT(ret_list, &q->answered);
}
