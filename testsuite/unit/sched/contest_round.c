/*
 * Runs a round in both schedulers and in the referee and compares the decisions. Where a round
 * depends on rounding or on the choice between equal nodes, a difference is accepted.
 * contest_main() runs the seeds and prints the sums.
 */
#include "sched/explain.h"
#include "sched/round/round.h"
#include "tap/tap.h"
#include "unit/sched/contest.h"
#include "util/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SETTLE_ROUNDS = 60, SETTLE_US = 1800000000 };

/* The spy wraps the preempt plugin of the scheduler and records its answers. */

static void spy_evict(void *handle, const struct armada_preempt_round *round, bool *ret_evict)
{
	struct contest_spy *spy = handle;
	const struct armada_running *r = round->running;

	spy->ops->evict(spy->handle, round, ret_evict);
	spy->count = r->count;
	for (size_t i = 0; i < r->count; i++) {
		spy->start[i] = r->start_us[i];
		spy->members[i] = r->members[i];
		memcpy(spy->nodes[i], r->nodes[i], r->members[i] * sizeof(**r->nodes));
		spy->queue[i] = r->queue[i];
		spy->evict[i] = ret_evict[i];
	}
}

static const struct armada_preempt_ops spy_ops = {.evict = spy_evict};

static void spy_begin(struct contest *c, int t)
{
	struct sched *s = c->rigs[t].s;

	c->spies[t].ops = s->model.policies.preempt;
	c->spies[t].handle = s->model.policies.preempt_handle;
	c->spies[t].count = 0;
	s->model.policies.preempt = &spy_ops;
	s->model.policies.preempt_handle = &c->spies[t];
}

static void spy_end(struct contest *c, int t)
{
	c->rigs[t].s->model.policies.preempt = c->spies[t].ops;
	c->rigs[t].s->model.policies.preempt_handle = c->spies[t].handle;
}

static bool draws_lots(const struct contest *c)
{
	return c->w.policy.preempt == REF_FAIRSHARE && c->eviction_probability < 1;
}

/* For each unit: whether the plugin selected the node of the unit for eviction. */
static void read_lots(struct contest *c, int t, bool *ret)
{
	const struct contest_spy *spy = &c->spies[t];

	memset(ret, 0, REF_UNITS * sizeof(*ret));
	for (size_t i = 0; i < spy->count; i++)
		for (int u = 0; u < REF_UNITS; u++)
			if (c->w.units[u].state == REF_RUNS && c->w.units[u].start == spy->start[i])
				ret[u] = spy->evict[i];
}

static bool is_on(const struct contest_spy *spy, size_t i, uint32_t node)
{
	for (uint32_t m = 0; m < spy->members[i]; m++)
		if (spy->nodes[i][m] == node)
			return true;
	return false;
}

/* Does a unit of the same queue that was not selected run on the node? Then no lot was drawn for it. */
static bool is_blank(const struct contest_spy *spy, size_t i, uint32_t node)
{
	for (size_t k = 0; k < spy->count; k++)
		if (!spy->evict[k] && spy->queue[k] == spy->queue[i] && is_on(spy, k, node))
			return true;
	return false;
}

/*
 * With eviction_probability the plugin draws one random number for each node: a selected unit has a
 * node on which all units of its queue are selected.
 */
static const char *check_lots(struct contest *c, int t)
{
	const struct contest_spy *spy = &c->spies[t];

	for (size_t i = 0; i < spy->count; i++) {
		bool drawn = false;

		for (uint32_t m = 0; m < spy->members[i]; m++)
			drawn = drawn || (spy->nodes[i][m] != (uint32_t)ARMADA_NO_NODE &&
					  !is_blank(spy, i, spy->nodes[i][m]));
		if (spy->evict[i] && !drawn)
			return "the plugin drew two random numbers for one node";
		c->lots += spy->evict[i];
		c->lots_drawn++;
	}
	return NULL;
}

/* Decisions in the referee's format, as new text. */
static char *text_of(const struct sched_result *result)
{
	struct buf b = {0};

	buf_addstr(&b, "");
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sched_decision *d = &result->decisions[i];

		buf_addf(&b, "%s%s%llu.%u", i ? " " : "", d->kind == SCHED_PREEMPT ? "-" : "",
			 (unsigned long long)(d->job & ~SCHED_TASK_IDS), d->element);
		if (d->kind == SCHED_PREEMPT)
			buf_addf(&b, "!%s>%llu.%u", d->why,
				 (unsigned long long)(d->for_job & ~SCHED_TASK_IDS),
				 d->for_element);
		for (size_t n = 0; n < d->node_count; n++)
			buf_addf(&b, "%c%s", n ? ',' : '@', d->nodes[n] ? d->nodes[n] : "-");
		if (d->limit_us)
			buf_addf(&b, " for %lld", (long long)d->limit_us);
	}
	rig_tell_reservation(result->reservation, &b);
	return (char *)buf_take(&b, NULL);
}

