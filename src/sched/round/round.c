/*
 * One round: from the first head to the decisions.
 *
 * Input: the sched, the time, a seed and a budget. Output: decisions, reasons and shares, in an
 * arena of their own. The queues are served in turn. An evicted gang is put back. A new gang is
 * checked against the limits and placed, and may displace others; if it does not fit, its shape is
 * blocked. Afterwards all changes of the model are reverted: the core applies the decisions, and the
 * feed reports them back.
 */
#include "sched/round/round.h"
#include "sched/round/backfill.h"
#include "sched/round/explain_probe.h"
#include "sched/round/next_queue.h"
#include "sched/round/pass.h"
#include "sched/round/preemptor.h"
#include "sched/round/queue_head.h"
#include "sched/round/queue_rows.h"
#include "util/mem.h"

enum {
	RECOMPUTE_BEHIND = 1024,  /* in epochs */
	RECOMPUTE_WORK = 1 << 17, /* nodes visited in a round to compute reasons again */
};

static const char *copy_name(struct round *r, uint32_t node)
{
	if (node == NIL)
		return NULL;

	struct node *n = &r->m->nodes.list[node];

	if (n->copied != r->s->rounds) {
		n->copy = arena_strdup(r->arena, n->name);
		n->copied = r->s->rounds;
	}
	return n->copy;
}

/* Add the decision to start the gang on the nodes in s->placing.members. */
static void decide(struct round *r, uint32_t subqueue)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	const struct subqueue *l = &m->subqueues.list[subqueue];
	struct sched_decision *d;
	size_t n = s->placing.member_count;

	GROW(s->output.decisions, s->output.decision_cap, r->result->decision_count + 1);
	d = &s->output.decisions[r->result->decision_count++];
	*d = (struct sched_decision){.kind = SCHED_START,
				     .job = m->jobs.list[l->cursor].id,
				     .element = l->next,
				     .limit_us = s->reservation.limit_us,
				     .node_count = n};
	d->nodes = arena_alloc(r->arena, n * sizeof(*d->nodes));
	for (size_t i = 0; i < n; i++)
		d->nodes[i] = copy_name(r, s->placing.members[i]);
	m->work.placed++;
}

/*
 * The shape did not fit at an earlier epoch, before its round had placed anything. It fits now only
 * if one of the nodes that gained room since then can hold a member.
 */
static bool still_blocked(struct round *r, uint32_t shape)
{
	struct model *m = r->m;
	struct job_shape *k = &m->shapes.list[shape];

	if (m->levels.count || !k->blocked_epoch || m->nodes.epoch - k->blocked_epoch > GROWN)
		return false;
	/* A part may now leave a node to another part, so a node that lost room matters, too. */
	if (k->part_count)
		return false;
	for (uint64_t e = k->blocked_epoch; e < m->nodes.epoch; e++) {
		m->work.probes++;
		if (place_fits(m, shape, m->nodes.grown[e % GROWN]))
			return false;
	}
	if (!r->result->decision_count && !r->probe)
		k->blocked_epoch = m->nodes.epoch;
	return true;
}

/*
 * The text of an older round may have outdated numbers. Each round computes some again: half of
 * them for the shapes that come first, half for those that are furthest behind.
 */
static struct reason recompute_reason(struct round *r, uint32_t shape)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct job_shape *k = &m->shapes.list[shape];
	uint32_t behind = (uint32_t)m->nodes.epoch - k->reason_epoch;

	if (!behind || s->reasons.recomputed == RECOMPUTE ||
	    s->reasons.nearest_work > RECOMPUTE_WORK ||
	    (s->reasons.recomputed >= RECOMPUTE / 2 && behind < RECOMPUTE_BEHIND))
		return (struct reason){0};
	s->reasons.recomputed++;
	k->reason_epoch = (uint32_t)m->nodes.epoch;
	return reason_blocked(s, r->arena, shape, NIL);
}

