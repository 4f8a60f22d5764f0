/*
 * EASY backfill: which gang holds the reservation of a round, and which gangs it delays.
 *
 * Input: gangs without room, in the order in which they are served, and gangs to be placed. Output:
 * the reservation, and placements that do not delay it. The reservation goes to the first gang
 * without room whose start can be predicted. For at most 8 shapes in a round reservation_find
 * predicts the latest start and the nodes. A later gang is bound by the reservation if it would
 * still run at that start (its time limit ends later, or it has none) and if the holder could not
 * displace it. A bound gang may take a reserved node only as far as the reservation leaves
 * resources unused there. A gang that scavenges is never bound, and never holds the reservation: all others
 * may displace it.
 *
 * A bound gang that finds no room is placed once more without the reservation. If that succeeds,
 * the reservation alone delays it: the shape counts as delayed in this round (delayed_round), and
 * jobs of the shape that end in time still start. A job that accepts a lower time limit (least_s)
 * starts at once then, with the limit that ends when the reservation begins. If it fails, the shape
 * is blocked like any other. The next round does not remember delayed shapes, because the
 * reservation may move.
 */
#include "sched/round/backfill.h"
#include "sched/round/explain_probe.h"
#include "sched/round/recovered.h"
#include "util/mem.h"

enum { RESERVE_TRIES = 8 }; /* shapes for which a round predicts a start */

void backfill_begin(struct round *r)
{
	struct sched *s = r->s;

	s->reservation.fresh_count = 0;
	s->reservation.made = s->reservation.binding = false;
	s->reservation.tries = r->m->policies.order_traits.backfill ? 0 : RESERVE_TRIES;
	s->reservation.at.count = 0;
}

void backfill_end(struct round *r)
{
	struct sched *s = r->s;

	for (size_t i = 0; i < s->reservation.at.count; i++)
		r->m->nodes.list[s->reservation.at.nodes[i].node].reserved = NIL;
	s->reservation.at.count = 0;
}

static bool seeks(const struct sched *s)
{
	return !s->reservation.made && s->reservation.tries < RESERVE_TRIES;
}

void backfill_started(struct round *r, const struct running_gang *a, uint32_t gang)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	int64_t lasts_us = m->jobs.list[a->job].lasts_us;

	for (uint32_t i = 0; i < a->count && lasts_us; i++) {
		uint32_t node = running_gang_node(a, i);

		if (node == NIL || !(seeks(s) || m->nodes.list[node].reserved != NIL))
			continue;
		GROW(s->reservation.fresh, s->reservation.fresh_cap,
		     s->reservation.fresh_count + 1);
		s->reservation.fresh[s->reservation.fresh_count++] =
			(struct fresh_member){.node = node,
					      .gang = gang,
					      .later = s->reservation.made,
					      .end = {.at_us = amounts_add(r->in->now_us, lasts_us),
						      .task = NIL,
						      .part = job_shape_part_of(m, a->shape, i),
						      .firm = !m->shapes.list[a->shape].urgent}};
	}
}

void backfill_displaced(struct round *r, uint32_t gang)
{
	struct reservation *v = &r->s->reservation;
	size_t n = 0;

	for (size_t i = 0; i < v->fresh_count; i++)
		if (v->fresh[i].gang != gang)
			v->fresh[n++] = v->fresh[i];
	v->fresh_count = n;
}

/* For each task, what the round has done to it so far; NULL: nothing. */
static uint8_t *list_states(struct round *r)
{
	const struct sched *s = r->s;
	uint8_t *states;

	if (!r->m->work.evicted && !r->gone_count)
		return NULL;
	states = arena_zalloc(r->arena, r->m->tasks.count + 1, sizeof(*states));
	for (size_t i = 0; i < s->gangs.running; i++)
		states[s->gangs.list[i].task] = (uint8_t)s->gangs.list[i].state;
	return states;
}

void backfill_seek(struct round *r, uint32_t subqueue)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[subqueue];
	struct reservation_search in = {
		.m = m,
		.v = &s->reservation,
		.arena = r->arena,
		.now_us = r->in->now_us,
		.undecided = !r->result->decision_count && !m->work.evicted,
	};

	if (!seeks(s) || m->shapes.list[l->shape].scavenge || r->extras) /* none for extra tasks */
		return;
	s->reservation.tries++;
	in.states = list_states(r);
	if (!reservation_find(&in, l->shape))
		return;
	s->reservation.made = true;
	s->reservation.before = 0;
	for (size_t i = 0; i < r->result->share_count; i++)
		s->reservation.before += r->result->shares[i].started;
	s->reservation.job = l->cursor;
	s->reservation.element = l->next;
}

/* Would the job still run when the reservation begins? */
static bool outlasts(const struct round *r, uint32_t job)
{
	int64_t lasts_us = r->m->jobs.list[job].lasts_us;

	return !lasts_us || amounts_add(r->in->now_us, lasts_us) > r->s->reservation.start_us;
}

