#include "core/view/visibility.h"

#include "core/txn/job_text.h"
#include "core/view/rights.h"

#include <string.h>

const struct core_viewer *visibility_viewer(struct txn *txn)
{
	const struct caller *who = txn->in->caller;
	struct core_viewer *v;
	const char **queues;

	if (rights_sees_all(txn))
		return NULL;
	v = arena_zalloc(txn->arena, 1, sizeof(*v));
	queues = arena_alloc(txn->arena, (HASH_COUNT(txn->state->queues) + 1) * sizeof(*queues));
	v->uid = who->uid;
	v->user = who->user;
	v->queues = queues;
	for (const struct queue *q = txn->state->queues; q; q = q->hh.next)
		if (rights_may(txn, who, VERB_WATCH, NULL, q))
			queues[v->queue_count++] = q->name;
	return v;
}

bool visibility_sees(const struct core_viewer *v, uint32_t uid, const char *queue)
{
	if (!v || v->uid == uid)
		return true;
	for (size_t i = 0; i < v->queue_count; i++)
		if (strcmp(v->queues[i], queue) == 0)
			return true;
	return false;
}

static bool is_seen(void *arg, uint64_t job)
{
	struct txn *txn = arg;
	const struct job *j = job_find(txn->state, job);

	return j && rights_sees(txn, j);
}

char *visibility_text(struct txn *txn, char *text)
{
	return rights_sees_all(txn) ? text : job_text_hide(text, is_seen, txn, txn->arena);
}

void visibility_row(struct txn *txn, Armada__JobRow *row)
{
	row->reason = visibility_text(txn, row->reason);
	row->last_end = visibility_text(txn, row->last_end);
}