static void block(struct round *r, uint32_t subqueue, uint32_t found)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	uint32_t shape = m->subqueues.list[subqueue].shape;
	struct job_shape *k = &m->shapes.list[shape];

	k->blocked_round = s->rounds;
	if (r->probe) {
		reason_emit_keep(s, shape, explain_probe_blocked(r, subqueue, found));
		return;
	}
	if (!r->result->decision_count && !m->levels.count)
		k->blocked_epoch = m->nodes.epoch;
	if (m->jobs.list[m->subqueues.list[subqueue].cursor].reason & REASON_OF_SHAPE) {
		reason_emit_keep(s, shape, recompute_reason(r, shape));
		return;
	}
	reason_emit_keep(s, shape, reason_blocked(s, r->arena, shape, found));
	k->reason_epoch = (uint32_t)m->nodes.epoch;
}

static bool is_blocked(struct round *r, uint32_t shape)
{
	struct job_shape *k = &r->m->shapes.list[shape];

	if (!still_blocked(r, shape))
		return false;
	k->blocked_round = r->s->rounds;
	reason_emit_keep(r->s, shape, r->probe ? (struct reason){0} : recompute_reason(r, shape));
	return true;
}

static bool find_room(struct round *r, uint32_t subqueue, uint32_t *ret_found)
{
	uint32_t shape = r->m->subqueues.list[subqueue].shape;

	if (blocked_shapes_covers(r->s, shape)) {
		*ret_found = 0;
		r->m->work.gangs++;
		return false;
	}
	if (backfill_place(r, subqueue, ret_found))
		return true;
	if (!*ret_found && r->s->victims.exempt_count == 0)
		blocked_shapes_add(r, shape);
	return false;
}

/*
 * The gang found no room, but it spares the gang for which it was displaced before: others of its
 * shape may find room, except those behind it in its own subqueue.
 */
static void pass_exempted(struct round *r, uint32_t row, uint32_t subqueue, uint32_t found)
{
	uint32_t shape = r->m->subqueues.list[subqueue].shape;
	struct reason why = r->probe ? explain_probe_blocked(r, subqueue, found)
				     : reason_blocked(r->s, r->arena, shape, found);

	reason_emit_job(r, r->m->subqueues.list[subqueue].cursor, why, true);
	explain_probe_limit(r, row, LIMIT_GANG, why);
	queue_head_skip(r, row);
}

/*
 * Is there room for the gang at which the subqueue stands? Its nodes are then in
 * s->placing.members. A shape that is known not to fit fails without a search, but only when its
 * row is served: a head stays until then, because the order depends on it.
 */
static bool has_room(struct round *r, uint32_t row, uint32_t subqueue)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	uint32_t shape = m->subqueues.list[subqueue].shape, found;

	if (m->shapes.list[shape].blocked_round == s->rounds || backfill_delays(r, subqueue))
		return false;
	explain_probe_count(r, subqueue);
	s->select.current_row = row;
	victim_list_hand(s, m->jobs.list[m->subqueues.list[subqueue].cursor].id,
			 m->subqueues.list[subqueue].next, m->shapes.list[shape].scavenge);
	if (is_blocked(r, shape)) {
		backfill_seek(r, subqueue);
		return false;
	}
	if (find_room(r, subqueue, &found))
		return true;
	if (backfill_delays(r, subqueue))
		return false;
	if (s->victims.exempt_count) {
		backfill_seek(r, subqueue);
		pass_exempted(r, row, subqueue, found);
		return false;
	}
	block(r, subqueue, found);
	backfill_seek(r, subqueue);
	return false;
}

static bool try_gang(struct round *r, uint32_t row, uint32_t subqueue)
{
	struct sched *s = r->s;
	const uint32_t *nodes;

	if (!has_room(r, row, subqueue))
		return false;
	decide(r, subqueue);
	explain_probe_placed(r, subqueue);
	nodes = arena_memdup(r->arena, s->placing.members,
			     s->placing.member_count * sizeof(*nodes));
	running_gang_add(r, row, subqueue, nodes);
	displace_settle(r);
	return true;
}

/* Skip the gang, close its queue, or close the round for new gangs, as the verdict says. */
static void apply_verdict(struct round *r, uint32_t row, uint32_t subqueue,
			  enum limit_verdict verdict, struct reason why)
{
	reason_emit_job(r, r->m->subqueues.list[subqueue].cursor, why, false);
	explain_probe_limit(r, row, verdict, why);
	if (verdict == LIMIT_GANG)
		queue_head_skip(r, row);
	else if (verdict == LIMIT_QUEUE)
		r->closed[row] |= CLOSED_LIMIT;
	else
		r->evicted_only = r->terminal = true;
}

