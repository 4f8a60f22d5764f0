#include "sched/round.h"
#include "util/mem.h"

#include <string.h>

/* Rows with a head as a heap, the next to be served on top. */

static bool row_before(const struct round *r, uint32_t a, uint32_t b)
{
	return r->s->order->before(r->s->order_handle, &r->heads[a], &r->heads[b]);
}

static void sink(struct round *r, size_t at)
{
	uint32_t row = r->live[at];

	for (;;) {
		size_t child = 2 * at + 1;

		if (child >= r->live_count)
			break;
		if (child + 1 < r->live_count && row_before(r, r->live[child + 1], r->live[child]))
			child++;
		if (!row_before(r, r->live[child], row))
			break;
		r->live[at] = r->live[child];
		at = child;
	}
	r->live[at] = row;
}

static void begin_heads(struct round *r)
{
	r->heads = arena_zalloc(r->arena, r->view.count + 1, sizeof(*r->heads));
	r->live = arena_zalloc(r->arena, r->view.count + 1, sizeof(*r->live));
	head_begin(r);
	for (uint32_t row = 0; row < r->view.count; row++)
		if (head_find(r, row))
			r->live[r->live_count++] = row;
	for (size_t i = r->live_count / 2; !r->s->order->pick && i-- > 0;)
		sink(r, i);
}

/* Where in live the plugin's choice stands; NIL: it wants no more. */
static uint32_t ask_pick(struct round *r)
{
	struct sched *s = r->s;
	struct armada_order_head *shown;
	int64_t at;

	GROW(s->heads, s->heads_cap, r->live_count);
	shown = s->heads;
	for (size_t i = 0; i < r->live_count; i++)
		shown[i] = r->heads[r->live[i]];
	at = s->order->pick(s->order_handle, shown, r->live_count);
	if (at == ARMADA_ORDER_NONE)
		return NIL;
	if (at >= 0 && (size_t)at < r->live_count)
		return (uint32_t)at;
	r->fault = arena_printf(r->arena, "plugin order/%s: it picked %lld of %zu",
				s->order_plugin->desc->name, (long long)at, r->live_count);
	return NIL;
}

/* The row at this place was served: where is its next head? */
static void settle(struct round *r, uint32_t at)
{
	if (!head_find(r, r->live[at]))
		r->live[at] = r->live[--r->live_count];
	if (!r->s->order->pick && r->live_count)
		sink(r, at);
}

static const char *copy_name(struct round *r, uint32_t node)
{
	struct node *n = &r->s->nodes[node];

	if (n->copied != r->s->rounds) {
		n->copy = arena_strdup(r->arena, n->name);
		n->copied = r->s->rounds;
	}
	return n->copy;
}

/* The gang's nodes are in the journal. */
static void decide(struct round *r, uint32_t lane)
{
	struct sched *s = r->s;
	const struct lane *l = &s->lanes[lane];
	struct sched_decision *d;
	size_t n = s->journal_count;

	GROW(s->decisions, s->decision_cap, r->result->decision_count + 1);
	d = &s->decisions[r->result->decision_count++];
	*d = (struct sched_decision){.kind = SCHED_START,
				     .job = s->jobs[l->cursor].id,
				     .element = l->next,
				     .node_count = n};
	d->nodes = arena_alloc(r->arena, n * sizeof(*d->nodes));
	for (size_t i = 0; i < n; i++)
		d->nodes[i] = copy_name(r, s->journal[i]);
	s->work.placed++;
}

static void block(struct round *r, uint32_t lane, uint32_t found)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key;
	struct key *k = &s->keys[key];

	k->blocked_round = s->rounds;
	if (!r->result->decision_count)
		k->blocked_epoch = s->epoch;
	k->text = reason_blocked(s, r->arena, key, found);
	k->told = (uint32_t)s->epoch;
}

/*
 * The key did not fit before, at an epoch when no round had placed anything: it fits now only if
 * one of the nodes that gained room since can hold a member.
 */
static bool still_blocked(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct key *k = &s->keys[key];

	if (!k->blocked_epoch || s->epoch - k->blocked_epoch > GROWN)
		return false;
	for (uint64_t e = k->blocked_epoch; e < s->epoch; e++) {
		s->work.probes++;
		if (place_fits(s, key, s->grown[e % GROWN]))
			return false;
	}
	if (!r->result->decision_count)
		k->blocked_epoch = s->epoch;
	return true;
}