/* The time budget ends after this many starts. */
struct budget {
	const struct sched *s;
	uint64_t starts;
};

static bool is_spent(void *arg)
{
	const struct budget *b = arg;

	return b->s->model.work.placed >= b->starts;
}

/* The decisions of one scheduler, and those of the referee with the same order of nodes. */
struct verdict {
	struct sched_result res;
	struct ref_result want;
	char *got;
	const char *wrong;
	bool excused; /* rounding decided, so the schedulers may differ */
	bool lots[REF_UNITS];
};

static void verdict_done(struct verdict *v)
{
	sched_result_done(&v->res);
	buf_done(&v->want.text);
	free(v->got);
}

static const char *compare_shares(const struct contest *c, const struct sched_result *res,
				  const struct ref_shares *want)
{
	size_t n = 0;

	for (int q = 0; q < REF_QUEUES; q++) {
		const struct sched_share *have = &res->shares[n];

		if (!want->active[q])
			continue;
		if (n++ == res->share_count || strcmp(have->queue, contest_queues[q]) != 0)
			return "the active queues differ";
		if (fabs(have->fair - want->fair[q]) > 1e-9 ||
		    fabs(have->capped - want->capped[q]) > 1e-9 ||
		    fabs(have->cost - want->cost[q]) > 1e-9 ||
		    fabs(have->weight * c->w.queues[q].factor - 1) > 1e-9)
			return "the shares differ";
	}
	return n == res->share_count ? NULL : "the active queues differ";
}

/*
 * Only one of the two schedulers explains jobs; if that had an effect, their decisions would
 * differ.
 */
static void ask_why(struct contest *c, const struct sched_round *in)
{
	struct sched_explanation e;
	int unit = contest_side(c, REF_UNITS);

	if (c->w.units[unit].state != REF_WAITS)
		return;
	if (sched_explain(c->rigs[1].s, contest_id(c, unit / REF_ELEMENTS), in, &e) == 0)
		sched_explanation_done(&e);
}

static void decide(struct contest *c, int t, struct verdict *v)
{
	struct budget budget = {c->rigs[t].s, (uint64_t)c->budget};
	struct sched_round in = {.now_us = c->now_us,
				 .seed = (uint64_t)c->round,
				 .stop = c->budget >= 0 ? is_spent : NULL,
				 .stop_arg = &budget};
	struct ref_round ref = {.twin = t, .now_us = c->now_us, .budget = c->budget};

	if (t && contest_side(c, 8) == 0)
		ask_why(c, &(struct sched_round){.now_us = c->now_us, .seed = in.seed});
	spy_begin(c, t);
	sched_run_round(c->rigs[t].s, &in, &v->res);
	spy_end(c, t);
	v->got = text_of(&v->res);
	if (draws_lots(c)) {
		read_lots(c, t, v->lots);
		v->wrong = check_lots(c, t);
		ref.lots = v->lots;
	}
	ref_round(&c->w, &ref, &c->purses[t], &v->want);
	if (v->res.fault)
		v->wrong = v->res.fault;
	if (!v->wrong &&
	    (strcmp(v->got, (char *)v->want.text.data) != 0 || (v->res.cut && !v->want.cut))) {
		v->excused = v->want.near;
		v->wrong = v->excused ? NULL : "it decides otherwise";
	}
	c->near += v->excused;
	if (!v->wrong)
		v->wrong = compare_shares(c, &v->res, &v->want.shares);
	if (!v->wrong)
		v->wrong = contest_check_books(c, t);
	if (!v->wrong)
		v->wrong = contest_check_decisions(c, &v->res, &v->want.shares);
}

