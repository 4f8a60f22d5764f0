#include "sched/round.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* memory asked for before it is needed */

/* Eviction for balance: who, in which order they come back, and who does not. */

/* Rows for so many actors, kept from round to round: they are many. */
static void make_rows(struct sched *s, size_t n)
{
	struct running_rows *v = &s->running;

	if (n <= v->cap)
		return;
	v->cap = n + n / 4;
	v->queue = xreallocarray(v->queue, v->cap, sizeof(*v->queue));
	v->node = xreallocarray(v->node, v->cap, sizeof(*v->node));
	v->priority = xreallocarray(v->priority, v->cap, sizeof(*v->priority));
	v->start = xreallocarray(v->start, v->cap, sizeof(*v->start));
	v->request = xreallocarray(v->request, v->cap * s->dims, sizeof(*v->request));
	v->how = xreallocarray(v->how, v->cap, sizeof(*v->how));
	v->evict = xreallocarray(v->evict, v->cap, sizeof(*v->evict));
	v->list = xreallocarray(v->list, v->cap, sizeof(*v->list));
}

void running_rows_done(struct running_rows *v)
{
	free(v->queue);
	free(v->node);
	free(v->priority);
	free(v->start);
	free(v->request);
	free(v->how);
	free(v->evict);
	free(v->list);
}

/* What the plugin is shown, one row for each actor. */
static void describe(struct sched *s, struct armada_running *ret)
{
	struct running_rows *v = &s->running;
	size_t n = s->actor_count;

	make_rows(s, n);
	for (size_t i = 0; i < n; i++) {
		const struct actor *a = &s->actors[i];
		const struct key *k = &s->keys[a->key];

		v->queue[i] = a->row;
		v->node[i] = actor_node(a, 0);
		v->priority[i] = s->classes[k->class].priority;
		v->start[i] = a->start_us;
		v->how[i] = (uint8_t)(k->fair | k->urgent << 1);
		actor_sum(s, a, v->request + i * s->dims);
	}
	memset(v->evict, 0, n * sizeof(*v->evict));
	*ret = (struct armada_running){.count = n,
				       .queue = v->queue,
				       .node = v->node,
				       .class_priority = v->priority,
				       .preemptible = v->how,
				       .start_us = v->start,
				       .request = v->request};
}

/* Is any node of it too full for what it has? Such are left alone. */
static bool is_over(const struct sched *s, const struct actor *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (actor_node(a, i) != NIL && s->nodes[actor_node(a, i)].over)
			return true;
	return false;
}

static struct place_in_line line_of(const struct actor *a)
{
	return (struct place_in_line){.job = a->job,
				      .element = a->element,
				      .key = a->key,
				      .start_us = a->start_us,
				      .fresh = a->fresh};
}

static int compare(const void *x, const void *y, void *arg)
{
	const struct sched *s = arg;
	const struct actor *a = &s->actors[*(const uint32_t *)x];
	const struct actor *b = &s->actors[*(const uint32_t *)y];
	struct place_in_line i = line_of(a), k = line_of(b);

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	return roster_compare(s, &i, &k);
}

/* The levels of its node will be wanted soon. */
static void fetch(const struct sched *s, const struct actor *a)
{
	if (a->count == 1 && a->one != NIL)
		__builtin_prefetch(node_level(s, a->one, 1));
}

/* The evicted, sorted, lose their levels and stand in the lists of their rows. */
static void put_out(struct round *r, uint32_t *sorted, size_t count)
{
	struct sched *s = r->s;
	size_t n = r->view.count + 1;

	r->evicted = sorted;
	r->evicted_at = arena_zalloc(r->arena, n, sizeof(*r->evicted_at));
	r->evicted_end = arena_zalloc(r->arena, n, sizeof(*r->evicted_end));
	/* Half of the nodes and more: then all at once is less. */
	if (count > s->node_count / 2)
		levels_keep(s);
	for (size_t i = 0; i < count; i++) {
		struct actor *a = &s->actors[sorted[i]];

		if (i + AHEAD < count)
			fetch(s, &s->actors[sorted[i + AHEAD]]);
		actor_weigh(s, a, a->count, -1);
		a->state = ACTOR_EVICTED;
		a->tried = false;
		actor_account(r, a, -1);
		if (!r->evicted_end[a->row])
			r->evicted_at[a->row] = i;
		r->evicted_end[a->row] = i + 1;
	}
	s->evicted_count = count;
}

