#include "sched/round.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

void actor_sum(const struct sched *s, const struct actor *a, int64_t *ret_row)
{
	memset(ret_row, 0, s->dims * sizeof(*ret_row));
	for (uint32_t i = 0; i < a->count; i++) {
		const int64_t *request = key_request(s, key_part_of(s, a->key, i));

		for (size_t d = 0; a->nodes[i] != NIL && d < s->dims; d++)
			ret_row[d] += request[d];
	}
}

void actor_account(struct round *r, const struct actor *a, int sign)
{
	struct sched *s = r->s;

	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t part = key_part_of(s, a->key, i), class = s->keys[part].class;
		const int64_t *request = key_request(s, part);
		int64_t *used = r->used + (a->row * s->class_count + class) * s->dims;

		for (size_t d = 0; a->nodes[i] != NIL && d < s->dims; d++) {
			r->allocated[a->row * s->dims + d] += sign * request[d];
			used[d] += sign * request[d];
		}
	}
}

/* Its members weigh on the levels of their nodes (1), or on level 0 alone (-1). */
static void weigh(struct sched *s, const struct actor *a, uint32_t members, int sign)
{
	for (uint32_t i = 0; i < members; i++) {
		uint32_t part = key_part_of(s, a->key, i);

		if (a->nodes[i] == NIL)
			continue;
		level_save(s, a->nodes[i]);
		level_use(s, a->nodes[i], part, key_cutoff(s, a->key, part), sign);
	}
}

static bool has_room(const struct sched *s, uint32_t node, uint32_t part)
{
	const int64_t *have = node_level(s, node, s->class_level[s->keys[part].class]);
	const int64_t *want = key_request(s, part);

	for (size_t d = 0; d < s->dims; d++)
		if (have[d] < want[d])
			return false;
	return true;
}

bool actor_put_back(struct round *r, uint32_t actor)
{
	struct sched *s = r->s;
	struct actor *a = &s->actors[actor];

	a->tried = true;
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t part = key_part_of(s, a->key, i);

		if (a->nodes[i] == NIL)
			continue;
		if (!has_room(s, a->nodes[i], part)) {
			weigh(s, a, i, -1);
			return false;
		}
		level_use(s, a->nodes[i], part, key_cutoff(s, a->key, part), 1);
	}
	a->state = ACTOR_BOUND;
	actor_account(r, a, 1);
	return true;
}

void actor_gone(struct round *r, uint32_t actor, const char *why)
{
	struct sched *s = r->s;
	struct actor *a = &s->actors[actor];

	a->state = ACTOR_OUT;
	a->why = why;
	if (a->fresh)
		r->result->shares[a->row].started--;
	else
		r->result->shares[a->row].preempted++;
	if (!a->fresh && strcmp(why, "fair-share") == 0)
		limits_charge_preempted(r, a->count);
	GROW(s->gone, s->gone_cap, r->gone_count + 1);
	s->gone[r->gone_count++] = actor;
}

/* Is any node of it too full for what it has? Such are left alone. */
static bool is_over(const struct sched *s, const struct actor *a)
{
	for (uint32_t i = 0; i < a->count; i++)
		if (a->nodes[i] != NIL && s->nodes[a->nodes[i]].over)
			return true;
	return false;
}

static void mark_over(struct sched *s)
{
	for (uint32_t n = 0; n < s->node_count; n++) {
		s->nodes[n].over = false;
		for (size_t d = 0; d < s->dims; d++)
			s->nodes[n].over = s->nodes[n].over || node_free(s, n)[d] < 0;
	}
}

static bool anything_ready(const struct round *r)
{
	for (size_t i = 0; i < r->view.count; i++)
		if (r->s->queues[r->queue[i]].heap_count)
			return true;
	return false;
}

