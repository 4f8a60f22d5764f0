/*
 * The referee: the order in a queue and between queues, eviction for balance, and the course of a
 * round. Input is a world (struct ref), output the decisions as text and the shares. Failed
 * attempts are undone with a copy of the state.
 */
#include "unit/sched/referee_parts.h"

#include <assert.h>
#include <string.h>

/* ---- the order in a queue ---- */

static int64_t sign(int64_t a, int64_t b)
{
	return (a > b) - (a < b);
}

/* Less than 0: a is before b. */
static int64_t compare_units(const struct bout *b, int x, int y)
{
	const struct ref *w = b->w;
	const struct ref_job *j = &w->jobs[x / REF_ELEMENTS], *k = &w->jobs[y / REF_ELEMENTS];
	bool runs_x = w->units[x].state == REF_RUNS, runs_y = w->units[y].state == REF_RUNS;
	int64_t c = sign(b->now.phase[x] == PHASE_IDLE, b->now.phase[y] == PHASE_IDLE);

	c = c ? c : sign(ref_priority(w, y), ref_priority(w, x));
	c = c ? c : sign(runs_y, runs_x);
	c = c ? c : sign(j->turn, k->turn);
	c = c ? c : sign(j->priority, k->priority);
	if (runs_x && runs_y)
		c = c ? c : sign(w->units[x].start, w->units[y].start);
	c = c ? c : sign(j->submit, k->submit);
	c = c ? c : sign(j->replacement || j->turn, k->replacement || k->turn);
	return c ? c : sign(x, y);
}

/* The first unit of the queue. */
static int first(const struct bout *b, int queue, const bool *turn)
{
	int best = -1;

	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++)
		if (turn[u] && b->w->jobs[u / REF_ELEMENTS].queue == queue &&
		    (best < 0 || compare_units(b, u, best) < 0))
			best = u;
	return best;
}

/*
 * The next gang of the queue: evicted gangs, then waiting ones. Gangs that are skipped, because
 * equal ones did not fit or may not start, count as looked at.
 */
static int head(struct bout *b, int queue, bool *turn)
{
	const struct ref *w = b->w;
	int u;

	for (; (u = first(b, queue, turn)) >= 0; turn[u] = false) {
		int shape = w->jobs[u / REF_ELEMENTS].shape;

		if (b->now.phase[u] == PHASE_OUT)
			continue;
		if (b->now.phase[u] == PHASE_EVICTED)
			return u;
		if (b->evicted_only || b->closed[queue])
			return -1;
		b->seen[queue] += b->looked[u] ? 0 : w->shapes[shape].members;
		b->looked[u] = true;
		if (w->policy.lookback && b->seen[queue] > w->policy.lookback &&
		    b->seen[queue] != w->shapes[shape].members) {
			b->closed[queue] = true;
			return -1;
		}
		if (!b->blocked[ref_kind(w, u)] && !*ref_limited(b, u) && !b->reserve.held[u])
			return u;
	}
	return -1;
}

/* ---- the order between queues ---- */

struct offer {
	int unit;
	double cost, with, size;
};

static struct offer make_offer(struct bout *b, int queue, bool *turn)
{
	double weight = 1 / b->w->queues[queue].factor, row[REF_DIMS];
	struct offer o = {.unit = head(b, queue, turn)};

	if (o.unit < 0)
		return o;
	ref_amounts(b, queue, -1, row);
	o.cost = ref_cost(b, row) / weight;
	ref_amounts(b, queue, o.unit, row);
	o.with = ref_cost(b, row) / weight;
	o.size = (o.with - o.cost) * weight;
	return o;
}

/* The least proposed cost first; of equal ones, what is put back goes before what is new. */
static bool cheaper(const struct bout *b, const struct offer *x, const struct offer *y)
{
	int c = ref_compare(b, x->with, y->with);

	if (c)
		return c < 0;
	return b->now.phase[x->unit] == PHASE_EVICTED && b->now.phase[y->unit] != PHASE_EVICTED;
}

/*
 * Whether queue x is served before queue y; y is first by name. With prefer_large, the present costs
 * and the sizes of two gangs within budget may be equal while the proposed costs are not, if the
 * weights differ: then the name decides.
 */
static bool beats(const struct bout *b, const struct offer *x, const struct offer *y, int queue_x,
		  int queue_y)
{
	const struct ref *w = b->w;
	int64_t p = ref_priority(w, x->unit), q = ref_priority(w, y->unit);
	const double *capped = b->result->shares.capped;
	double budget_x = capped[queue_x] / (1 / w->queues[queue_x].factor);
	double budget_y = capped[queue_y] / (1 / w->queues[queue_y].factor);
	bool in_x, in_y;
	int c;

	if (p != q)
		return p > q;
	if (!w->policy.prefer_large)
		return cheaper(b, x, y);
	in_x = ref_compare(b, x->with, budget_x) <= 0;
	in_y = ref_compare(b, y->with, budget_y) <= 0;
	if (in_x != in_y)
		return in_x;
	if (!in_x)
		return cheaper(b, x, y);
	if (ref_compare(b, x->cost, y->cost) != 0)
		return x->cost < y->cost;
	c = ref_compare(b, x->size, y->size);
	return c ? c > 0 : ref_compare(b, x->with, y->with) == 0 && cheaper(b, x, y);
}