/* Would it, even with the least time limit that it accepts? */
static bool outlasts_least(const struct round *r, uint32_t job)
{
	int64_t least_us = jobs_least_us(&r->m->jobs.list[job]);

	return !least_us || amounts_add(r->in->now_us, least_us) > r->s->reservation.start_us;
}

/* The time limit with which the job ends when the reservation begins, in whole seconds. */
static int64_t lowered_limit(const struct round *r, uint32_t job)
{
	int64_t left_us = r->s->reservation.start_us - r->in->now_us -
			  r->m->jobs.list[job].grace_ms * INT64_C(1000);

	return left_us - left_us % 1000000;
}

bool backfill_binds(const struct round *r, uint32_t job)
{
	const struct sched *s = r->s;
	const struct model *m = r->m;
	const struct job_shape *k = &m->shapes.list[jobs_shape(m, job)];

	if (!s->reservation.made || k->scavenge || !outlasts(r, job))
		return false;
	return !s->reservation.level || !k->urgent || k->top >= s->reservation.level;
}

bool backfill_delays(const struct round *r, uint32_t subqueue)
{
	const struct model *m = r->m;

	return m->shapes.list[m->subqueues.list[subqueue].shape].delayed_round == r->s->rounds &&
	       outlasts_least(r, m->subqueues.list[subqueue].cursor);
}

bool backfill_place(struct round *r, uint32_t subqueue, uint32_t *ret_found)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	uint32_t shape = m->subqueues.list[subqueue].shape,
		 job = m->subqueues.list[subqueue].cursor;
	bool placed;

	s->reservation.limit_us = 0;
	s->reservation.binding = backfill_binds(r, job);
	s->reservation.refused = false;
	placed = place_gang(s, shape, ret_found);
	s->reservation.binding = false;
	if (placed || !s->reservation.refused || !place_gang(s, shape, ret_found))
		return placed;
	if (!outlasts_least(r, job)) {
		s->reservation.limit_us = lowered_limit(r, job);
		return true;
	}
	place_undo(s);
	m->shapes.list[shape].delayed_round = s->rounds;
	return false;
}

/*
 * "n3 is", "4 nodes are". The start is no part of a reason: a reason is kept until it changes, and a time
 * that is still to pass would be wrong a moment later. It goes with the reason of the holder as a time.
 */
static const char *reserved_nodes(const struct round *r)
{
	const struct reservation *v = &r->s->reservation;

	if (v->at.count == 1)
		return arena_printf(r->arena, "%s is", r->m->nodes.list[v->at.nodes[0].node].name);
	return arena_printf(r->arena, "%zu nodes are", v->at.count);
}

void backfill_report_delayed(struct round *r, uint32_t job)
{
	struct sched *s = r->s;
	struct reason why = {.why = WHY_RESERVED};

	/*
	 * The probed job has the same reason only if it would still run when the reservation
	 * begins.
	 */
	if (r->probe && !outlasts_least(r, r->probe->job))
		return;
	why.text = arena_printf(r->arena, "would delay job %llu, for which %s reserved",
				(unsigned long long)r->m->jobs.list[s->reservation.job].id,
				reserved_nodes(r));
	reason_emit_job(r, job, why, false);
}

static bool is_holder(const struct round *r, uint32_t job)
{
	return r->s->reservation.made && r->s->reservation.job == job;
}

bool backfill_is_unreported(const struct round *r, uint32_t job)
{
	const struct reservation *v = &r->s->reservation;

	return is_holder(r, job) &&
	       (v->reported_id != r->m->jobs.list[job].id || v->reported_us != v->start_us);
}

void backfill_append_start(struct round *r, uint32_t job, struct reason *reason)
{
	struct reservation *v = &r->s->reservation;

	if (!is_holder(r, job))
		return;
	reason->text =
		arena_printf(r->arena, "%s; %s reserved for it", reason->text, reserved_nodes(r));
	if (r->probe)
		return;
	v->reported_id = r->m->jobs.list[job].id;
	v->reported_us = v->start_us;
}

int64_t backfill_expected(const struct round *r, uint32_t job)
{
	return is_holder(r, job) ? r->s->reservation.start_us : 0;
}

/* All is copied into the result: the next round overwrites the reservation. */
void backfill_show(struct round *r)
{
	struct model *m = r->m;
	const struct reservation *v = &r->s->reservation;
	struct sched_reservation *out;

	if (r->fault)
		return;
	if (!v->made) {
		recovered_forget(r);
		return;
	}
	out = arena_zalloc(r->arena, 1, sizeof(*out));
	*out = (struct sched_reservation){.job = m->jobs.list[v->job].id,
					  .element = v->element,
					  .start_us = v->start_us,
					  .node_count = v->at.count};
	out->nodes = arena_zalloc(r->arena, v->at.count + 1, sizeof(*out->nodes));
	for (size_t i = 0; i < v->at.count; i++)
		out->nodes[i] = (struct sched_reserved){
			.name = arena_strdup(r->arena, m->nodes.list[v->at.nodes[i].node].name),
			.members = v->at.nodes[i].members};
	recovered_measure(r, out);
	r->result->reservation = out;
}