/* Applies the decisions as the core does, which sometimes does not accept a start. */
static bool apply(struct contest *c, const struct sched_decision *d)
{
	int unit = contest_unit(d);
	struct ref_unit *u = &c->w.units[unit];

	if (d->kind == SCHED_PREEMPT) {
		c->preempted++;
		contest_end(c, unit);
		contest_wait(c, unit);
		return true;
	}
	c->started++;
	if (c->refuse && contest_side(c, c->refuse) == 0)
		return false;
	if (c->w.jobs[unit / REF_ELEMENTS].replacement) {
		/* the element is started and ends at once */
		contest_unwait(c, unit);
		contest_remove_job(c, unit / REF_ELEMENTS);
		return true;
	}
	u->state = REF_RUNS;
	u->elements = c->w.jobs[unit / REF_ELEMENTS].elements;
	u->start = draws_lots(c) ? ++c->starts : c->w.policy.backfill ? c->now_us : c->round;
	for (size_t i = 0; i < d->node_count; i++)
		u->nodes[i] = d->nodes[i] ? atoi(d->nodes[i] + 1) : -1;
	u->limit = d->limit_us;
	for (int t = 0; t < REF_TWINS; t++) {
		sched_run(c->rigs[t].s, d->job, d->element, (const char *const *)d->nodes,
			  u->start);
		if (u->limit)
			sched_limit(c->rigs[t].s, d->job, d->element, u->limit);
	}
	return true;
}

/* The preempted unit remembers for whom, if that one runs. */
static void remember(struct contest *c, const struct sched_decision *d)
{
	if (d->kind == SCHED_PREEMPT && c->w.units[contest_for(d)].state == REF_RUNS)
		contest_spare(c, contest_unit(d), contest_for(d));
}

static void show(const struct contest *c, int t, const struct verdict *v)
{
	diag("seed %llu round %d scheduler %d: %s\ngot   %s\nwant  %s", (unsigned long long)c->seed,
	     c->round, t, v->wrong, v->got, (char *)v->want.text.data);
}

/* While all jobs are held, a round must make no decisions. Then the jobs are released again. */
static bool check_empty(struct contest *c)
{
	bool held[REF_JOBS] = {false};
	struct verdict v = {0};

	c->quiet++;
	c->budget = -1;
	for (int u = 0; u < REF_UNITS; u++) {
		int job = u / REF_ELEMENTS;

		if (c->w.units[u].state != REF_WAITS || c->w.jobs[job].held)
			continue;
		held[job] = true;
		contest_hold(c, job, true);
	}
	decide(c, 0, &v);
	if (!v.wrong && v.res.decision_count)
		v.wrong = "a round without startable jobs made decisions";
	for (int job = 0; job < REF_JOBS; job++)
		if (held[job])
			contest_hold(c, job, false);
	if (v.wrong)
		show(c, 0, &v);
	verdict_done(&v);
	return !v.wrong;
}

static bool check_tokens(struct contest *c, const struct sched_result *res, struct verdict *v)
{
	const struct ref_rate *r = &c->w.policy.rate;

	for (size_t i = 0; i < res->decision_count; i++)
		for (size_t n = 0; n < res->decisions[i].node_count; n++)
			c->spent += res->decisions[i].nodes[n] != NULL;
	if (r->burst > 0 && c->spent > r->burst + r->rate * (double)c->now_us / 1e6)
		v->wrong = "more tasks were started than there were tokens";
	return !v->wrong;
}

/*
 * Whether both schedulers have the same tokens left; after different choices between equal nodes
 * they may not.
 */
static bool same_purses(const struct contest *c)
{
	const struct ref_purse *a = &c->purses[0], *b = &c->purses[1];
	bool same = !(a->all < b->all || a->all > b->all) &&
		    !(a->preempt < b->preempt || a->preempt > b->preempt);

	for (int q = 0; q < REF_QUEUES; q++)
		same = same && !(a->queues[q] < b->queues[q] || a->queues[q] > b->queues[q]);
	return same;
}

bool contest_round(struct contest *c)
{
	struct verdict v[REF_TWINS] = {0};
	bool good = true, comparable = !draws_lots(c) && same_purses(c);

	for (int t = 0; t < REF_TWINS && good; t++) {
		decide(c, t, &v[t]);
		comparable = comparable && !v[t].want.tie && !v[t].excused;
		if (t && !v[t].wrong && comparable && strcmp(v[0].got, v[t].got) != 0)
			v[t].wrong =
				"the order of nodes changed the decisions, although no two are equal";
		good = !v[t].wrong && (t || check_tokens(c, &v[0].res, &v[0]));
		if (!good)
			show(c, t, &v[t]);
	}
	c->ties += v[0].want.tie;
	c->reserved += v[0].want.reserved;
	c->held += (unsigned long)v[0].want.held;
	c->dropped += (unsigned long)v[0].want.dropped;
	c->decided = v[0].res.decision_count;
	for (size_t i = 0; i < v[0].res.decision_count && good; i++)
		apply(c, &v[0].res.decisions[i]);
	for (size_t i = 0; i < v[0].res.decision_count && good; i++)
		remember(c, &v[0].res.decisions[i]);
	for (int t = 0; t < REF_TWINS; t++)
		verdict_done(&v[t]);
	if (good && contest_side(c, 4) == 0)
		good = check_empty(c);
	c->round++;
	return good;
}

