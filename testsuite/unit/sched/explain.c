/*
 * Waiting jobs of random worlds, explained: what is said is true, the change that is named starts
 * the job when it is made, no simpler one would have, and nobody notices that somebody asked.
 *
 *	explain [FIRST-SEED]
 *
 * ARMADA_EXPLAIN_JOBS: how many jobs (300).
 */
#include "tap/tap.h"
#include "unit/sched/asked.h"
#include "util/mem.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 4, JOBS = 300, MIB = 1 << 20 };

struct tally {
	unsigned jobs, starts, told, changes, none, simple, nearest;
	unsigned kinds[CHANGE_UNIFORMITY + 1];
	unsigned bad_sum, bad_start, bad_told, bad_change, bad_none, bad_nearest, bad_twin,
		bad_option;
};

/* In a process of its own: would the job start, were it submitted so? */
static bool would_start(struct asked *w, int job, const struct sched_job *as)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		bail("fork");
	if (child) {
		if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
			bail("the trial of a change died");
		return WEXITSTATUS(status);
	}

	struct sched_result res;
	bool starts = false;

	asked_replace(w, job, as);
	asked_round(w, &res);
	for (size_t i = 0; i < res.decision_count; i++)
		starts = starts || (res.decisions[i].kind == SCHED_START &&
				    (res.decisions[i].job - 1) % ASKED_JOBS == (uint64_t)job);
	_exit(starts);
}

/* A job as it would be, with room for what differs. */
struct draft {
	struct sched_job in;
	struct sched_selector selectors[2];
	struct sched_toleration tolerations[3];
};

static void begin_draft(const struct asked *w, int job, struct draft *d)
{
	const struct asked_job *j = &w->jobs[job];

	d->in = j->in;
	memcpy(d->selectors, j->selectors, sizeof(d->selectors));
	memcpy(d->tolerations, j->tolerations, sizeof(j->tolerations));
	d->in.selectors = d->selectors;
	d->in.tolerations = d->tolerations;
}

static void apply(const struct asked *w, int job, const struct sched_change *c, struct draft *d)
{
	struct sched_job *in = &d->in;

	begin_draft(w, job, d);
	if (c->kind == CHANGE_LESS)
		in->request[c->resource] = c->amount;
	else if (c->kind == CHANGE_MEMBERS)
		in->members = (uint32_t)c->amount;
	else if (c->kind == CHANGE_CLASS)
		in->class_name = c->name;
	else if (c->kind == CHANGE_DROP_LABEL)
		d->selectors[c->index] = d->selectors[--in->selector_count];
	else if (c->kind == CHANGE_OTHER_LABEL)
		d->selectors[c->index].value = c->name;
	else if (c->kind == CHANGE_DROP_LISTS)
		in->include_count = in->exclude_count = 0;
	else if (c->kind == CHANGE_TOLERATE)
		d->tolerations[in->toleration_count++] =
			(struct sched_toleration){c->name, "Exists", ""};
	else if (c->kind == CHANGE_TIME)
		in->time_limit_us = c->amount;
	else if (c->kind == CHANGE_SHARE_NODE)
		in->exclusive = false;
	else if (c->kind == CHANGE_UNIFORMITY)
		in->uniformity = NULL;
	if (in->min_members > in->members)
		in->min_members = in->members;
}

static int64_t asked_amount(const struct sched_job *in, const struct sched_change *c)
{
	if (c->kind == CHANGE_LESS)
		return in->request[c->resource];
	return c->kind == CHANGE_MEMBERS ? in->members : in->time_limit_us;
}

/* As explain.h orders them. */
static double size_of(const struct sched_job *in, const struct sched_change *c)
{
	static const double demands[CHANGE_UNIFORMITY + 1] = {
		[CHANGE_OTHER_LABEL] = 1.1, [CHANGE_DROP_LABEL] = 1.2, [CHANGE_DROP_LISTS] = 1.3,
		[CHANGE_UNIFORMITY] = 1.4,  [CHANGE_SHARE_NODE] = 1.5, [CHANGE_TOLERATE] = 1.6,
		[CHANGE_CLASS] = 1.7};
	double part, row = c->kind == CHANGE_TIME ? 0 : c->kind == CHANGE_MEMBERS ? 9 : c->resource;

	if (c->kind == CHANGE_NONE)
		return 9;
	if (demands[c->kind] > 0)
		return demands[c->kind];
	part = (double)(asked_amount(in, c) - c->amount) / (double)asked_amount(in, c);
	return (part <= 0.5 ? part : 2 + part) + row * 1e-12;
}

static int64_t unit_of(const struct sched_job *in, const struct sched_change *c)
{
	int64_t each = in->tasks_per_member ? in->tasks_per_member : 1;

	if (c->kind != CHANGE_LESS)
		return c->kind == CHANGE_TIME ? 1000000 : 1;
	if (c->resource == RIG_MEMORY)
		return MIB;
	if (c->resource == RIG_GPU)
		return each;
	return each * (in->request[RIG_CPU] > 1000 * each ? 1000 : 100);
}

