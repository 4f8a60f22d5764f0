#include "armctld/questions.h"
#include "util/mem.h"

void questions_init(struct questions *q)
{
	*q = (struct questions){0};
	q->waiting_last = &q->waiting;
	q->answered_last = &q->answered;
}

void questions_free(struct question *list)
{
	for (struct question *next; list; list = next) {
		next = list->next;
		if (list->known)
			sched_explanation_done(&list->explanation);
		free(list);
	}
}

void questions_done(struct questions *q)
{
	questions_free(q->waiting);
	questions_free(q->answered);
	questions_init(q);
}

static size_t waiting_of(const struct questions *q, uint32_t uid)
{
	size_t n = 0;

	for (const struct question *one = q->waiting; one; one = one->next)
		n += one->uid == uid;
	return n;
}

bool questions_put(struct questions *q, const struct question *one)
{
	struct question *copy;

	if (q->count >= QUESTIONS_WAITING || waiting_of(q, one->uid) >= QUESTIONS_OF_USER)
		return false;
	copy = xmemdup(one, sizeof(*one));
	copy->next = NULL;
	*q->waiting_last = copy;
	q->waiting_last = &copy->next;
	q->count++;
	return true;
}

struct question *questions_next(struct questions *q)
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

void questions_answer(struct questions *q, struct question *one)
{
	*q->answered_last = one;
	q->answered_last = &one->next;
}

struct question *questions_take(struct questions *q)
{
	struct question *list = q->answered;

	q->answered = NULL;
	q->answered_last = &q->answered;
	return list;
}