/* Does the order plugin want the gang tried now? A gang is passed over only if it would fit. */
static bool is_wanted(struct round *r, uint32_t row, uint32_t subqueue)
{
	struct armada_order_excess excess = {0};
	enum armada_order_turn turn;

	/* blocked since it became the head */
	if (r->m->shapes.list[r->m->subqueues.list[subqueue].shape].blocked_round == r->s->rounds ||
	    backfill_delays(r, subqueue))
		return true;
	turn = pass_ask(r, row, &excess);
	if (turn == ARMADA_ORDER_PASS && has_room(r, row, subqueue)) {
		place_undo(r->s);
		pass_over(r, row, &excess);
	}
	return turn == ARMADA_ORDER_TRY;
}

/* Serve a row once: put back an evicted gang, or start a new one. */
static void serve_row(struct round *r, uint32_t row)
{
	struct model *m = r->m;
	uint32_t gang = queue_head_gang(r, row), subqueue;
	enum limit_verdict verdict;
	struct reason why;
	bool placed;

	if (gang != NIL) {
		running_gang_put_back(r, gang);
		if (m->policies.order->served)
			m->policies.order->served(m->policies.order_handle, &r->heads[row], true);
		queue_head_taken(r, row);
		return;
	}
	subqueue = queue_head_subqueue(r, row);
	verdict = limit_check_gang(r, row, subqueue, &why);
	if (verdict != LIMIT_NONE) {
		apply_verdict(r, row, subqueue, verdict, why);
		return;
	}
	if (m->policies.order->consider && !is_wanted(r, row, subqueue))
		return;
	placed = try_gang(r, row, subqueue);
	if (m->policies.order->served)
		m->policies.order->served(m->policies.order_handle, &r->heads[row], placed);
	if (placed)
		queue_head_taken(r, row);
}

/* If the time or the preemption budget is spent, only evicted gangs are served from now on. */
static void close_for_new(struct round *r)
{
	if (!r->result->cut && r->in->stop && r->in->stop(r->in->stop_arg))
		r->result->cut = r->terminal = true;
	else if (r->drained || !limit_check_preempt_spent(r))
		return;
	else
		limit_check_await_preempt(r);
	r->drained = r->evicted_only = true;
}

static void serve_one(struct round *r, uint32_t row)
{
	/* Evicted gangs are put back in any case. */
	if (!r->evicted_only && queue_head_gang(r, row) == NIL)
		close_for_new(r);
	if (!r->evicted_only || queue_head_gang(r, row) != NIL)
		serve_row(r, row);
}

/*
 * Serve all rows. When the preemption budget is spent, the evicted gangs are put back first, and
 * then new gangs may take the remaining room.
 */
static void serve_stage(struct round *r)
{
	next_queue_again(r);
	next_queue_serve(r, serve_one);
	if (!r->drained || r->terminal || r->fault || r->settled)
		return;
	r->evicted_only = false;
	next_queue_again(r);
	next_queue_serve(r, serve_one);
}

static void serve_extra(struct round *r, uint32_t row)
{
	if (!r->terminal && r->in->stop && r->in->stop(r->in->stop_arg))
		r->result->cut = r->terminal = r->evicted_only = true;
	if (!r->evicted_only || queue_head_gang(r, row) != NIL)
		serve_row(r, row);
}

/*
 * Extra tasks of running jobs get what is left when all jobs were tried: in each queue the first one of
 * each job, then the second ones. They displace nobody.
 */
static void serve_extras(struct round *r)
{
	if (!r->m->jobs.extras || r->terminal || r->fault || r->probe)
		return;
	r->extras = r->s->placing.free_only = true;
	r->evicted_only = false;
	for (size_t row = 0; row < r->view.count; row++) {
		r->closed[row] = 0; /* a limit of running jobs does not concern their tasks */
		r->seen[row] = 0;
		r->seen_job[row] = NIL;
	}
	queue_head_again(r);
	do {
		next_queue_again(r);
		next_queue_serve(r, serve_extra);
	} while (pass_again(r));
	r->s->placing.free_only = false;
}

