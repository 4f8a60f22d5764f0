#include "core/lifecycle/signal.h"

#include "core/lifecycle/orders.h"
#include "util/plural.h"

/* Why the task cannot be signalled now; NULL: it can. */
static const char *obstacle(const struct txn *txn, const struct task *t)
{
	switch (t->state) {
	case TASK_STARTED:
		break;
	case TASK_LEASED:
		return "it has not started yet";
	default:
		return "it has ended";
	}
	if (!live_node(txn->live, t->node)->conn)
		return arena_printf(txn->arena, "node %s is silent", t->node->name);
	return NULL;
}

static const char *element_name(const struct element *e, struct arena *a)
{
	const struct job *j = e->job;

	if (j->spec->array)
		return arena_printf(a, "job %" PRIu64 "_%" PRIu32, j->id, e->index);
	return arena_printf(a, "job %" PRIu64, j->id);
}

uint32_t element_signal(struct txn *txn, const struct element *e, int sig, bool first_only,
			const char **ret_gap)
{
	uint32_t sent = 0, left = 0;
	const char *why = NULL;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const char *obstructed = obstacle(txn, &e->tasks[i]);

		if (!obstructed) {
			order_signal_task(txn, &e->tasks[i], sig, first_only);
			sent++;
		} else if (e->tasks[i].state != TASK_ENDED) {
			left++;
			why = obstructed;
		}
	}
	*ret_gap = NULL;
	if (left && sent)
		*ret_gap = arena_printf(txn->arena, "%s: sent to %u of %u %s: %s",
					element_name(e, txn->arena), sent, sent + left,
					plural(sent + left, "task", "tasks"), why);
	else if (left)
		*ret_gap = arena_printf(txn->arena, "%s: the signal was not sent: %s",
					element_name(e, txn->arena), why);
	return sent;
}
