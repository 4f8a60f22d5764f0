#define LOG_AREA LOG_AREA_NODE
#include "core/lifecycle/node_fence.h"

#include "core/lifecycle/death_proof.h"
#include "core/lifecycle/node_life.h"
#include "core/txn/effects.h"
#include "util/units.h"

#include <inttypes.h>

static const int64_t first_pause_us = INT64_C(30) * 1000000;
static const int64_t longest_pause_us = INT64_C(600) * 1000000;

void node_fence_tick(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);
	struct effect *e;

	if (!txn->policy->fence || live->fencing || live->conn || !node_live(n) ||
	    txn->in->steady_us - live->heard_us <= txn->policy->node_timeout_us ||
	    txn->in->steady_us - live->heard_us <= txn->policy->fence_after_us ||
	    txn->in->steady_us < live->fence_at_us)
		return;
	live->fencing = true;
	e = effect_add(txn, EFFECT_FENCE);
	e->text = n->name;
	e->fence_seq = txn->seq;
	effect_log_about(txn, LOG_FROM, LOG_WARN, &(struct log_about){.node = n->name},
			 "node %s: silent with tasks: the fence program is started", n->name);
}

/*
 * True if the task was leased before the fence program was started. A later task may belong to the
 * next boot of the machine.
 */
static bool is_before(const struct txn *txn, const struct task *t, const void *arg)
{
	(void)txn;
	return t->seq < *(const uint64_t *)arg;
}

static void failed(struct txn *txn, const struct node *n)
{
	struct node_live *live = live_node(txn->live, n);

	live->fence_pause_us = live->fence_pause_us ? 2 * live->fence_pause_us : first_pause_us;
	if (live->fence_pause_us > longest_pause_us)
		live->fence_pause_us = longest_pause_us;
	live->fence_at_us = txn->in->steady_us + live->fence_pause_us;
	effect_log_about(
		txn, LOG_FROM, LOG_ERROR, &(struct log_about){.node = n->name},
		"node %s: the fence program did not prove that it is off: %s; its tasks stay "
		"UNKNOWN, and the program is started again in %s",
		n->name, txn->in->text ? txn->in->text : "",
		duration_words(live->fence_pause_us).text);
}

void node_fence_input(struct txn *txn)
{
	const struct node *n = node_find(txn->state, txn->in->node);
	uint64_t seq = txn->in->fence_seq;

	if (!n)
		return;
	live_node(txn->live, n)->fencing = false;
	if (!txn->in->fenced) {
		failed(txn, n);
		return;
	}
	live_node(txn->live, n)->fence_pause_us = 0;
	death_proof_ends(txn, n, PROOF_FENCE, is_before, &seq,
			 arena_printf(txn->arena, "node %s was switched off by the fence program",
				      n->name));
	if (!live_node(txn->live, n)->conn)
		node_event(txn, n, NODE_EV_DEAD, "switched off", "fence program");
}
