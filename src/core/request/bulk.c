/*
 * Requests about many jobs (bulk.h).
 *
 * bulk_next() walks the jobs in the order of their ids. It stops after a bounded number of events,
 * memory and work, and the reply then has the id from which the client asks again.
 *
 * Caveat: handling a job may remove it from memory, and slots may move. So the walk continues from
 * an id, never from a pointer.
 */
#include "core/request/bulk.h"

#include "core/txn/reply.h"
#include "core/view/filter.h"

#include <stdarg.h>
#include <stdio.h>

enum {
	EVENTS_AT_ONCE = 2000,
	MEMORY_AT_ONCE = 32 << 20,
	WORK_AT_ONCE = 1000000,
	PROBLEMS_MAX = 20,
};

bool bulk_refused(struct txn *txn, const Armada__JobFilter *f)
{
	if (filter_is_empty(f))
		reply_refuse(txn, 2,
			     "nothing selected: name jobs by id, user, queue, job set or state");
	else if (filter_pieces(f) > FILTER_PIECES)
		reply_refuse(txn, 1, "elements: more than %d ranges are named", FILTER_PIECES);
	else
		return filter_sort(f), false;
	return true;
}

static bool is_full(const struct bulk *b)
{
	return b->is_full || b->work > WORK_AT_ONCE || b->txn->event_count >= EVENTS_AT_ONCE ||
	       arena_used(b->txn->arena) > MEMORY_AT_ONCE;
}

/* Slots may move when jobs leave, so the walk continues from the id. */
const struct job *bulk_next(struct bulk *b)
{
	const struct state *s = b->txn->state;
	int64_t cost = filter_cost(b->filter);

	for (size_t at = job_after(s, b->after); at < s->job_slots; at++) {
		if (b->work && is_full(b)) {
			*b->next_after_id = b->after;
			return NULL;
		}
		b->before = b->after;
		b->after = s->job_ids[at];
		b->work += cost;
		if (s->jobs[at] && filter_job(b->txn, b->filter, s->jobs[at]))
			return s->jobs[at];
	}
	return NULL;
}

void bulk_waiting(const struct bulk *b, const struct job *j, struct rangeset *ret_set)
{
	if (!filter_element(b->filter, j, NULL))
		return;
	if (filter_elements(b->filter, j->id, ret_set))
		rangeset_copy(ret_set, &j->waiting);
	else
		rangeset_intersect(ret_set, &j->waiting);
}

bool bulk_means(const struct bulk *b, const struct element *e)
{
	return e->task_count && filter_element(b->filter, e->job, e);
}

void bulk_deny(struct bulk *b, const struct job *j)
{
	++*b->denied;
	bulk_problem(b, "job %" PRIu64 " belongs to %s", j->id, j->user->name);
}

void bulk_problem(struct bulk *b, const char *format, ...)
{
	struct arena *a = b->txn->arena;
	va_list ap;
	char *text;
	int len;

	if (*b->problem_count == PROBLEMS_MAX)
		return;
	va_start(ap, format);
	len = vsnprintf(NULL, 0, format, ap);
	va_end(ap);
	text = arena_alloc(a, (size_t)len + 1);
	va_start(ap, format);
	vsnprintf(text, (size_t)len + 1, format, ap);
	va_end(ap);
	if (!*b->problems)
		*b->problems = arena_alloc(a, PROBLEMS_MAX * sizeof(**b->problems));
	(*b->problems)[(*b->problem_count)++] = text;
}

void bulk_problem_of(struct bulk *b, const struct job *j, const struct element *e, const char *why)
{
	if (e && j->spec->array)
		bulk_problem(b, "job %" PRIu64 "_%" PRIu32 " %s", j->id, e->index, why);
	else
		bulk_problem(b, "job %" PRIu64 " %s", j->id, why);
}
