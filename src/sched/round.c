#include "sched/round.h"
#include "sched/stage.h"
#include "sched/watch.h"
#include "util/mem.h"

#include <string.h>

static const char *copy_name(struct round *r, uint32_t node)
{
	if (node == NIL)
		return NULL;

	struct node *n = &r->s->nodes[node];

	if (n->copied != r->s->rounds) {
		n->copy = arena_strdup(r->arena, n->name);
		n->copied = r->s->rounds;
	}
	return n->copy;
}

/* The gang's nodes are in s->members. */
static void decide(struct round *r, uint32_t lane)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[lane];
	struct sched_decision *d;
	size_t n = s->member_count;

	GROW(s->decisions, s->decision_cap, r->result->decision_count + 1);
	d = &s->decisions[r->result->decision_count++];
	*d = (struct sched_decision){.kind = SCHED_START,
				     .job = s->jobs[l->cursor].id,
				     .element = l->next,
				     .node_count = n};
	d->nodes = arena_alloc(r->arena, n * sizeof(*d->nodes));
	for (size_t i = 0; i < n; i++)
		d->nodes[i] = copy_name(r, s->members[i]);
	s->work.placed++;
}

/*
 * The key did not fit before, at an epoch when no round had placed anything: it fits now only if
 * one of the nodes that gained room since can hold a member.
 */
static bool still_blocked(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct key *k = &s->keys[key];

	if (s->level_count || !k->blocked_epoch || s->epoch - k->blocked_epoch > GROWN)
		return false;
	/* With less room elsewhere one part may leave to another the node that it took before. */
	if (k->part_count)
		return false;
	for (uint64_t e = k->blocked_epoch; e < s->epoch; e++) {
		s->work.probes++;
		if (place_fits(s, key, s->grown[e % GROWN]))
			return false;
	}
	if (!r->result->decision_count && !r->watch)
		k->blocked_epoch = s->epoch;
	return true;
}

/*
 * A text of an older round may name numbers of then. Some are worked out again in each round: half
 * for the keys that come first, half for those that are furthest behind.
 */
static struct reason retell(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct key *k = &s->keys[key];
	uint32_t behind = (uint32_t)s->epoch - k->told;

	if (!behind || s->retold == RETELL || s->nearest_work > RETELL_WORK ||
	    (s->retold >= RETELL / 2 && behind < RETELL_BEHIND))
		return (struct reason){0};
	s->retold++;
	k->told = (uint32_t)s->epoch;
	return reason_blocked(s, r->arena, key, NIL);
}

static void block(struct round *r, uint32_t lane, uint32_t found)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key;
	struct key *k = &s->keys[key];

	k->blocked_round = s->rounds;
	if (r->watch) {
		key_tell(s, key, watch_blocked(r, lane, found));
		return;
	}
	if (!r->result->decision_count && !s->level_count)
		k->blocked_epoch = s->epoch;
	if (s->jobs[s->lanes[lane].cursor].reason & REASON_OF_KEY) {
		key_tell(s, key, retell(r, key));
		return;
	}
	key_tell(s, key, reason_blocked(s, r->arena, key, found));
	k->told = (uint32_t)s->epoch;
}

static bool is_blocked(struct round *r, uint32_t key)
{
	struct key *k = &r->s->keys[key];

	if (!still_blocked(r, key))
		return false;
	k->blocked_round = r->s->rounds;
	key_tell(r->s, key, r->watch ? (struct reason){0} : retell(r, key));
	return true;
}

/* Whoever was displaced for the gang in hand is gone for good. */
static void settle_victims(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->journal_count; i++) {
		if (!s->journal[i].victim)
			continue;
		actor_gone(r, s->journal[i].what, "fair-share");
		s->actors[s->journal[i].what].taker = (uint32_t)s->actor_count - 1;
	}
	s->journal_count = 0;
}

