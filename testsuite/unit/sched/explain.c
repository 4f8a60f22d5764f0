/*
 * Explanations of pending jobs in random worlds: the reason and the counts of nodes are right, the
 * named change starts the job, no smaller simple change does, and an explanation does not change
 * later rounds.
 *
 *	explain [FIRST-SEED]
 *
 * ARMADA_EXPLAIN_JOBS: number of jobs (150).
 */
#include "sched/trial.h"
#include "tap/tap.h"
#include "unit/sched/resubmit.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { ROUNDS = 4, JOBS = 150 };

struct tally {
	unsigned jobs, starts, told, changes, none, simple, nearest;
	unsigned kinds[CHANGE_UNIFORMITY + 1];
	unsigned bad_sum, bad_early, bad_start, bad_told, bad_change, bad_none, bad_nearest,
		bad_twin, bad_option;
};

/*
 * Whether the option of asubmit, parsed as on the command line, gives the same value as the change.
 */
static bool option_says_so(const struct sched_job *in, const struct sched_change *c)
{
	int64_t each = in->tasks_per_member ? in->tasks_per_member : 1, v = -1;
	const char *value = c->option ? strchr(c->option, '=') : NULL;
	struct err err;

	if (!c->text || !*c->text)
		return false;
	if (c->kind == CHANGE_LESS && c->amount > 0) {
		if (!value)
			return false;
		if (c->resource == RIG_CPU)
			return !parse_cpu(value + 1, &v, &err) && v * each == c->amount;
		if (c->resource == RIG_MEMORY)
			return !parse_size(value + 1, &v, &err) && v == c->amount;
		return !parse_int(value + 1, 1, 99, &v, &err) && v * each == c->amount;
	}
	if (c->kind == CHANGE_TIME)
		return value && !parse_time_limit(value + 1, &v, &err) && v == c->amount;
	return c->kind != CHANGE_CLASS || (value && strcmp(value + 1, c->name) == 0);
}

static bool sums_up(const struct random_world *w, const struct sched_explanation *e)
{
	uint32_t nodes = e->fitting;

	for (size_t i = 0; i < e->exclusion_count; i++) {
		if (!e->exclusions[i].nodes ||
		    (i && e->exclusions[i].nodes > e->exclusions[i - 1].nodes))
			return false;
		nodes += e->exclusions[i].nodes;
	}
	return nodes == e->nodes && e->nodes == (uint32_t)w->node_count;
}

static bool has_label(const struct sched_node *n, const char *key, const char *value)
{
	for (size_t i = 0; i < n->label_count; i++)
		if (strcmp(n->labels[i].key, key) == 0 &&
		    (!*value || strcmp(n->labels[i].value, value) == 0))
			return true;
	return false;
}