static int next_queue(const struct bout *b, const struct offer *offers)
{
	int best = -1;

	for (int q = 0; q < REF_QUEUES; q++)
		if (offers[q].unit >= 0 &&
		    (best < 0 || beats(b, &offers[q], &offers[best], q, best)))
			best = q;
	return best;
}

/* ---- the course of a round ---- */

/* Whether the unit has room beside the reservation. */
static bool place(struct bout *b, int unit)
{
	struct ref_stand before = b->now;
	bool placed;

	b->reserve.binding = ref_binds(b, unit);
	placed = ref_place(b, unit);
	b->reserve.binding = false;
	if (placed)
		return true;
	if (ref_binds(b, unit) && ref_place(b, unit)) {
		b->limit[unit] = ref_lowered(b, unit);
		if (b->limit[unit])
			return true;
		b->now = before;
		ref_hold(b, unit);
	} else {
		if (!b->extras) /* none is made for an extra task */
			ref_seek(b, unit);
		/* others may displace the unit that it spares */
		if (ref_spares(b, unit, -1))
			*ref_limited(b, unit) = true;
		else
			b->blocked[ref_kind(b->w, unit)] = true;
	}
	return false;
}

static void start(struct bout *b, int unit)
{
	int had = b->now.gone_count;

	if (b->blocked[ref_kind(b->w, unit)] || b->reserve.held[unit] || !place(b, unit))
		return;
	for (int i = had; i < b->now.gone_count; i++)
		if (strcmp(b->now.why[b->now.gone[i]], "fair-share") == 0)
			b->purse->preempt -= ref_running(b, b->now.gone[i]);
	b->fresh[unit] = true;
	b->started[b->started_count++] = unit;
	ref_charge(b, unit);
}

static void serve(struct bout *b, int unit)
{
	int queue = b->w->jobs[unit / REF_ELEMENTS].queue;
	enum ref_verdict verdict;

	if (b->now.phase[unit] == PHASE_EVICTED) {
		ref_put_back(b, unit);
		return;
	}
	verdict = ref_limits(b, unit);
	if (verdict == REF_MAY)
		start(b, unit);
	else if (verdict == REF_NOT_THIS)
		*ref_limited(b, unit) = true;
	else if (verdict == REF_NOT_QUEUE)
		b->closed[queue] = true;
	else
		b->evicted_only = b->terminal = true;
}

/*
 * After the end of the time budget, or when no more units may be preempted, only evicted units are
 * served.
 */
static void close_for_new(struct bout *b)
{
	const struct ref_policy *p = &b->w->policy;

	if (b->evicted_only)
		return;
	if (b->extras && !(b->in->budget >= 0 && b->started_count >= b->in->budget))
		return; /* they displace nobody */
	if (b->in->budget >= 0 && b->started_count >= b->in->budget)
		b->result->cut = b->terminal = true;
	else if (b->drained || !(p->preempt_rate.burst > 0) || b->purse->preempt >= 1)
		return;
	b->drained = b->evicted_only = true;
}

/* Whether a unit of the queue was displaced since there were so many. */
static bool lost_any(const struct bout *b, int queue, int since)
{
	for (int i = since; i < b->now.gone_count; i++)
		if (b->w->jobs[b->now.gone[i] / REF_ELEMENTS].queue == queue)
			return true;
	return false;
}

/* An offer stays as it is until its queue is served, or loses a unit. */
static void run_pass(struct bout *b, bool *turn)
{
	struct offer offers[REF_QUEUES];
	int q;

	for (q = 0; q < REF_QUEUES; q++)
		offers[q] = make_offer(b, q, turn);
	while ((q = next_queue(b, offers)) >= 0) {
		bool only = b->evicted_only;
		int unit = offers[q].unit, had = b->now.gone_count;

		if (b->now.phase[unit] == PHASE_IDLE)
			close_for_new(b);
		if (!b->evicted_only || b->now.phase[unit] != PHASE_IDLE) {
			serve(b, unit);
			turn[unit] = turn[unit] && b->now.phase[unit] == PHASE_IDLE;
		}
		for (int i = 0; i < REF_QUEUES; i++)
			if (i == q || only != b->evicted_only || lost_any(b, i, had))
				offers[i] = make_offer(b, i, turn);
	}
}

/* Eviction for balance. */

static bool over_share(const struct bout *b, int queue)
{
	const struct ref_shares *s = &b->result->shares;
	double share = s->capped[queue] > s->fair[queue] ? s->capped[queue] : s->fair[queue];

	return ref_compare(b, s->cost[queue], b->w->policy.protected_fraction * share) > 0;
}

static bool on_over(const struct bout *b, int unit)
{
	for (int m = 0; m < ref_shape(b->w, unit)->members; m++)
		if (b->now.nodes[unit][m] >= 0 && b->over[b->now.nodes[unit][m]])
			return true;
	return false;
}

