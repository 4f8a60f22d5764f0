/*
 * Makes the job of a named change, and checks in a child process whether it would start. Simple
 * changes are all single reductions, labels, limits and options that an explanation may name.
 */
#include "unit/sched/resubmit.h"
#include "tap/tap.h"

#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MIB = 1 << 20 };

/*
 * Whether the job starts in the next round if it is submitted with these values; in a child
 * process.
 */
bool resubmit_starts(struct random_world *w, int job, const struct sched_job *as)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		bail("fork");
	if (child) {
		if (waitpid(child, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) > 1)
			bail("the child process of a check failed");
		return WEXITSTATUS(status);
	}

	struct sched_result res;
	bool starts = false;

	random_world_replace(w, job, as);
	random_world_round(w, &res);
	for (size_t i = 0; i < res.decision_count; i++)
		starts =
			starts || (res.decisions[i].kind == SCHED_START &&
				   (res.decisions[i].job - 1) % RANDOM_WORLD_JOBS == (uint64_t)job);
	_exit(starts);
}

static void begin_draft(const struct random_world *w, int job, struct resubmit_job *d)
{
	const struct random_world_job *j = &w->jobs[job];

	d->in = j->in;
	memcpy(d->selectors, j->selectors, sizeof(d->selectors));
	memcpy(d->tolerations, j->tolerations, sizeof(j->tolerations));
	d->in.selectors = d->selectors;
	d->in.tolerations = d->tolerations;
}

void resubmit_change(const struct random_world *w, int job, const struct sched_change *c,
		     struct resubmit_job *d)
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

/* By kind, in the order of explain.h. */
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

/* Simple changes; returns their number. */
static size_t simple_changes(const struct random_world *w, int job, struct sched_change *list)
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
	for (int c = 0; c < RANDOM_WORLD_CLASSES; c++)
		if (!w->classes[c].restricted && strcmp(w->classes[c].name, in->class_name) != 0)
			list[n++] = (struct sched_change){.kind = CHANGE_CLASS,
							  .name = w->classes[c].name};
	return n;
}

/*
 * Whether the change leaves more of the same resource, by more than one unit. The search of the
 * explanation halves intervals; in a rare world it misses the largest amount, because a larger
 * request starts the job by evicting others.
 */
static bool between(const struct sched_job *in, const struct sched_change *c,
		    const struct sched_change *named)
{
	return c->kind == named->kind && c->resource == named->resource &&
	       c->amount > named->amount + unit_of(in, named);
}

/* No simple change smaller than the named one starts the job. */
bool resubmit_smallest(struct random_world *w, int job, const struct sched_change *named,
		       unsigned *tried)
{
	const struct sched_job *in = &w->jobs[job].in;
	struct sched_change list[64];
	size_t n = simple_changes(w, job, list);
	struct resubmit_job d;

	if (named->kind == CHANGE_LESS || named->kind == CHANGE_MEMBERS) {
		list[n] = *named;
		list[n].amount += unit_of(in, named);
		n += list[n].amount < asked_amount(in, named);
	}
	for (size_t i = 0; i < n; i++) {
		if (size_of(in, &list[i]) >= size_of(in, named) || between(in, &list[i], named))
			continue;
		++*tried;
		resubmit_change(w, job, &list[i], &d);
		if (!resubmit_starts(w, job, &d.in))
			continue;
		diag("%s: but kind %d resource %zu index %zu amount %lld name %s starts it",
		     named->kind ? named->text : "nothing", (int)list[i].kind, list[i].resource,
		     list[i].index, (long long)list[i].amount, list[i].name ? list[i].name : "-");
		return false;
	}
	return true;
}