static bool find_room(struct round *r, uint32_t lane, uint32_t *ret_found)
{
	uint32_t key = r->s->lanes[lane].key;

	if (blocked_known(r->s, key)) {
		*ret_found = 0;
		r->s->work.gangs++;
		return false;
	}
	if (backfill_place(r, lane, ret_found))
		return true;
	if (!*ret_found)
		blocked_add(r, key);
	return false;
}

/*
 * The gang at which the lane stands has a place in s->members. What is known not to fit fails
 * without a look at the nodes, but not before its turn: a head stands until its queue is served; the
 * order depends on it.
 */
static bool has_room(struct round *r, uint32_t row, uint32_t lane)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key, found;

	if (s->keys[key].blocked_round == s->rounds || backfill_holds(r, lane))
		return false;
	watch_count(r, lane);
	s->row_in_hand = row;
	if (is_blocked(r, key)) {
		backfill_seek(r, lane);
		return false;
	}
	if (!find_room(r, lane, &found)) {
		if (backfill_holds(r, lane))
			return false;
		block(r, lane, found);
		backfill_seek(r, lane);
		return false;
	}
	return true;
}

static bool try_gang(struct round *r, uint32_t row, uint32_t lane)
{
	struct sched *s = r->s;
	const uint32_t *nodes;

	if (!has_room(r, row, lane))
		return false;
	decide(r, lane);
	watch_placed(r, lane);
	nodes = arena_memdup(r->arena, s->members, s->member_count * sizeof(*nodes));
	actor_add(r, row, lane, nodes);
	settle_victims(r);
	return true;
}

/* A limit is in the way: of this gang, of its queue, or of the round. */
static void obey(struct round *r, uint32_t row, uint32_t lane, enum verdict verdict,
		 struct reason why)
{
	round_reason(r, r->s->lanes[lane].cursor, why, false);
	watch_limit(r, row, verdict, why);
	if (verdict == LIMIT_GANG)
		head_skip(r, row);
	else if (verdict == LIMIT_QUEUE)
		r->closed[row] |= CLOSED_LIMIT;
	else
		r->evicted_only = r->terminal = true;
}

/* Is it to be tried, as far as the order plugin is concerned? Only what would fit comes back. */
static bool is_wanted(struct round *r, uint32_t row, uint32_t lane)
{
	struct armada_order_excess excess = {0};
	enum armada_order_turn turn;

	/* since it became the head */
	if (r->s->keys[r->s->lanes[lane].key].blocked_round == r->s->rounds ||
	    backfill_holds(r, lane))
		return true;
	turn = stage_turn(r, row, &excess);
	if (turn == ARMADA_ORDER_PASS && has_room(r, row, lane)) {
		place_undo(r->s);
		stage_pass(r, row, &excess);
	}
	return turn == ARMADA_ORDER_TRY;
}

/* One turn of a row: put back what was evicted, or start something new. */
static void serve_row(struct round *r, uint32_t row)
{
	struct sched *s = r->s;
	uint32_t actor = head_actor(r, row), lane;
	enum verdict verdict;
	struct reason why;
	bool placed;

	if (actor != NIL && s->actors[actor].state != ACTOR_EVICTED) {
		/* It made room for another while its queue waited for its turn. */
		head_taken(r, row);
		return;
	}
	if (actor != NIL) {
		placed = actor_put_back(r, actor, false);
		if (s->order->served)
			s->order->served(s->order_handle, &r->heads[row], placed);
		head_taken(r, row);
		return;
	}
	lane = head_lane(r, row);
	verdict = limits_check(r, row, lane, &why);
	if (verdict != LIMIT_NONE) {
		obey(r, row, lane, verdict, why);
		return;
	}
	if (s->order->consider && !is_wanted(r, row, lane))
		return;
	placed = try_gang(r, row, lane);
	if (s->order->served)
		s->order->served(s->order_handle, &r->heads[row], placed);
	if (placed)
		head_taken(r, row);
}

/* Is it time to serve nobody but those who were evicted? */
static void close_for_new(struct round *r)
{
	if (!r->result->cut && r->in->stop && r->in->stop(r->in->stop_arg))
		r->result->cut = r->terminal = true;
	else if (r->drained || !limits_preempt_spent(r))
		return;
	else
		limits_await_preempt(r);
	r->drained = r->evicted_only = true;
}