/* What is pinned, or has lost every member already, takes no part. */
static bool takes_part(const struct task *t)
{
	const uint32_t *nodes = t->many ? t->many : &t->one;

	for (uint32_t i = 0; i < t->count && !t->pinned; i++)
		if (nodes[i] != NIL)
			return true;
	return false;
}

/* With nothing to start, whoever is evicted would be put back. */
void actors_begin(struct round *r)
{
	struct sched *s = r->s;

	s->actor_count = s->table_count = 0;
	if (!s->level_count || !anything_ready(r))
		return;
	mark_over(s);
	GROW(s->actors, s->actor_cap, s->task_count + 1);
	for (uint32_t i = 0; i < s->task_count; i++) {
		const struct task *t = &s->tasks[i];
		const struct lane *l = &s->lanes[t->count ? s->jobs[t->job].lane : 0];

		if (!takes_part(t))
			continue;
		s->actors[s->actor_count++] = (struct actor){.job = t->job,
							     .element = t->element,
							     .key = l->key,
							     .task = i,
							     .row = s->queues[l->queue].row,
							     .count = t->count,
							     .nodes = t->many ? t->many : &t->one,
							     .start_us = t->start_us,
							     .taker = NIL};
	}
}

void actor_add(struct round *r, uint32_t row, uint32_t lane, const uint32_t *nodes)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[lane];
	struct actor a = {.job = l->cursor,
			  .element = l->next,
			  .key = l->key,
			  .task = NIL,
			  .row = row,
			  .count = s->keys[l->key].members,
			  .nodes = nodes,
			  .decision = r->result->decision_count - 1,
			  .fresh = true,
			  .taker = NIL};

	r->result->shares[row].started++;
	actor_account(r, &a, 1);
	limits_charge(r, row, &a);
	backfill_started(r, &a);
	if (!s->level_count)
		return;
	GROW(s->actors, s->actor_cap, s->actor_count + 1);
	s->actors[s->actor_count++] = a;
}

/* What the plugin is shown, one row for each actor. */
static void describe(struct round *r, struct armada_running *ret)
{
	struct sched *s = r->s;
	size_t n = s->actor_count;
	uint32_t *queue = arena_alloc(r->arena, (n + 1) * sizeof(*queue));
	uint32_t *node = arena_alloc(r->arena, (n + 1) * sizeof(*node));
	int64_t *priority = arena_alloc(r->arena, (n + 1) * sizeof(*priority));
	int64_t *start = arena_alloc(r->arena, (n + 1) * sizeof(*start));
	int64_t *request = arena_alloc(r->arena, (n * s->dims + 1) * sizeof(*request));
	uint8_t *how = arena_alloc(r->arena, n + 1);

	for (size_t i = 0; i < n; i++) {
		const struct actor *a = &s->actors[i];
		const struct key *k = &s->keys[a->key];

		queue[i] = a->row;
		node[i] = a->nodes[0];
		priority[i] = s->classes[k->class].priority;
		start[i] = a->start_us;
		how[i] = (uint8_t)(k->fair | k->urgent << 1);
		actor_sum(s, a, request + i * s->dims);
	}
	*ret = (struct armada_running){.count = n,
				       .queue = queue,
				       .node = node,
				       .class_priority = priority,
				       .preemptible = how,
				       .start_us = start,
				       .request = request};
}

/*
 * Order in a queue: class, running first, priority, start, submission. The class must come before
 * all else when nodes are relieved: whoever comes back sees only those of its class and above.
 */