static void evict(struct bout *b, bool *turn)
{
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++) {
		turn[u] = b->now.phase[u] == PHASE_BOUND && ref_running(b, u) &&
			  ref_fair(b->w, u) && over_share(b, b->w->jobs[u / REF_ELEMENTS].queue) &&
			  !on_over(b, u) && (!b->in->lots || b->in->lots[u]);
		if (turn[u])
			b->now.phase[u] = PHASE_EVICTED;
	}
}

/* Waiting elements that may start in this round: the first of the job, up to its throttle. */
static bool add_waiting(const struct bout *b, bool extras, bool *turn)
{
	const struct ref *w = b->w;
	bool any = false;

	for (int j = 0; j < w->job_count; j++) {
		const struct ref_job *job = &w->jobs[j];
		const struct ref_unit *units = &w->units[j * REF_ELEMENTS];
		int left = job->throttle ? job->throttle : REF_ELEMENTS;

		for (int e = 0; job->throttle && e < REF_ELEMENTS; e++)
			left -= units[e].state == REF_RUNS;
		if (!job->present || job->held || w->queues[job->queue].cordoned ||
		    (job->turn > 0) != extras)
			continue;
		for (int e = 0; e < REF_ELEMENTS; e++)
			if (units[e].state == REF_WAITS && left-- > 0)
				any = turn[j * REF_ELEMENTS + e] = true;
	}
	return any;
}

/* For whom the unit was displaced; if that one was displaced too, for whom that one was. */
static int whom(const struct bout *b, int unit)
{
	do
		unit = b->now.whom[unit];
	while (b->now.phase[unit] == PHASE_OUT);
	return unit;
}

static void tell(struct bout *b)
{
	struct buf *out = &b->result->text;

	buf_addstr(out, "");
	for (int i = 0; i < b->now.gone_count; i++) {
		int u = b->now.gone[i];

		if (b->fresh[u])
			b->result->dropped++;
		else
			buf_addf(out, "%s-%d.%d!%s>%d.%d", out->len ? " " : "",
				 u / REF_ELEMENTS + 1, u % REF_ELEMENTS, b->now.why[u],
				 whom(b, u) / REF_ELEMENTS + 1, whom(b, u) % REF_ELEMENTS);
	}
	for (int i = 0; i < b->started_count; i++) {
		int u = b->started[i];

		if (b->now.phase[u] != PHASE_BOUND)
			continue;
		buf_addf(out, "%s%d.%d", out->len ? " " : "", u / REF_ELEMENTS + 1,
			 u % REF_ELEMENTS);
		for (int m = 0; m < ref_shape(b->w, u)->members; m++)
			if (b->now.nodes[u][m] < 0)
				buf_addf(out, "%c-", m ? ',' : '@');
			else
				buf_addf(out, "%cn%d", m ? ',' : '@', b->now.nodes[u][m]);
		if (b->limit[u])
			buf_addf(out, " for %lld", (long long)b->limit[u]);
	}
	ref_tell_reserve(b, out);
}

static void begin(struct bout *b)
{
	for (int u = 0; u < b->w->job_count * REF_ELEMENTS; u++) {
		bool runs = b->w->units[u].state == REF_RUNS;

		b->now.phase[u] = runs ? PHASE_BOUND : PHASE_IDLE;
		for (int m = 0; m < REF_MEMBERS; m++)
			b->now.nodes[u][m] = runs ? b->w->units[u].nodes[m] : -1;
	}
	ref_fill_purse(b);
	ref_mark_over(b);
	ref_find_shares(b);
}

/*
 * When all other units were tried, extra tasks get the room that is left: the first ones of all jobs of the
 * queue, then the second ones. They displace nobody, and a limit of running jobs does not stop them.
 */
static void serve_extras(struct bout *b)
{
	bool turn[REF_UNITS] = {false};

	b->extras = true;
	b->evicted_only = false;
	memset(b->closed, 0, sizeof(b->closed));
	memset(b->seen, 0, sizeof(b->seen));
	add_waiting(b, true, turn);
	run_pass(b, turn);
}

void ref_round(const struct ref *w, const struct ref_round *in, struct ref_purse *purse,
	       struct ref_result *ret)
{
	struct bout b = {.w = w, .in = in, .purse = purse, .result = ret};
	bool turn[REF_UNITS] = {false}, any;

	*ret = (struct ref_result){0};
	begin(&b);
	any = add_waiting(&b, false, turn);
	memset(turn, 0, sizeof(turn));
	if (any && w->policy.preempt == REF_FAIRSHARE)
		evict(&b, turn);
	add_waiting(&b, false, turn);
	run_pass(&b, turn);
	if (b.drained && !b.terminal) {
		b.evicted_only = false;
		run_pass(&b, turn);
	}
	if (!b.terminal)
		serve_extras(&b);
	for (int u = 0; u < w->job_count * REF_ELEMENTS; u++)
		assert(b.now.phase[u] != PHASE_EVICTED);
	tell(&b);
	ret->reserved = b.reserve.made;
	for (int u = 0; u < REF_UNITS; u++)
		ret->held += b.reserve.held[u];
}