/* Changes that come to mind at once; how many. */
static size_t simple_changes(const struct asked *w, int job, struct sched_change *list)
{
	static const char *const racks[] = {"r0", "r1", "r2"}, *const taints[] = {"gpu", "maint"};
	const struct sched_job *in = &w->jobs[job].in;
	size_t n = 0;

	for (size_t r = 0; r <= RIG_RESOURCES; r++) {
		struct sched_change c = {.kind = r < RIG_RESOURCES ? CHANGE_LESS : CHANGE_MEMBERS,
					 .resource = r < RIG_RESOURCES ? r : 0};
		int64_t unit = unit_of(in, &c), asked = asked_amount(in, &c);

		for (int part = 1; part < 4; part++) {
			c.amount = asked * part / 4 / unit * unit;
			if (c.amount > 0)
				list[n++] = c;
		}
		c.amount = unit;
		if (asked > unit)
			list[n++] = c;
		c.amount = 0;
		if (r == RIG_GPU && asked)
			list[n++] = c;
	}
	for (size_t i = 0; i < in->selector_count; i++) {
		list[n++] = (struct sched_change){.kind = CHANGE_DROP_LABEL, .index = i};
		for (int v = 0; v < 3 && *in->selectors[i].value && !in->selectors[i].negate; v++)
			if (strcmp(racks[v], in->selectors[i].value) != 0)
				list[n++] = (struct sched_change){
					.kind = CHANGE_OTHER_LABEL, .index = i, .name = racks[v]};
	}
	if (in->include_count || in->exclude_count)
		list[n++] = (struct sched_change){.kind = CHANGE_DROP_LISTS};
	if (in->uniformity)
		list[n++] = (struct sched_change){.kind = CHANGE_UNIFORMITY};
	if (in->exclusive)
		list[n++] = (struct sched_change){.kind = CHANGE_SHARE_NODE};
	for (int t = 0; t < 2 && in->toleration_count < 2; t++)
		list[n++] = (struct sched_change){.kind = CHANGE_TOLERATE, .name = taints[t]};
	for (int c = 0; c < ASKED_CLASSES; c++)
		if (strcmp(w->classes[c].name, in->class_name) != 0)
			list[n++] = (struct sched_change){.kind = CHANGE_CLASS,
							  .name = w->classes[c].name};
	return n;
}

/* No simple change that is smaller than what was named starts it. */
static bool is_smallest(struct asked *w, int job, const struct sched_change *named, unsigned *tried)
{
	const struct sched_job *in = &w->jobs[job].in;
	struct sched_change list[64];
	size_t n = simple_changes(w, job, list);
	struct draft d;

	if (named->kind == CHANGE_LESS || named->kind == CHANGE_MEMBERS) {
		list[n] = *named;
		list[n].amount += unit_of(in, named);
		n += list[n].amount < asked_amount(in, named);
	}
	for (size_t i = 0; i < n; i++) {
		if (size_of(in, &list[i]) >= size_of(in, named))
			continue;
		++*tried;
		apply(w, job, &list[i], &d);
		if (!would_start(w, job, &d.in))
			continue;
		diag("%s: but kind %d resource %zu index %zu amount %lld name %s starts it",
		     named->kind ? named->text : "nothing", (int)list[i].kind, list[i].resource,
		     list[i].index, (long long)list[i].amount, list[i].name ? list[i].name : "-");
		return false;
	}
	return true;
}

/* What a person would type gives what was meant. */
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

static bool sums_up(const struct asked *w, const struct sched_explanation *e)
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