/*
 * When nodes are relieved the class must come before all else in the order: whoever comes back
 * sees only those of its class and above.
 */
void actors_put_out(struct round *r, const uint32_t *actors, size_t count)
{
	uint32_t *sorted = arena_memdup(r->arena, actors, count * sizeof(*actors));

	qsort_r(sorted, count, sizeof(*sorted), compare, r->s);
	put_out(r, sorted, count);
}

/* The table: in which order would the evicted be put back, if all had room? */

static void number_row(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	uint32_t actor = head_actor(r, row);
	int64_t sum[SCHED_RESOURCES];

	s->table[s->table_count++] = actor;
	actor_sum(s, &s->actors[actor], sum);
	for (size_t d = 0; d < s->dims; d++)
		r->allocated[row * s->dims + d] += sum[d];
	head_taken(r, row);
}

/* What the numbering begins with: the round goes on meanwhile. */
static void keep_start(struct round *r, size_t count)
{
	struct sched *s = r->s;
	size_t n = r->view.count;
	struct numbering *k = &r->numbering;

	k->count = count;
	k->allocated =
		arena_memdup(r->arena, r->allocated, (n * s->dims + 1) * sizeof(*k->allocated));
	k->at = arena_memdup(r->arena, r->evicted_at, (n + 1) * sizeof(*k->at));
	k->evicted = r->evicted;
	k->end = r->evicted_end;
}

/* Often nobody asks: with no one to displace, and all put back, the table is not made. */
void table_make(struct round *r)
{
	struct sched *s = r->s;
	struct round sim = *r;
	size_t n = r->view.count + 1;

	if (!r->numbering.count)
		return;
	GROW(s->table, s->table_cap, r->numbering.count + 1);
	sim.allocated = r->numbering.allocated;
	sim.evicted = r->numbering.evicted;
	sim.evicted_at = r->numbering.at;
	sim.evicted_end = r->numbering.end;
	sim.evicted_only = sim.numbers = true;
	sim.heads = arena_zalloc(r->arena, n, sizeof(*sim.heads));
	sim.live = arena_zalloc(r->arena, n, sizeof(*sim.live));
	r->numbering.count = 0;
	round_heads(&sim);
	round_serve(&sim, number_row);
	r->fault = sim.fault;
}

void actors_evict(struct round *r)
{
	struct sched *s = r->s;
	struct armada_running running;
	struct armada_preempt_round in = {.seed = r->in->seed,
					  .now_us = r->in->now_us,
					  .queues = &r->view,
					  .running = &running};
	size_t most = s->actor_count, n = 0;
	const bool *evict;

	if (!most || !s->preempt_traits.fair_share || !s->preempt->evict)
		return;
	describe(s, &running);
	evict = s->running.evict;
	s->preempt->evict(s->preempt_handle, &in, s->running.evict);
	for (uint32_t i = 0; i < most; i++)
		if (evict[i] && s->keys[s->actors[i].key].fair &&
		    !(s->any_over && is_over(s, &s->actors[i])))
			s->running.list[n++] = i;
	s->work.evicted = n;
	if (!n)
		return;
	put_out(r, s->running.list, n);
	keep_start(r, n);
	/* Whoever picks may remember: then the numbering is before all else, as it always was. */
	if (s->order->pick)
		table_make(r);
}

/* A plugin that picks may have left some alone; whoever has no room now is gone. */
void actors_finish(struct round *r)
{
	struct sched *s = r->s;

	if (!s->evicted_count)
		return;
	table_make(r);
	for (size_t i = 0; i < s->table_count; i++) {
		struct actor *a = &s->actors[s->table[i]];

		if (a->state == ACTOR_EVICTED &&
		    (a->tried || !actor_put_back(r, s->table[i], false)))
			actor_gone(r, s->table[i], "fair-share");
	}
}
