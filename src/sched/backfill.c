#include "sched/ends.h"
#include "sched/reason.h"
#include "sched/watch.h"
#include "util/mem.h"

#include <string.h>

/*
 * The first gang without room for which a start can be told holds a reservation. Whoever comes
 * after it and would still run then must leave it what it needs of its nodes.
 */

void backfill_begin(struct round *r)
{
	struct sched *s = r->s;

	s->fresh_count = 0;
	s->reserve.made = s->reserve.binding = false;
	s->reserve.tries = s->order_traits.backfill ? 0 : RESERVE_TRIES;
	s->reserve.count = 0;
}

void backfill_end(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->reserve.count; i++)
		s->nodes[s->reserve.nodes[i].node].reserved = NIL;
	s->reserve.count = 0;
}

static bool seeks(const struct sched *s)
{
	return !s->reserve.made && s->reserve.tries < RESERVE_TRIES;
}

void backfill_started(struct round *r, const struct actor *a)
{
	struct sched *s = r->s;
	int64_t lasts_us = s->jobs[a->job].lasts_us;

	for (uint32_t i = 0; i < a->count && lasts_us && seeks(s); i++) {
		if (actor_node(a, i) == NIL)
			continue;
		GROW(s->fresh, s->fresh_cap, s->fresh_count + 1);
		s->fresh[s->fresh_count++] =
			(struct fresh){.node = actor_node(a, i),
				       .end = {.at_us = time_add(r->in->now_us, lasts_us),
					       .task = NIL,
					       .part = key_part_of(s, a->key, i),
					       .firm = !s->keys[a->key].urgent}};
	}
}

void backfill_seek(struct round *r, uint32_t lane)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[lane];

	if (!seeks(s))
		return;
	s->reserve.tries++;
	if (!reserve_find(r, l->key))
		return;
	s->reserve.made = true;
	s->reserve.job = l->cursor;
	s->reserve.element = l->next;
}

/* Would it still run when the reservation begins? */
static bool outlasts(const struct round *r, uint32_t job)
{
	const struct sched *s = r->s;
	int64_t lasts_us = s->jobs[job].lasts_us;

	return !lasts_us || time_add(r->in->now_us, lasts_us) > s->reserve.start_us;
}

bool backfill_binds(const struct round *r, uint32_t job)
{
	const struct sched *s = r->s;
	const struct key *k = &s->keys[s->lanes[s->jobs[job].lane].key];

	if (!s->reserve.made || !outlasts(r, job))
		return false;
	return !s->reserve.level || !k->urgent || k->top >= s->reserve.level;
}

bool backfill_holds(const struct round *r, uint32_t lane)
{
	const struct sched *s = r->s;

	return s->keys[s->lanes[lane].key].held_round == s->rounds &&
	       outlasts(r, s->lanes[lane].cursor);
}

bool reserve_lacks(const struct sched *s, uint32_t node, uint32_t part)
{
	const int64_t *spare = s->reserve.spare + s->nodes[node].reserved * s->dims;
	const int64_t *request = key_request(s, part);

	if (s->reserve.whole || s->keys[part].exclusive)
		return true;
	for (size_t d = 0; d < s->dims; d++)
		if (spare[d] < request[d])
			return true;
	return false;
}

void reserve_take(struct sched *s, uint32_t node, uint32_t part, int sign)
{
	const int64_t *request = key_request(s, part);
	int64_t *spare;

	if (!s->reserve.binding || s->nodes[node].reserved == NIL)
		return;
	spare = s->reserve.spare + s->nodes[node].reserved * s->dims;
	for (size_t d = 0; d < s->dims; d++)
		spare[d] -= sign * request[d];
}

bool backfill_place(struct round *r, uint32_t lane, uint32_t *ret_found)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key;
	bool placed;

	s->reserve.binding = backfill_binds(r, s->lanes[lane].cursor);
	s->reserve.refused = false;
	placed = place_gang(s, key, ret_found);
	s->reserve.binding = false;
	if (placed || !s->reserve.refused || !place_gang(s, key, ret_found))
		return placed;
	place_undo(s);
	s->keys[key].held_round = s->rounds;
	return false;
}

/* "in at most 1h 20m on n3", "within a minute on 4 nodes" */
static const char *when(const struct round *r)
{
	const struct sched *s = r->s;
	const struct reserve *v = &s->reserve;
	char wait[32];

	reason_wait(v->start_us - r->in->now_us, wait, sizeof(wait));
	if (v->count == 1)
		return arena_printf(r->arena, "%s on %s", wait, s->nodes[v->nodes[0].node].name);
	return arena_printf(r->arena, "%s on %zu nodes", wait, v->count);
}

void backfill_tell(struct round *r, uint32_t job)
{
	struct sched *s = r->s;
	struct reason why = {.why = WHY_RESERVED};

	/* Of those behind it, only the ones that run as long wait for the same. */
	if (r->watch && !outlasts(r, r->watch->job))
		return;
	why.text = arena_printf(r->arena, "would delay job %llu, which starts %s",
				(unsigned long long)s->jobs[s->reserve.job].id, when(r));
	round_reason(r, job, why, false);
}

static bool is_holder(const struct round *r, uint32_t job)
{
	return r->s->reserve.made && r->s->reserve.job == job;
}

bool backfill_news(const struct round *r, uint32_t job)
{
	const struct reserve *v = &r->s->reserve;

	return is_holder(r, job) && (v->told_id != r->s->jobs[job].id || v->told_us != v->start_us);
}

void backfill_foretell(struct round *r, uint32_t job, struct reason *reason)
{
	struct reserve *v = &r->s->reserve;

	if (!is_holder(r, job))
		return;
	reason->text = arena_printf(r->arena, "%s; starts %s", reason->text, when(r));
	if (r->watch)
		return;
	v->told_id = r->s->jobs[job].id;
	v->told_us = v->start_us;
}

int64_t backfill_expected(const struct round *r, uint32_t job)
{
	return is_holder(r, job) ? r->s->reserve.start_us : 0;
}

/* The result must not point into what the next round makes anew. */
void backfill_show(struct round *r)
{
	struct sched *s = r->s;
	const struct reserve *v = &s->reserve;
	struct sched_reservation *out;

	if (!v->made || r->fault)
		return;
	out = arena_zalloc(r->arena, 1, sizeof(*out));
	*out = (struct sched_reservation){.job = s->jobs[v->job].id,
					  .element = v->element,
					  .start_us = v->start_us,
					  .node_count = v->count};
	out->nodes = arena_zalloc(r->arena, v->count + 1, sizeof(*out->nodes));
	for (size_t i = 0; i < v->count; i++)
		out->nodes[i] = (struct sched_reserved){
			.name = arena_strdup(r->arena, s->nodes[v->nodes[i].node].name),
			.members = v->nodes[i].members};
	r->result->reservation = out;
}