static bool listed(const char *const *names, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static bool may_use(const struct sched_node *n, const struct sched_job *in)
{
	bool may = n->schedulable && !listed(in->exclude, in->exclude_count, n->name) &&
		   (!in->include_count || listed(in->include, in->include_count, n->name)) &&
		   (!in->uniformity || has_label(n, in->uniformity, ""));

	for (size_t i = 0; i < in->selector_count; i++)
		may = may && has_label(n, in->selectors[i].key, in->selectors[i].value) !=
				     in->selectors[i].negate;
	for (size_t i = 0; i < n->taint_count; i++) {
		bool tolerated = false;

		for (size_t t = 0; t < in->toleration_count; t++)
			tolerated =
				tolerated || strcmp(in->tolerations[t].key, n->taints[i].key) == 0;
		may = may && tolerated;
	}
	return may;
}

static double lack_on(const struct random_world_node *n, const struct sched_job *in)
{
	double lack = 0;

	for (int r = 0; r < RIG_RESOURCES; r++) {
		int64_t left = n->in.total[r] - n->used[r];

		if (left < in->request[r])
			lack += (double)(in->request[r] - left) / (double)in->request[r];
	}
	return lack;
}

/* Others have the room that the job could use. */
static bool is_taken(const struct random_world_node *n, const struct sched_job *in)
{
	for (int r = 0; r < RIG_RESOURCES; r++)
		if (n->in.total[r] < in->request[r])
			return false;
	return may_use(&n->in, in) &&
	       (lack_on(n, in) > 0 || n->exclusive || (in->exclusive && n->tasks));
}

/* The named nodes are taken, in order, and no other taken node is nearer than the last of them. */
static bool taken_are_nearest(const struct random_world *w, const struct sched_job *in,
			      const struct sched_explanation *e)
{
	double last = 0;
	uint32_t of = 0, nearer = 0;

	for (uint32_t k = 0; k < e->taken.count; k++)
		for (int i = 0; i < w->node_count; i++)
			if (strcmp(w->nodes[i].in.name, e->taken.nodes[k]) == 0) {
				if (!is_taken(&w->nodes[i], in) || lack_on(&w->nodes[i], in) < last)
					return false;
				last = lack_on(&w->nodes[i], in);
			}
	for (int i = 0; i < w->node_count; i++) {
		of += is_taken(&w->nodes[i], in);
		nearer += is_taken(&w->nodes[i], in) && lack_on(&w->nodes[i], in) < last;
	}
	return of == e->taken.of && nearer < SCHED_NAMED &&
	       e->taken.count == (of < SCHED_NAMED ? of : SCHED_NAMED);
}

/* Computes the same from the data of the test; only if no job was started before an earlier one. */
static bool nearest_is_right(const struct random_world *w, int job,
			     const struct sched_explanation *e)
{
	const struct sched_job *in = &w->jobs[job].in;
	const char *best = NULL;
	uint32_t fitting = 0;
	double least = 0;

	for (int i = 0; i < w->node_count; i++) {
		const struct random_world_node *n = &w->nodes[i];
		double lack = lack_on(n, in);

		if (!may_use(&n->in, in))
			continue;
		if (lack > 0 && (!best || lack < least)) {
			best = n->in.name;
			least = lack;
		}
		fitting += !(lack > 0) && !n->exclusive && !(in->exclusive && n->tasks);
	}
	for (size_t i = 0; i < e->exclusion_count; i++)
		if (e->exclusions[i].by == EXCLUDED_RESERVED)
			fitting -= e->exclusions[i].nodes;
	if (fitting != e->fitting || !taken_are_nearest(w, in, e))
		return false;
	return best && e->nearest ? strcmp(best, e->nearest) == 0 : !best && !e->nearest;
}

static bool in_result(const struct sched_result *res, uint64_t id)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START && res->decisions[i].job == id)
			return true;
	return false;
}

static bool never(void *arg)
{
	++*(int *)arg;
	return false;
}

static bool at_once(void *arg)
{
	(void)arg;
	return true;
}

/* Whether a search without time reports everything except the change. */
static bool ends_early(struct random_world *w, int job, const struct sched_explanation *e)
{
	struct sched_round in = {.now_us = w->now_us, .seed = (uint64_t)w->now_us, .stop = at_once};
	struct sched_explanation early, again;
	int asked = 0;
	bool good;

	if (sched_explain(w->rig.s, w->jobs[job].in.id, &in, &early))
		return false;
	in.stop = never;
	in.stop_arg = &asked;
	if (sched_explain(w->rig.s, w->jobs[job].in.id, &in, &again))
		return false;
	good = !early.tried && !early.change.kind && early.cut == (e->tried > 0) &&
	       strcmp(early.text, e->text) == 0 && early.why == e->why && !again.cut &&
	       again.change.kind == e->change.kind && again.change.amount == e->change.amount &&
	       again.tried == e->tried && asked == (int)e->tried;
	sched_explanation_done(&early);
	sched_explanation_done(&again);
	return good;
}

static bool can_be_resubmitted(const struct sched_explanation *e)
{
	return e->why != WHY_NONE && e->why != WHY_HELD && e->why != WHY_ARRAY_LIMIT;
}

