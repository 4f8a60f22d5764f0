/*
 * The reason of a waiting job as the state tells it.
 *
 * Input: a job, and what the scheduler last said about it. Output: the reason to show. Holds, the
 * limit of an array, the cordon of a queue, missing connections of nodes and limits of the number of
 * running elements are facts of the state.
 * They hold at once, while a round gives reasons later, and only to the first of several like jobs.
 * So these facts replace the scheduler's word, and its word is dropped where it states such a fact
 * that is no longer true. aqueue and aexplain both use this, so they agree.
 *
 * A node whose state is "up" may have no connection: after a restart of the controller until it
 * registers again, or after a lost connection until it counts as silent. The scheduler gives it no
 * jobs, so it says "no nodes are up", or that no node has a label; neither is true then.
 */
#include "core/view/state_reason.h"

#include "core/view/running_limit.h"
#include "core/view/up_nodes.h"
#include "core/view/wait_text.h"
#include "util/plural.h"
#include "util/units.h"

#include <inttypes.h>

/* "2 s ago" */
static char *started_ago(const struct txn *txn, struct arena *a)
{
	int64_t ago_us = txn->in->wall_us - txn->live->started_us;

	return arena_printf(a, "%s ago",
			    duration_words(ago_us > 0 ? ago_us / 1000000 * 1000000 : 0).text);
}

static char *missing_text(const struct txn *txn, const struct up_nodes *up, struct arena *a)
{
	uint32_t silent = up->count - up->linked, unregistered = up->count - up->registered;

	if (unregistered)
		return arena_printf(a,
				    "the controller started %s; %u of %u node%s not registered yet",
				    started_ago(txn, a), unregistered, up->count,
				    plural(up->count, " has", "s have"));
	return arena_printf(a, "%u of %u node%s no connection to the controller", silent, up->count,
			    plural(up->count, " has", "s have"));
}

/* What the scheduler says about nodes that are up depends on those that are connected. */
static bool depends_on_links(enum sched_why why)
{
	return why == WHY_NODES_DOWN || why == WHY_CONSTRAINTS || why == WHY_TAINTS ||
	       why == WHY_TOO_LARGE;
}

static void correct_nodes(const struct txn *txn, struct arena *a, struct state_reason *reason)
{
	const struct up_nodes *up;

	if (reason->why && reason->why != WHY_PRIORITY && !depends_on_links(reason->why))
		return;
	up = up_nodes(txn);
	if (up->linked < up->count && (!up->linked || depends_on_links(reason->why)))
		*reason = (struct state_reason){WHY_NODES_MISSING, missing_text(txn, up, a), 0};
	else if (up->linked && reason->why == WHY_NODES_DOWN)
		*reason = (struct state_reason){0};
}

/* The elements of the array that run, counted once for each record. */
static uint32_t count_running(const struct txn *txn, const struct job *j)
{
	struct running_array *r = &txn->live->running_array;

	if (r->job != j->id || r->seq != txn->state->seq)
		*r = (struct running_array){j->id, txn->state->seq, running_elements(j)};
	return r->running;
}

/* A job behind a like one waits for its turn, and also for the limit that stops both. */
static void correct_turn(const struct txn *txn, const struct job *j, struct arena *a,
			 struct state_reason *reason)
{
	enum sched_why why = WHY_PRIORITY;
	char *text;

	if (reason->why && reason->why != WHY_PRIORITY)
		return;
	text = running_limit_text(txn, j, a, &why);
	if (text)
		*reason = (struct state_reason){why, text, 0};
}

void state_reason_correct(const struct txn *txn, const struct job *j, struct arena *a,
			  struct state_reason *reason)
{
	uint32_t throttle = j->spec->throttle;

	if (j->held) {
		reason->text = wait_text_held(j, a, &reason->why);
		reason->expected_us = 0;
	} else if (j->next) {
		*reason = (struct state_reason){
			WHY_RESTARTING,
			"its running tasks are being ended; it starts with its new specification "
			"then",
			0};
	} else if (throttle && count_running(txn, j) >= throttle) {
		*reason = (struct state_reason){
			WHY_ARRAY_LIMIT,
			arena_printf(a, "array limit of %u running %s reached", throttle,
				     plural(throttle, "element", "elements")),
			0};
	} else if (j->queue->spec->cordoned) {
		*reason = (struct state_reason){WHY_QUEUE_CORDONED, "its queue is cordoned", 0};
	} else {
		if (reason->why == WHY_ARRAY_LIMIT || reason->why == WHY_QUEUE_CORDONED ||
		    reason->why == WHY_HELD || reason->why == WHY_GANG_TIMEOUT)
			*reason = (struct state_reason){0};
		correct_nodes(txn, a, reason);
		correct_turn(txn, j, a, reason);
	}
}

char *state_reason_of_node(const struct txn *txn, const struct node *n, struct arena *a)
{
	if (n->state != ARMADA__NODE_STATE__NODE_UP || n->linked)
		return NULL;
	if (live_node(txn->live, n)->registered)
		return arena_strdup(a, "has no connection to the controller");
	return arena_printf(a, "has not registered since the controller started %s",
			    started_ago(txn, a));
}
