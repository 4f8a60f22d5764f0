/* The site's own proof: a program that puts a silent node's power off, and knows that it is. */
#include "core/node.h"
#include "core/request.h"
#include "util/mem.h"

#include <inttypes.h>

static const int64_t first_pause_us = INT64_C(30) * 1000000;
static const int64_t longest_pause_us = INT64_C(600) * 1000000;

void node_fence_tick(struct core *c, struct node *n)
{
	struct effect *e;

	if (!c->policy->fence || n->fencing || n->conn || !node_live(n) ||
	    c->in->steady_us - n->heard_us <= c->policy->node_timeout_us ||
	    c->in->steady_us - n->heard_us <= c->policy->fence_after_us ||
	    c->in->steady_us < n->fence_at_us)
		return;
	n->fencing = true;
	e = effect_add(c, EFFECT_FENCE);
	e->text = n->name;
	e->fence_seq = c->record.seq;
	effect_log(c, 4, "node %s is silent and has tasks: the fence program is asked", n->name);
}

/* Leased before the power went off: what came after may be of the next life of the machine. */
static bool is_before(const struct core *c, const struct task *t, const void *arg)
{
	(void)c;
	return t->seq < *(const uint64_t *)arg;
}

static void failed(struct core *c, struct node *n)
{
	n->fence_pause_us = n->fence_pause_us ? 2 * n->fence_pause_us : first_pause_us;
	if (n->fence_pause_us > longest_pause_us)
		n->fence_pause_us = longest_pause_us;
	n->fence_at_us = c->in->steady_us + n->fence_pause_us;
	effect_log(c, 3,
		   "the fence program did not prove that node %s is off: %s; its tasks stay "
		   "unknown, and it is asked again in %" PRId64 " s",
		   n->name, c->in->text ? c->in->text : "", n->fence_pause_us / 1000000);
}

void input_fenced(struct core *c)
{
	struct node *n = core_find_node(c, c->in->node);
	uint64_t seq = c->in->fence_seq;

	if (!n)
		return;
	n->fencing = false;
	if (!c->in->fenced) {
		failed(c, n);
		return;
	}
	n->fence_pause_us = 0;
	proof_ends(c, n, PROOF_FENCE, is_before, &seq,
		   arena_printf(c->arena, "node %s was switched off by the fence program",
				n->name));
	if (!n->conn)
		node_event(c, n, NODE_EV_DEAD, "switched off", "fence program");
}