/* A class that only some users may ask for must not be suggested. */
static bool is_restricted(const struct random_world *w, const struct sched_change *change)
{
	for (int c = 0; c < RANDOM_WORLD_CLASSES && change->kind == CHANGE_CLASS; c++)
		if (strcmp(w->classes[c].name, change->name) == 0)
			return w->classes[c].restricted;
	return false;
}

static void judge_change(struct random_world *w, int job, const struct sched_explanation *e,
			 struct tally *t)
{
	struct resubmit_job d;

	t->kinds[e->change.kind]++;
	if (e->change.kind) {
		t->changes++;
		resubmit_change(w, job, &e->change, &d);
		if (!resubmit_starts(w, job, &d.in)) {
			diag("job %d: \"%s\" does not start it", job + 1, e->change.text);
			t->bad_change++;
		}
		t->bad_option += !option_says_so(&w->jobs[job].in, &e->change) ||
				 is_restricted(w, &e->change);
	} else if (can_be_resubmitted(e)) {
		t->none++;
	}
	if (can_be_resubmitted(e) && !resubmit_smallest(w, job, &e->change, &t->simple))
		t->bad_none++;
}

/* The explanation of the job, compared with the next round. */
static void judge(const struct random_world *w, int job, const struct sched_explanation *e,
		  const struct sched_result *res, struct tally *t)
{
	bool starts = in_result(res, w->jobs[job].in.id);

	t->starts += starts;
	if (e->why == WHY_PRIORITY) {
		diag("job %d: \"%s\"", job + 1, e->text);
		t->bad_told++;
	}
	for (size_t i = 0; i < res->reason_count && !starts; i++) {
		const struct sched_reason *r = &res->reasons[i];

		if (r->job != w->jobs[job].in.id)
			continue;
		t->told++;
		if (e->why == r->why && strcmp(e->text, r->text) == 0 &&
		    e->expected_us == r->expected_us)
			continue;
		diag("job %d: \"%s\", and is told \"%s\"", job + 1, e->text, r->text);
		t->bad_told++;
	}
	if (starts != (e->why == WHY_NONE)) {
		diag("job %d: \"%s\", and it %s", job + 1, e->text, starts ? "starts" : "does not");
		t->bad_start++;
	}
	if (res->decision_count)
		return;
	t->nearest++;
	if (!nearest_is_right(w, job, e)) {
		diag("job %d: nearest %s lacks %s, %u fit", job + 1, e->nearest ? e->nearest : "-",
		     e->nearest ? e->nearest_lacks : "", e->fitting);
		t->bad_nearest++;
	}
}

static bool explain(struct random_world *w, int job, struct sched_explanation *ret)
{
	struct sched_round in = {.now_us = w->now_us, .seed = (uint64_t)w->now_us};
	int rc = sched_explain(w->rig.s, w->jobs[job].in.id, &in, ret);

	if (rc != (w->jobs[job].waiting ? 0 : -EALREADY))
		bail("explain: %d", rc);
	return rc == 0;
}

/* Asks when a copy of the job would start. */
static void try_copy(struct random_world *w, int job)
{
	struct sched_round in = {.now_us = w->now_us, .seed = (uint64_t)w->now_us};
	struct sched_job copy = w->jobs[job].in;
	struct sched_trial t;

	copy.id = SCHED_TRIAL_ID;
	copy.gang = NULL;
	sched_job_add(w->rig.s, &copy);
	sched_wait(w->rig.s, copy.id, 0, 0, 1);
	if (sched_trial_run(w->rig.s, &in, &t) != 0)
		bail("no trial");
	sched_trial_done(&t);
	sched_unwait(w->rig.s, copy.id, 0, UINT32_MAX);
	sched_job_remove(w->rig.s, copy.id);
}