static int compare(const void *x, const void *y, void *arg)
{
	const struct sched *s = arg;
	uint32_t i = *(const uint32_t *)x, k = *(const uint32_t *)y;
	const struct actor *a = &s->actors[i], *b = &s->actors[k];
	const struct job *j = &s->jobs[a->job], *l = &s->jobs[b->job];
	int64_t p = s->classes[s->keys[a->key].class].priority;
	int64_t q = s->classes[s->keys[b->key].class].priority;

	if (a->row != b->row)
		return a->row < b->row ? -1 : 1;
	if (p != q)
		return p > q ? -1 : 1;
	if (a->fresh != b->fresh)
		return a->fresh ? 1 : -1;
	if (j->priority != l->priority)
		return j->priority < l->priority ? -1 : 1;
	if (!a->fresh && a->start_us != b->start_us)
		return a->start_us < b->start_us ? -1 : 1;
	if (j->submit_us != l->submit_us)
		return j->submit_us < l->submit_us ? -1 : 1;
	if (j->id != l->id)
		return j->id < l->id ? -1 : 1;
	return (a->element > b->element) - (a->element < b->element);
}

/* The evicted, by row and in its order. */
static void list_evicted(struct round *r, size_t count)
{
	size_t n = r->view.count + 1;

	qsort_r(r->evicted, count, sizeof(*r->evicted), compare, r->s);
	r->evicted_at = arena_zalloc(r->arena, n, sizeof(*r->evicted_at));
	r->evicted_end = arena_zalloc(r->arena, n, sizeof(*r->evicted_end));
	for (size_t i = count; i-- > 0;)
		r->evicted_at[r->s->actors[r->evicted[i]].row] = i;
	for (size_t i = 0; i < count; i++)
		r->evicted_end[r->s->actors[r->evicted[i]].row] = i + 1;
}

void actors_put_out(struct round *r, const uint32_t *actors, size_t count)
{
	struct sched *s = r->s;

	r->evicted = arena_memdup(r->arena, actors, count * sizeof(*actors));
	for (size_t i = 0; i < count; i++) {
		struct actor *a = &s->actors[actors[i]];

		weigh(s, a, a->count, -1);
		a->state = ACTOR_EVICTED;
		a->tried = false;
		actor_account(r, a, -1);
	}
	list_evicted(r, count);
}

static void number_row(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	uint32_t actor = head_actor(r, row);

	s->table[s->table_count++] = actor;
	actor_account(r, &s->actors[actor], 1);
	head_taken(r, row);
}

/* In which order would they be put back, if all had room? */
static void make_table(struct round *r, size_t count)
{
	struct sched *s = r->s;
	size_t n = r->view.count, dims = s->dims;
	int64_t *allocated = r->allocated, *used = r->used;
	size_t *at = r->evicted_at;

	GROW(s->table, s->table_cap, count + 1);
	r->allocated = arena_memdup(r->arena, allocated, (n * dims + 1) * sizeof(*allocated));
	r->used = arena_memdup(r->arena, used, (n * s->class_count * dims + 1) * sizeof(*used));
	r->evicted_at = arena_memdup(r->arena, at, (n + 1) * sizeof(*at));
	r->evicted_only = true;
	round_heads(r);
	round_serve(r, number_row);
	r->evicted_only = false;
	r->allocated = allocated;
	r->used = used;
	r->evicted_at = at;
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
	uint32_t *list;
	bool *evict;

	if (!most || !s->preempt_traits.fair_share || !s->preempt->evict)
		return;
	describe(r, &running);
	evict = arena_zalloc(r->arena, most + 1, sizeof(*evict));
	list = arena_alloc(r->arena, (most + 1) * sizeof(*list));
	s->preempt->evict(s->preempt_handle, &in, evict);
	for (uint32_t i = 0; i < most; i++)
		if (evict[i] && s->keys[s->actors[i].key].fair && !is_over(s, &s->actors[i]))
			list[n++] = i;
	s->work.evicted = n;
	if (!n)
		return;
	actors_put_out(r, list, n);
	make_table(r, n);
}

/* A plugin that picks may have left some alone; whoever has no room now is gone. */
void actors_finish(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->table_count; i++) {
		struct actor *a = &s->actors[s->table[i]];

		if (a->state == ACTOR_EVICTED && (a->tried || !actor_put_back(r, s->table[i])))
			actor_gone(r, s->table[i], "fair-share");
	}
}