/*
 * A text of an older round may name numbers of then. Some are worked out again in each round: half
 * for the keys that come first, half for those that are furthest behind.
 */
static const char *retell(struct round *r, uint32_t key)
{
	struct sched *s = r->s;
	struct key *k = &s->keys[key];
	uint32_t behind = (uint32_t)s->epoch - k->told;

	if (!behind || s->retold == RETELL || (s->retold >= RETELL / 2 && behind < RETELL_BEHIND))
		return NULL;
	s->retold++;
	k->told = (uint32_t)s->epoch;
	return reason_blocked(s, r->arena, key, NIL);
}

static bool is_blocked(struct round *r, uint32_t key)
{
	struct key *k = &r->s->keys[key];

	if (k->blocked_round == r->s->rounds)
		return true;
	if (!still_blocked(r, key))
		return false;
	k->blocked_round = r->s->rounds;
	k->text = retell(r, key);
	return true;
}

/*
 * The gang at which the lane stands. What is known not to fit fails without a look at the nodes,
 * but not before its turn: a head stands until its queue is served; the order depends on it.
 */
static bool try_gang(struct round *r, uint32_t lane)
{
	struct sched *s = r->s;
	uint32_t key = s->lanes[lane].key, found;

	if (is_blocked(r, key))
		return false;
	if (!place_gang(s, key, &found)) {
		block(r, lane, found);
		return false;
	}
	decide(r, lane);
	return true;
}

void round_reason(struct round *r, uint32_t job, const char *text, bool of_key)
{
	struct sched *s = r->s;
	uint32_t hash = (hash_text(text) & ~(uint32_t)REASON_OF_KEY) | REASON_GIVEN |
			(of_key ? REASON_OF_KEY : 0);

	if (s->jobs[job].reason == hash)
		return;
	s->jobs[job].reason = hash;
	GROW(s->reasons, s->reason_cap, r->result->reason_count + 1);
	s->reasons[r->result->reason_count++] =
		(struct sched_reason){.job = s->jobs[job].id, .text = text};
}

static void serve(struct round *r)
{
	struct sched *s = r->s;

	while (r->live_count && !r->fault) {
		uint32_t at = s->order->pick ? ask_pick(r) : 0, row;
		bool placed;

		if (at == NIL)
			return;
		if (r->in->stop && r->in->stop(r->in->stop_arg)) {
			r->result->cut = true;
			return;
		}
		row = r->live[at];
		placed = try_gang(r, head_lane(r, row));
		if (s->order->served)
			s->order->served(s->order_handle, &r->heads[row], placed);
		if (placed)
			head_taken(r, row);
		settle(r, at);
	}
}

/* Jobs that do not even stand in line. */
static void say_notes(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->note_count; i++) {
		struct job *j = &s->jobs[s->notes[i]];

		j->noted = false;
		if (!job_waiting(j) || j->ready)
			continue;
		round_reason(r, s->notes[i],
			     j->held ? "held"
				     : arena_printf(r->arena,
						    "array limit of %u running elements reached",
						    j->throttle),
			     false);
	}
	s->note_count = 0;
}

static void finish(struct round *r)
{
	struct sched *s = r->s;
	struct sched_result *out = r->result;

	if (r->fault)
		out->decision_count = 0;
	out->fault = r->fault;
	out->decisions =
		arena_memdup(r->arena, s->decisions, out->decision_count * sizeof(*out->decisions));
	out->reasons =
		arena_memdup(r->arena, s->reasons, out->reason_count * sizeof(*out->reasons));
	out->work = s->work;
	place_restore(s);
}

void sched_run_round(struct sched *s, const struct sched_round *round,
		     struct sched_result *ret_result)
{
	struct round r = {.s = s, .in = round, .result = ret_result, .arena = arena_new(0)};

	*ret_result = (struct sched_result){.arena = r.arena};
	s->rounds++;
	s->work = (struct sched_work){0};
	s->retold = 0;
	say_notes(&r);
	round_view(&r);
	if (!r.fault)
		begin_heads(&r);
	if (!r.fault)
		serve(&r);
	finish(&r);
}

void sched_result_done(struct sched_result *r)
{
	arena_free(r->arena);
	*r = (struct sched_result){0};
}