/* Whether a world with explanations and a world without them have the same rounds. */
static bool same_rounds(struct random_world *w, struct random_world *twin, struct sched_result *res)
{
	bool same = true;

	for (int i = 0; i < 3 && same; i++) {
		struct sched_result r[2];
		struct sched_explanation e;
		CLEANUP_FREE char *a = NULL, *b = NULL;

		for (int j = 0; i && j < w->job_count; j++)
			if (explain(w, j, &e)) {
				sched_explanation_done(&e);
				try_copy(w, j);
			}
		random_world_round(w, &r[0]);
		random_world_round(twin, &r[1]);
		a = random_world_text(&r[0]);
		b = random_world_text(&r[1]);
		same = strcmp(a, b) == 0;
		if (!same)
			diag("round %d\n%s---\n%s", i, a, b);
		random_world_apply(w, &r[0]);
		random_world_apply(twin, &r[1]);
		if (i)
			sched_result_done(&r[0]);
		else
			*res = r[0];
		sched_result_done(&r[1]);
	}
	return same;
}

static void play(uint64_t seed, const char *order, struct tally *t)
{
	struct sched_explanation *all = xcalloc(RANDOM_WORLD_JOBS, sizeof(*all));
	struct random_world *w = random_world_new(seed, (int)(seed % (ROUNDS + 1)), order);
	struct random_world *twin = random_world_new(seed, (int)(seed % (ROUNDS + 1)), order);
	struct random_world *before = xmemdup(w, sizeof(*w));
	struct tally was = *t;
	int jobs = w->job_count;
	struct sched_result res;

	for (int j = 0; j < jobs; j++) {
		if (!explain(w, j, &all[j]))
			continue;
		t->jobs++;
		t->bad_sum += !sums_up(w, &all[j]);
		t->bad_early += !ends_early(w, j, &all[j]);
		judge_change(w, j, &all[j], t);
	}
	t->bad_twin += !same_rounds(w, twin, &res);
	for (int j = 0; j < jobs; j++) {
		if (!all[j].arena)
			continue;
		judge(before, j, &all[j], &res, t);
		sched_explanation_done(&all[j]);
	}
	if (t->bad_sum + t->bad_early + t->bad_start + t->bad_told + t->bad_change + t->bad_none +
		    t->bad_nearest + t->bad_twin + t->bad_option >
	    was.bad_sum + was.bad_early + was.bad_start + was.bad_told + was.bad_change +
		    was.bad_none + was.bad_nearest + was.bad_twin + was.bad_option)
		diag("seed %llu", (unsigned long long)seed);
	sched_result_done(&res);
	free(before);
	random_world_free(twin);
	random_world_free(w);
	free(all);
}

/*
 * With order/slices a smaller job may change the random draws, so smaller changes are not checked.
 */
static void play_all(uint64_t seed, const char *order, bool simplest, unsigned want)
{
	struct tally t = {0};

	while (t.jobs < want)
		play(seed++, order, &t);
	is_int(t.bad_sum, 0, "%s, %u jobs: every node is counted once", order, t.jobs);
	is_int(t.bad_start, 0, "exactly the jobs start whose explanation says so (%u)", t.starts);
	is_int(t.bad_told, 0, "the reason is that of the round (%u)", t.told);
	is_int(t.bad_nearest, 0, "the nearest node and the number of fitting nodes are right (%u)",
	       t.nearest);
	is_int(t.bad_change, 0, "the named change starts the job in the next round (%u)",
	       t.changes);
	if (simplest)
		is_int(t.bad_none, 0,
		       "no smaller change starts the job (%u tried), and no change if none is named (%u)",
		       t.simple, t.none);
	is_int(t.bad_option, 0, "the asubmit option has the same effect");
	is_int(t.bad_early, 0, "the search ends at its deadline");
	is_int(t.bad_twin, 0, "explanations and trials do not change decisions");
	for (int k = 0; k <= CHANGE_UNIFORMITY; k++)
		diag("kind %d: %u", k, t.kinds[k]);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const char *text = getenv("ARMADA_EXPLAIN_JOBS");
	unsigned want = text ? (unsigned)strtoul(text, NULL, 10) : JOBS;

	play_all(seed, "progressive", true, want);
	play_all(seed, "slices", false, want / 2);
	return done();
}