/* The same from the test's own books; only where nothing was started before its turn. */
static bool nearest_is_right(const struct asked *w, int job, const struct sched_explanation *e)
{
	const struct sched_job *in = &w->jobs[job].in;
	const char *best = NULL;
	uint32_t fitting = 0;
	double least = 0;

	for (int i = 0; i < w->node_count; i++) {
		const struct asked_node *n = &w->nodes[i];
		double lack = 0;

		if (!may_use(&n->in, in))
			continue;
		for (int r = 0; r < RIG_RESOURCES; r++) {
			int64_t left = n->in.total[r] - n->used[r];

			if (left < in->request[r])
				lack += (double)(in->request[r] - left) / (double)in->request[r];
		}
		if (lack > 0 && (!best || lack < least)) {
			best = n->in.name;
			least = lack;
		}
		fitting += !(lack > 0) && !n->exclusive && !(in->exclusive && n->tasks);
	}
	for (size_t i = 0; i < e->exclusion_count; i++)
		if (e->exclusions[i].by == EXCLUDED_RESERVED)
			fitting -= e->exclusions[i].nodes;
	if (fitting != e->fitting)
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

static bool can_be_resubmitted(const struct sched_explanation *e)
{
	return e->why != WHY_NONE && e->why != WHY_HELD && e->why != WHY_ARRAY_LIMIT;
}

static void judge_change(struct asked *w, int job, const struct sched_explanation *e,
			 struct tally *t)
{
	struct draft d;

	t->kinds[e->change.kind]++;
	if (e->change.kind) {
		t->changes++;
		apply(w, job, &e->change, &d);
		if (!would_start(w, job, &d.in)) {
			diag("job %d: \"%s\" does not start it", job + 1, e->change.text);
			t->bad_change++;
		}
		t->bad_option += !option_says_so(&w->jobs[job].in, &e->change);
	} else if (can_be_resubmitted(e)) {
		t->none++;
	}
	if (can_be_resubmitted(e) && !is_smallest(w, job, &e->change, &t->simple))
		t->bad_none++;
}

/* What was said of the job, beside what the round then did. */
static void judge(const struct asked *w, int job, const struct sched_explanation *e,
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

static bool explain(struct asked *w, int job, struct sched_explanation *ret)
{
	struct sched_round in = {.now_us = w->now_us, .seed = (uint64_t)w->now_us};
	int rc = sched_explain(w->rig.s, w->jobs[job].in.id, &in, ret);

	if (rc != (w->jobs[job].waiting ? 0 : -EALREADY))
		bail("explain: %d", rc);
	return rc == 0;
}

/* Rounds of a world where somebody asks, and of one where nobody does, are the same. */
static bool same_rounds(struct asked *w, struct asked *twin, struct sched_result *res)
{
	bool same = true;

	for (int i = 0; i < 3 && same; i++) {
		struct sched_result r[2];
		struct sched_explanation e;
		CLEANUP_FREE char *a = NULL, *b = NULL;

		for (int j = 0; i && j < w->job_count; j++)
			if (explain(w, j, &e))
				sched_explanation_done(&e);
		asked_round(w, &r[0]);
		asked_round(twin, &r[1]);
		a = asked_text(&r[0]);
		b = asked_text(&r[1]);
		same = strcmp(a, b) == 0;
		if (!same)
			diag("round %d\n%s---\n%s", i, a, b);
		asked_apply(w, &r[0]);
		asked_apply(twin, &r[1]);
		if (i)
			sched_result_done(&r[0]);
		else
			*res = r[0];
		sched_result_done(&r[1]);
	}
	return same;
}

static void play(uint64_t seed, struct tally *t)
{
	struct sched_explanation *all = xcalloc(ASKED_JOBS, sizeof(*all));
	struct asked *w = asked_new(seed, (int)(seed % (ROUNDS + 1)));
	struct asked *twin = asked_new(seed, (int)(seed % (ROUNDS + 1)));
	struct asked *before = xmemdup(w, sizeof(*w));
	struct tally was = *t;
	int jobs = w->job_count;
	struct sched_result res;

	for (int j = 0; j < jobs; j++) {
		if (!explain(w, j, &all[j]))
			continue;
		t->jobs++;
		t->bad_sum += !sums_up(w, &all[j]);
		judge_change(w, j, &all[j], t);
	}
	t->bad_twin += !same_rounds(w, twin, &res);
	for (int j = 0; j < jobs; j++) {
		if (!all[j].arena)
			continue;
		judge(before, j, &all[j], &res, t);
		sched_explanation_done(&all[j]);
	}
	if (t->bad_sum + t->bad_start + t->bad_told + t->bad_change + t->bad_none + t->bad_nearest +
		    t->bad_twin + t->bad_option >
	    was.bad_sum + was.bad_start + was.bad_told + was.bad_change + was.bad_none +
		    was.bad_nearest + was.bad_twin + was.bad_option)
		diag("seed %llu", (unsigned long long)seed);
	sched_result_done(&res);
	free(before);
	asked_free(twin);
	asked_free(w);
	free(all);
}

int main(int argc, char **argv)
{
	uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
	const char *text = getenv("ARMADA_EXPLAIN_JOBS");
	unsigned want = text ? (unsigned)strtoul(text, NULL, 10) : JOBS;
	struct tally t = {0};

	while (t.jobs < want)
		play(seed++, &t);
	is_int(t.bad_sum, 0, "%u jobs: every node is counted once", t.jobs);
	is_int(t.bad_start, 0, "what is said to start starts, nothing else (%u)", t.starts);
	is_int(t.bad_told, 0, "why it waits is what the round tells (%u)", t.told);
	is_int(t.bad_nearest, 0, "the nearest node and those that fit are right (%u)", t.nearest);
	is_int(t.bad_change, 0, "the change that is named starts it in the next round (%u)",
	       t.changes);
	is_int(t.bad_none, 0, "no smaller one does (%u tried), nor any where none is named (%u)",
	       t.simple, t.none);
	is_int(t.bad_option, 0, "what asubmit would be told says the same");
	is_int(t.bad_twin, 0, "who is asked decides as before");
	for (int k = 0; k <= CHANGE_UNIFORMITY; k++)
		diag("kind %d: %u", k, t.kinds[k]);
	return done();
}