static void serve_one(struct round *r, uint32_t row)
{
	/* Whoever was evicted is put back all the same. */
	if (!r->evicted_only && head_actor(r, row) == NIL)
		close_for_new(r);
	if (!r->evicted_only || head_actor(r, row) != NIL)
		serve_row(r, row);
}

/*
 * Everybody in turn. When no more may be displaced, those who were evicted are put back first, and
 * then new gangs may have what is left.
 */
static void serve_stage(struct round *r)
{
	round_heads(r);
	round_serve(r, serve_one);
	if (!r->drained || r->terminal || r->fault || r->settled)
		return;
	r->evicted_only = false;
	round_heads(r);
	round_serve(r, serve_one);
}

static void serve_all(struct round *r)
{
	do
		serve_stage(r);
	while (stage_again(r));
}

/* Those who lost their nodes, then what starts; what both started and lost is nowhere. */
static void write_decisions(struct round *r)
{
	struct sched *s = r->s;
	struct sched_result *out = r->result;
	size_t starts = out->decision_count, n = 0;
	struct sched_decision *d = arena_alloc(r->arena, (starts + r->gone_count + 1) * sizeof(*d));

	if (r->gone_count)
		takers_find(r);
	for (size_t i = 0; i < r->gone_count; i++) {
		const struct actor *a = &s->actors[s->gone[i]];

		if (a->fresh)
			s->decisions[a->decision].kind = 0;
		else
			taker_tell(r, a, &d[n++]);
	}
	for (size_t i = 0; i < starts; i++)
		if (s->decisions[i].kind)
			d[n++] = s->decisions[i];
	out->decisions = d;
	out->decision_count = n;
}

static void finish(struct round *r)
{
	struct sched *s = r->s;
	struct sched_result *out = r->result;

	if (s->bad_score && !r->fault)
		r->fault = arena_printf(r->arena, "plugin select/%s: a score is not a number",
					s->select_plugin->desc->name);
	if (!r->fault)
		shares_after(r);
	if (r->fault) {
		out->decision_count = r->gone_count = out->again_us = 0;
		shares_unchanged(r);
		lasting_restore(s, r->lasting);
	}
	out->fault = r->fault;
	write_decisions(r);
	out->reasons =
		arena_memdup(r->arena, s->reasons, out->reason_count * sizeof(*out->reasons));
	out->work = s->work;
	backfill_show(r);
	backfill_end(r);
	place_restore(s);
	levels_restore(s);
}

static void decide_all(struct round *r)
{
	round_begin_heads(r);
	select_begin(r->s, r->arena, r->view.count);
	actors_begin(r);
	actors_evict(r);
	if (!r->fault)
		serve_all(r);
	if (!r->fault && !r->settled)
		actors_finish(r);
	if (!r->fault && !r->settled)
		round_relieve(r);
}

void round_run(struct sched *s, const struct sched_round *in, struct watch *watch,
	       struct sched_result *ret_result)
{
	struct round r = {.s = s, .in = in, .watch = watch, .result = ret_result};

	*ret_result = (struct sched_result){.arena = arena_new(0)};
	r.arena = ret_result->arena;
	r.lasting = lasting_keep(s, r.arena);
	s->rounds++;
	s->work = (struct sched_work){0};
	s->retold = 0;
	s->nearest_work = 0;
	s->in_hand = &r;
	blocked_begin(s);
	key_reasons_begin(s);
	if (!watch)
		round_notes(&r);
	backfill_begin(&r);
	round_view(&r);
	limits_begin(&r);
	if (!r.fault)
		decide_all(&r);
	finish(&r);
	s->in_hand = NULL;
}

void sched_run_round(struct sched *s, const struct sched_round *round,
		     struct sched_result *ret_result)
{
	round_run(s, round, NULL, ret_result);
}

void sched_result_done(struct sched_result *r)
{
	arena_free(r->arena);
	*r = (struct sched_result){0};
}