static void serve_all(struct round *r)
{
	do
		serve_stage(r);
	while (pass_again(r));
	serve_extras(r);
}

/*
 * Preemptions first, then starts. A gang that was started and displaced in the same round is
 * omitted.
 */
static void write_decisions(struct round *r)
{
	struct sched *s = r->s;
	struct sched_result *out = r->result;
	size_t starts = out->decision_count, n = 0;
	struct sched_decision *d = arena_alloc(r->arena, (starts + r->gone_count + 1) * sizeof(*d));

	for (size_t i = 0; i < r->gone_count; i++) {
		const struct running_gang *a = &s->gangs.list[s->gangs.gone[i]];

		if (a->fresh)
			s->output.decisions[a->decision].kind = 0;
		else
			preemptor_report(r, a, &d[n++]);
	}
	for (size_t i = 0; i < starts; i++)
		if (s->output.decisions[i].kind)
			d[n++] = s->output.decisions[i];
	out->decisions = d;
	out->decision_count = n;
}

static void finish(struct round *r)
{
	struct sched *s = r->s;
	struct model *m = r->m;
	struct sched_result *out = r->result;

	if (s->select.bad_score && !r->fault)
		r->fault = arena_printf(r->arena, "plugin select/%s: a score is not a number",
					m->policies.select_plugin->desc->name);
	if (!r->fault)
		queue_rows_cost_after(r);
	if (r->fault) {
		out->decision_count = r->gone_count = out->again_us = 0;
		queue_rows_undecided(r);
		carryover_restore(s, r->carryover);
	}
	out->fault = r->fault;
	write_decisions(r);
	out->reasons = arena_memdup(r->arena, s->output.reasons,
				    out->reason_count * sizeof(*out->reasons));
	out->work = m->work;
	backfill_show(r);
	backfill_end(r);
	node_backup_restore(s);
	node_backup_restore_levels(s);
}

static void decide_all(struct round *r)
{
	next_queue_begin(r);
	node_select_begin(r->s, r->arena, r->view.count);
	running_gang_begin(r);
	evict_for_balance(r);
	if (!r->fault)
		serve_all(r);
	if (!r->fault && !r->settled)
		evict_finish(r);
}

void round_run(struct sched *s, const struct sched_round *in, struct explain_probe *probe,
	       struct sched_result *ret_result)
{
	struct round r = {.s = s, .m = &s->model, .in = in, .probe = probe, .result = ret_result};

	*ret_result = (struct sched_result){.arena = arena_new(0)};
	r.arena = ret_result->arena;
	r.carryover = carryover_keep(s, r.arena);
	s->rounds++;
	s->model.work = (struct sched_work){0};
	s->reasons.recomputed = 0;
	s->reasons.nearest_work = 0;
	s->current = &r;
	blocked_shapes_forget(s);
	reason_emit_begin(s);
	if (!probe)
		reason_emit_notes(&r);
	backfill_begin(&r);
	queue_rows_make(&r);
	limit_check_begin(&r);
	if (!r.fault)
		decide_all(&r);
	finish(&r);
	s->current = NULL;
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

void round_done(struct sched *s)
{
	struct evict_rows *e = &s->evict_rows;
	struct reservation *v = &s->reservation;
	void *arrays[] = {s->backup.saved,       s->backup.saved_free,  s->backup.levels_saved,
			  s->backup.levels_rows, s->backup.kept_levels, s->backup.kept_bounds,
			  s->placing.journal,    s->placing.members,    s->gangs.list,
			  s->gangs.gone,         s->walk.rows,          s->walk.tenants,
			  s->select.shown,       s->select.shown_rows,  s->select.scores,
			  s->reasons.list,       s->output.decisions,   s->output.reasons,
			  s->output.heads};
	void *rows[] = {e->queue,          e->members,  e->nodes,    e->priority,
			e->start,          e->request,  e->how,      e->evict,
			e->list,           v->at.nodes, v->at.spare, v->found_at.nodes,
			v->found_at.spare, v->found,    v->fresh,    v->at.need,
			v->found_at.need};

	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		free(arrays[i]);
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		free(rows[i]);
}
