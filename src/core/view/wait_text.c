#include "core/view/wait_text.h"

#define BY(name) ARMADA__HOLDER__HOLDER_##name

const char *wait_text_held(const struct job *j, enum sched_why *ret_why)
{
	*ret_why = j->held_by == BY(ADMIN) ? WHY_HELD_ADMIN : WHY_HELD;
	switch (j->held_by) {
	case BY(ADMIN):
		return "held by an administrator; only administrators may release it";
	case BY(QUEUE):
		return "held by a manager of its queue, who may release it";
	default:
		return "held, until actl release";
	}
}

char *wait_text_task_replacements(const struct txn *txn, const struct element *e, struct arena *a)
{
	const struct task *first = NULL;
	const char *reason;
	uint32_t n = e->replacements;

	for (uint32_t i = 0; n && !first && i < e->task_count; i++)
		first = e->tasks[i].replacement ? &e->tasks[i] : NULL;
	if (!first)
		return (char *)"";
	reason = live_task(txn->live, first)->reason;
	return arena_printf(a, "%u of %u tasks wait%s for a node%s%s", n, e->task_count,
			    n == 1 ? "s" : "", reason ? ": " : "", reason ? reason : "");
}

/* The number of yielding tasks on the nodes of an element whose lease is pending. */
static uint32_t wait_text_awaits(const struct element *e)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t;

		if (i && e->tasks[i].node == e->tasks[i - 1].node)
			continue;
		LIST_FOREACH (t, &e->tasks[i].node->tasks, on_node)
			count += t->state != TASK_ENDED && t->element->yields;
	}
	return count;
}

char *wait_text_pending_lease(const struct element *e, struct arena *a)
{
	uint32_t count = wait_text_awaits(e);

	if (!count)
		return arena_strdup(a, "waits for the room of its pending lease");
	return arena_printf(a, "waits for room: %u task%s %s being ended for it", count,
			    count == 1 ? "" : "s", count == 1 ? "is" : "are");
}

char *wait_text_gap(const struct element *e, struct arena *a)
{
	uint32_t gap = e->job->spec->tasks - e->task_count;

	if (!gap)
		return (char *)"";
	return arena_printf(a, "%u of %u tasks %s not started: gang minimum met without %s", gap,
			    e->job->spec->tasks, gap == 1 ? "was" : "were",
			    gap == 1 ? "it" : "them");
}
