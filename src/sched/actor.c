#include "sched/block.h"
#include "sched/round.h"
#include "util/mem.h"

#include <stdlib.h>
#include <string.h>

enum { AHEAD = 8 }; /* memory asked for before it is needed */

void actor_sum(const struct sched *s, const struct actor *a, int64_t *ret_row)
{
	memset(ret_row, 0, s->dims * sizeof(*ret_row));
	for (uint32_t i = 0; i < a->count; i++) {
		const int64_t *request = key_request(s, key_part_of(s, a->key, i));

		for (size_t d = 0; actor_node(a, i) != NIL && d < s->dims; d++)
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

		for (size_t d = 0; actor_node(a, i) != NIL && d < s->dims; d++) {
			r->allocated[a->row * s->dims + d] += sign * request[d];
			used[d] += sign * request[d];
		}
	}
}

void actor_weigh(struct sched *s, const struct actor *a, uint32_t members, int sign)
{
	for (uint32_t i = 0; i < members; i++) {
		uint32_t part = key_part_of(s, a->key, i);

		if (actor_node(a, i) == NIL)
			continue;
		level_save(s, actor_node(a, i));
		level_use(s, actor_node(a, i), part, key_cutoff(s, a->key, part), sign);
	}
}

static bool has_room(const struct sched *s, uint32_t node, uint32_t level, uint32_t part)
{
	const int64_t *have = node_level(s, node, level);
	const int64_t *want = key_request(s, part);

	for (size_t d = 0; d < s->dims; d++)
		if (have[d] < want[d])
			return false;
	return true;
}

bool actor_put_back(struct round *r, uint32_t actor, bool unharmful)
{
	struct sched *s = r->s;
	struct actor *a = &s->actors[actor];

	a->tried = true;
	for (uint32_t i = 0; i < a->count; i++) {
		uint32_t part = key_part_of(s, a->key, i);
		uint32_t level = unharmful ? 1 : s->class_level[s->keys[part].class];

		if (actor_node(a, i) == NIL)
			continue;
		/* Where too much runs already, whoever is there stays. */
		if (!(s->any_over && s->nodes[actor_node(a, i)].over) &&
		    !has_room(s, actor_node(a, i), level, part)) {
			actor_weigh(s, a, i, -1);
			return false;
		}
		level_use(s, actor_node(a, i), part, key_cutoff(s, a->key, part), 1);
	}
	a->state = ACTOR_BOUND;
	s->evicted_count--;
	actor_account(r, a, 1);
	return true;
}

uint32_t actor_running(const struct actor *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->count; i++)
		n += actor_node(a, i) != NIL;
	return n;
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
		limits_charge_preempted(r, actor_running(a));
	GROW(s->gone, s->gone_cap, r->gone_count + 1);
	s->gone[r->gone_count++] = actor;
}

static void mark_over(struct sched *s)
{
	s->any_over = false;
	for (uint32_t n = 0; n < s->node_count; n++) {
		const int64_t *free = node_free(s, n);
		bool over = false;

		for (size_t d = 0; d < s->dims; d++)
			over = over || free[d] < 0;
		if (over != s->nodes[n].over)
			s->nodes[n].over = over;
		s->any_over = s->any_over || over;
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

static void begin_row(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	const struct roster *roster = roster_sorted(s, r->queue[row]);

	for (uint32_t i = 0; i < roster->count; i++) {
		uint32_t task = roster->list[i].task;
		const struct task *t = &s->tasks[task];

		if (i + AHEAD < roster->count)
			__builtin_prefetch(&s->tasks[roster->list[i + AHEAD].task]);
		if (!takes_part(t))
			continue;
		s->actors[s->actor_count++] = (struct actor){.job = t->job,
							     .element = t->element,
							     .key = s->lanes[t->lane].key,
							     .task = task,
							     .row = row,
							     .count = t->count,
							     .one = t->one,
							     .many = t->many,
							     .start_us = t->start_us,
							     .taker = NIL};
	}
}

/* By row, and in it in the order of the queue. With nothing to start nobody would have to go. */
void actors_begin(struct round *r)
{
	struct sched *s = r->s;

	s->actor_count = s->table_count = s->evicted_count = 0;
	if (!s->level_count || !anything_ready(r))
		return;
	mark_over(s);
	blocks_sort(s);
	GROW(s->actors, s->actor_cap, s->task_count + 1);
	for (uint32_t row = 0; row < r->view.count; row++)
		begin_row(r, row);
	s->actors_running = (uint32_t)s->actor_count;
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
			  .one = nodes[0],
			  .many = nodes,
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
