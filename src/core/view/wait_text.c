#include "core/view/wait_text.h"

#include "core/state/extra.h"
#include "core/view/lease_time.h"
#include "util/plural.h"
#include "util/units.h"

#include <stdio.h>

#define BY(name) ARMADA__HOLDER__HOLDER_##name

/* The number of members that the gang has, without those that have left memory. */
static const char *gang_held(const struct job *j, struct arena *a)
{
	const struct gang_spec *said = j->spec->gang;

	return arena_printf(
		a,
		"held: gang %s had %zu of its %u members for longer than "
		"scheduler.gang_timeout; submit the others, which releases it, or cancel it",
		said->id, j->gang->count, said->cardinality);
}

const char *wait_text_held(const struct job *j, struct arena *a, enum sched_why *ret_why)
{
	*ret_why = j->held_by == BY(ADMIN)  ? WHY_HELD_ADMIN
		   : j->held_by == BY(GANG) ? WHY_GANG_TIMEOUT
					    : WHY_HELD;
	switch (j->held_by) {
	case BY(GANG):
		return gang_held(j, a);
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
	return arena_printf(a, "%u of %u %s wait%s for a node%s%s", n, e->task_count,
			    plural(e->task_count, "task", "tasks"), plural(n, "s", ""),
			    reason ? ": " : "", reason ? reason : "");
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
			count += t->state != TASK_ENDED && (t->element->yields || t->leaving);
	}
	return count;
}

char *wait_text_pending_lease(const struct element *e, struct arena *a)
{
	uint32_t count = wait_text_awaits(e);

	if (!count)
		return arena_strdup(a, "waits for the room of its pending lease");
	return arena_printf(a, "waits for room: %u task%s %s being ended for it", count,
			    plural(count, "", "s"), plural(count, "is", "are"));
}

char *wait_text_extras(const struct txn *txn, const struct element *e, struct arena *a)
{
	uint32_t n = extras_waiting(e), all = e->job->spec->tasks;
	const char *reason = live_element(txn->live, e)->extras_reason;

	if (!n)
		return (char *)"";
	return arena_printf(a, "%u of %u tasks wait%s for room%s%s", n, all, plural(n, "s", ""),
			    reason ? ": " : "", reason ? reason : "");
}

char *wait_text_gap(const struct element *e, struct arena *a)
{
	uint32_t gap = e->extras ? extras_never_placed(e) : e->job->spec->tasks - e->task_count;

	if (!gap)
		return (char *)"";
	if (e->extras)
		return arena_printf(a, "%u of %u tasks found no room and %s not started", gap,
				    e->job->spec->tasks, plural(gap, "was", "were"));
	return arena_printf(a, "%u of %u %s %s not started: gang minimum met without %s", gap,
			    e->job->spec->tasks, plural(e->job->spec->tasks, "task", "tasks"),
			    plural(gap, "was", "were"), plural(gap, "it", "them"));
}

/* How far a task is on its way to its program. */
enum progress { ORDERED, SET_UP, READY, STARTED, PROGRESSES };

static enum progress progress_of(const struct txn *txn, const struct task *t)
{
	const struct task_live *live = live_task(txn->live, t);

	if (t->state != TASK_LEASED)
		return STARTED;
	return live->ready ? READY : live->accepted ? SET_UP : ORDERED;
}

char *wait_text_starting(const struct txn *txn, const struct element *e, struct arena *a)
{
	static const char *const texts[] = {[ORDERED] = "for the answer of a node",
					    [SET_UP] = "to be set up",
					    [READY] = "to be released"};
	const struct node *first[PROGRESSES] = {NULL};
	uint32_t count[PROGRESSES] = {0};
	int at = ORDERED;

	for (uint32_t i = 0; i < e->task_count; i++) {
		enum progress p = progress_of(txn, &e->tasks[i]);

		first[p] = count[p]++ ? first[p] : e->tasks[i].node;
	}
	while (at < STARTED && !count[at])
		at++;
	if (at == STARTED)
		return (char *)"";
	return arena_printf(a, "%u of %u %s wait%s %s (%s%s)", count[at], e->task_count,
			    plural(e->task_count, "task", "tasks"), plural(count[at], "s", ""),
			    texts[at], count[at] > 1 ? "first: " : "", first[at]->name);
}

/* The silent node of a task that has not ended, and the number of such tasks on all silent nodes. */
static const struct node *silent_node(const struct txn *txn, const struct element *e,
				      uint32_t *ret_tasks, uint32_t *ret_nodes)
{
	const struct node *first = NULL, *last = NULL;

	*ret_tasks = *ret_nodes = 0;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *n = e->tasks[i].node;

		if (e->tasks[i].state == TASK_ENDED || !live_node_is_silent(txn->live, n))
			continue;
		first = first ? first : n;
		*ret_nodes += n != last;
		*ret_tasks += 1;
		last = n;
	}
	return first;
}

/* "when the lease ends in 1 min 10 s, or after anode confirm-dead n1" */
static const char *ends_of_silence(const struct txn *txn, const struct node *n,
				   const struct element *e, struct arena *a)
{
	int64_t over_us = lease_over_us(txn, n, e), left_us = over_us - txn->in->steady_us;
	bool fence = txn->policy->fence;
	char lease[80] = "";

	if (over_us)
		snprintf(lease, sizeof(lease), "when the lease ends in %s, ",
			 duration_words(left_us > 0 ? left_us : 0).text);
	return arena_printf(a, "%s%s%safter anode confirm-dead %s", lease,
			    fence ? "when the fence program has switched the node off, " : "",
			    over_us || fence ? "or " : "", n->name);
}

char *wait_text_unknown(const struct txn *txn, const struct element *e, struct arena *a)
{
	const struct node *n;
	const char *end, *then;
	uint32_t tasks, nodes;
	int64_t silent_us;

	n = silent_node(txn, e, &tasks, &nodes);
	if (!n)
		return e->text ? e->text : (char *)"waits for the reports of its nodes";
	then = e->why || e->job->spec->no_requeue ? "ends" : "is started elsewhere";
	silent_us = txn->in->steady_us - live_node(txn->live, n)->heard_us;
	end = ends_of_silence(txn, n, e, a);
	return arena_printf(
		a,
		"node %s%s %s silent for %s, with %u of %u %s; it continues when the node is "
		"back, and %s %s",
		n->name, nodes > 1 ? arena_printf(a, " and %u more", nodes - 1) : "",
		plural(nodes, "is", "are"), duration_words(silent_us).text, tasks, e->task_count,
		plural(e->task_count, "task", "tasks"), then, end);
}

char *wait_text_pause(const struct txn *txn, const struct element *e, struct arena *a)
{
	int64_t left_us = e->not_before_us - txn->in->wall_us;
	int64_t left_s = left_us > 0 ? (left_us + 999999) / 1000000 : 0;

	return arena_printf(a, "restarts in %s after %u %s%s%s",
			    duration_words(left_s * 1000000).text, e->restarts,
			    plural(e->restarts, "failure", "failures"), e->text ? "; " : "",
			    e->text ? e->text : "");
}
