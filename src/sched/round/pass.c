/*
 * Stages of a round: gangs that the order plugin passes over come back in the next stage.
 *
 * Input: the answers of the order plugin. Output: subqueues that are skipped until the next stage.
 * The position of the subqueue is saved when its gang is passed over, and restored when the next
 * stage begins. The look-back and the blocked shapes hold for all stages.
 */
#include "sched/round/pass.h"
#include "sched/round/explain_probe.h"
#include "sched/round/queue_head.h"

#include <string.h>

enum armada_order_turn pass_ask(struct round *r, uint32_t row,
				struct armada_order_excess *ret_excess)
{
	struct model *m = r->m;
	enum armada_order_turn turn =
		m->policies.order->consider(m->policies.order_handle, &r->heads[row], ret_excess);

	if (turn == ARMADA_ORDER_LEAVE)
		r->closed[row] |= CLOSED_STAGE;
	if (turn == ARMADA_ORDER_TRY || turn == ARMADA_ORDER_LEAVE ||
	    (turn == ARMADA_ORDER_PASS && ret_excess->resource < m->dims))
		return turn;
	r->fault =
		arena_printf(r->arena, "plugin order/%s: it says %d of a gang, and resource %u",
			     m->policies.order_plugin->desc->name, (int)turn, ret_excess->resource);
	return ARMADA_ORDER_LEAVE;
}

void pass_over(struct round *r, uint32_t row, const struct armada_order_excess *excess)
{
	uint32_t subqueue = queue_head_subqueue(r, row);
	struct subqueue *l = &r->m->subqueues.list[subqueue];

	r->passed = arena_grow(r->arena, r->passed, &r->passed_cap, r->passed_count,
			       sizeof(*r->passed));
	r->passed[r->passed_count++] = (struct passed){.subqueue = subqueue,
						       .cursor = l->cursor,
						       .taken = l->taken,
						       .range = l->range,
						       .next = l->next,
						       .stage = r->stage,
						       .excess = *excess};
	l->passed = (uint32_t)r->passed_count;
	explain_probe_uncount(r, subqueue);
	queue_head_leave(r, row);
}

bool pass_is_over(const struct round *r, const struct subqueue *l)
{
	return l->passed && r->passed[l->passed - 1].stage == r->stage;
}

/*
 * Move the subqueues back to the gangs passed over: with a look-back they have moved on, job by
 * job.
 */
static void stand_again(struct round *r)
{
	for (size_t i = 0; i < r->passed_count; i++) {
		const struct passed *p = &r->passed[i];
		struct subqueue *l = &r->m->subqueues.list[p->subqueue];

		if (p->stage != r->stage)
			continue;
		l->cursor = p->cursor;
		l->taken = p->taken;
		l->range = p->range;
		l->next = p->next;
	}
}

bool pass_again(struct round *r)
{
	struct model *m = r->m;

	if (!m->policies.order->again || r->terminal || r->fault || r->settled ||
	    !m->policies.order->again(m->policies.order_handle))
		return false;
	if (r->stage + 1 == ARMADA_ORDER_STAGES) {
		r->fault =
			arena_printf(r->arena, "plugin order/%s: it begins again after %d stages",
				     m->policies.order_plugin->desc->name, ARMADA_ORDER_STAGES);
		return false;
	}
	stand_again(r);
	r->stage++;
	for (size_t row = 0; row < r->view.count; row++)
		r->closed[row] &= CLOSED_LIMIT;
	queue_head_again(r);
	return true;
}

static const char *amount(struct round *r, size_t resource, double n)
{
	char text[32];

	amounts_format(resource, n < 9e18 ? (int64_t)n : INT64_MAX, text, sizeof(text));
	return arena_strdup(r->arena, text);
}

struct reason pass_reason(struct round *r, uint32_t job, struct reason blocked)
{
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[m->jobs.list[job].subqueue];
	const struct armada_order_excess *e = &r->passed[l->passed - 1].excess;
	size_t d = e->resource;
	const char *left = "";

	if (e->left < e->slice)
		left = arena_printf(r->arena, " (%s left)", amount(r, d, e->left));
	return reason_printf(
		r->arena, WHY_SLICE,
		"asks for %s %s; its queue's slice of the free resources was %s%s, and the "
		"rest went to other jobs: %s",
		amount(r, d, (double)job_shape_sum(m, l->shape)[d]), m->resources[d],
		amount(r, d, e->slice), left, blocked.text);
}