bool contest_settle(struct contest *c)
{
	unsigned rounds = 0;
	bool good = true;

	c->refuse = 0;
	do {
		c->budget = -1;
		c->now_us += SETTLE_US;
		good = contest_round(c);
	} while (good && c->decided && ++rounds < SETTLE_ROUNDS);
	c->settled = rounds;
	if (rounds == SETTLE_ROUNDS)
		diag("seed %llu: round %u without a change makes decisions",
		     (unsigned long long)c->seed, rounds);
	return good && rounds < SETTLE_ROUNDS;
}

static uint64_t number_from(const char *arg, const char *name, uint64_t def)
{
	const char *said = arg ? arg : getenv(name);

	return said && *said ? strtoull(said, NULL, 10) : def;
}

static bool play_seed(bool (*play)(struct contest *c), uint64_t seed, struct contest *sums)
{
	struct contest *c = xcalloc(1, sizeof(*c));
	bool good;

	c->seed = seed;
	c->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	c->side = seed * UINT64_C(0xd1b54a32d192ed03) + 1;
	c->third = seed * UINT64_C(0xa0761d6478bd642f) + 1;
	c->fourth = seed * UINT64_C(0xe7037ed1a0b428db) + 1;
	c->fifth = seed * UINT64_C(0x8ebc6af09c88c6e3) + 1;
	c->sixth = seed * UINT64_C(0x589965cc75374cc3) + 1;
	c->seventh = seed * UINT64_C(0x1d8e4e27c47d124f) + 1;
	c->w.classes[REF_SCAVENGE] = (struct ref_class){INT64_MIN, false, true, {-1, -1, -1, -1}};
	for (int q = 0; q < REF_QUEUES; q++)
		c->w.queues[q].quota = c->w.queues[q].user_quota = contest_no_quota;
	c->w.user_quota = contest_no_quota;
	for (int i = 0; i <= REF_USERS; i++)
		c->w.named[i] = contest_no_quota;
	for (int i = 0; i <= REF_ACCOUNTS; i++)
		c->w.accounts[i] = c->w.each[i] = contest_no_quota;
	c->budget = -1;
	good = play(c) && (draws_lots(c) || contest_settle(c));
	sums->settled = c->settled > sums->settled ? c->settled : sums->settled;
	contest_done(c);
	sums->preempted += c->preempted;
	sums->started += c->started;
	sums->ties += c->ties;
	sums->near += c->near;
	sums->reserved += c->reserved;
	sums->held += c->held;
	sums->dropped += c->dropped;
	sums->quiet += c->quiet;
	sums->lots += c->lots;
	sums->lots_drawn += c->lots_drawn;
	free(c);
	return good;
}

int contest_main(int argc, char **argv, bool (*play)(struct contest *c), const uint64_t *kept,
		 size_t kept_count, uint64_t worlds)
{
	uint64_t first = number_from(argc > 1 ? argv[1] : NULL, "ARMADA_SEED", 1);
	uint64_t count = number_from(argc > 2 ? argv[2] : NULL, "ARMADA_WORLDS", worlds), good = 0;
	CLEANUP_FREE struct contest *sums = xcalloc(1, sizeof(*sums));
	bool stop = getenv("ARMADA_STOP"), sound = true;

	for (size_t i = 0; i < kept_count && (sound || !stop); i++) {
		sound = play_seed(play, kept[i], sums);
		ok(sound, "kept seed %llu", (unsigned long long)kept[i]);
	}
	for (uint64_t seed = first; seed < first + count && (sound || !stop); seed++) {
		sound = play_seed(play, seed, sums);
		good += sound;
	}
	is_int((long long)good, (long long)count, "worlds from seed %llu",
	       (unsigned long long)first);
	ok(count < 50 || sums->preempted > 0, "jobs were preempted in the random worlds");
	ok(sums->near * 1000 <= sums->started, "rounding decided in few rounds only");
	diag("%lu started, %lu preempted, %lu rounds with ties, %lu with costs too near to tell, "
	     "%lu empty rounds, at most %lu rounds until one decides nothing, %lu of %lu lots, "
	     "%lu reservations, %lu held back, %lu displaced after their start",
	     sums->started, sums->preempted, sums->ties, sums->near, sums->quiet, sums->settled,
	     sums->lots, sums->lots_drawn, sums->reserved, sums->held, sums->dropped);
	return done();
}
