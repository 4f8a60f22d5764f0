#include "sched/reason.h"
#include "sched/stage.h"
#include "sched/watch.h"
#include "util/mem.h"

#include <string.h>

/* Stages of a round: what the order plugin passes over comes back when it begins again. */

enum armada_order_turn stage_turn(struct round *r, uint32_t row,
				  struct armada_order_excess *ret_excess)
{
	struct sched *s = r->s;
	enum armada_order_turn turn =
		s->order->consider(s->order_handle, &r->heads[row], ret_excess);

	if (turn == ARMADA_ORDER_LEAVE)
		r->closed[row] |= CLOSED_STAGE;
	if (turn == ARMADA_ORDER_TRY || turn == ARMADA_ORDER_LEAVE ||
	    (turn == ARMADA_ORDER_PASS && ret_excess->resource < s->dims))
		return turn;
	r->fault = arena_printf(r->arena, "plugin order/%s: it says %d of a gang, and resource %u",
				s->order_plugin->desc->name, (int)turn, ret_excess->resource);
	return ARMADA_ORDER_LEAVE;
}

static void make_room(struct round *r)
{
	struct passed *more;

	if (r->passed_count < r->passed_cap)
		return;
	r->passed_cap = r->passed_cap ? 2 * r->passed_cap : 64;
	more = arena_alloc(r->arena, r->passed_cap * sizeof(*more));
	if (r->passed_count)
		memcpy(more, r->passed, r->passed_count * sizeof(*more));
	r->passed = more;
}

void stage_pass(struct round *r, uint32_t row, const struct armada_order_excess *excess)
{
	uint32_t lane = head_lane(r, row);
	struct lane *l = &r->s->lanes[lane];

	make_room(r);
	r->passed[r->passed_count++] = (struct passed){.lane = lane,
						       .cursor = l->cursor,
						       .taken = l->taken,
						       .range = l->range,
						       .next = l->next,
						       .stage = r->stage,
						       .excess = *excess};
	l->passed = (uint32_t)r->passed_count;
	watch_uncount(r, lane);
	head_pass(r, row);
}

bool stage_passed(const struct round *r, const struct lane *l)
{
	return l->passed && r->passed[l->passed - 1].stage == r->stage;
}

/* With a look-back the lanes went on, one by one. */
static void stand_again(struct round *r)
{
	for (size_t i = 0; i < r->passed_count; i++) {
		const struct passed *p = &r->passed[i];
		struct lane *l = &r->s->lanes[p->lane];

		if (p->stage != r->stage)
			continue;
		l->cursor = p->cursor;
		l->taken = p->taken;
		l->range = p->range;
		l->next = p->next;
	}
}

bool stage_again(struct round *r)
{
	struct sched *s = r->s;

	if (!s->order->again || r->terminal || r->fault || r->settled ||
	    !s->order->again(s->order_handle))
		return false;
	if (r->stage + 1 == ARMADA_ORDER_STAGES) {
		r->fault =
			arena_printf(r->arena, "plugin order/%s: it begins again after %d stages",
				     s->order_plugin->desc->name, ARMADA_ORDER_STAGES);
		return false;
	}
	stand_again(r);
	r->stage++;
	for (size_t row = 0; row < r->view.count; row++)
		r->closed[row] &= CLOSED_LIMIT;
	head_again(r);
	return true;
}

static const char *amount(struct round *r, size_t resource, double n)
{
	char text[32];

	reason_amount(resource, n < 9e18 ? (int64_t)n : INT64_MAX, text, sizeof(text));
	return arena_strdup(r->arena, text);
}

struct reason stage_reason(struct round *r, uint32_t job, struct reason blocked)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[s->jobs[job].lane];
	const struct armada_order_excess *e = &r->passed[l->passed - 1].excess;
	size_t d = e->resource;
	const char *left = "";

	if (e->left < e->slice)
		left = arena_printf(r->arena, " (%s left)", amount(r, d, e->left));
	return (struct reason){
		WHY_SLICE,
		arena_printf(
			r->arena,
			"asks for %s %s, its queue's slice of what was free was %s%s, and what "
			"remained went to others: %s",
			amount(r, d, (double)key_sum(s, l->key)[d]), s->resources[d],
			amount(r, d, e->slice), left, blocked.text)};
}
