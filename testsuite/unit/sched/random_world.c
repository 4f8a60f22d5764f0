/*
 * Draws the nodes, queues, jobs and changes of a random world from a seed, and reports them to
 * its scheduler.
 */
#include "unit/sched/random_world.h"
#include "tap/tap.h"
#include "util/buf.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

static int below(struct random_world *w, int n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (int)((w->random * UINT64_C(0x2545f4914f6cdd1d) >> 16) % (uint64_t)n);
}

static bool one_in(struct random_world *w, int n)
{
	return below(w, n) == 0;
}

static const char *const names[] = {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"};
static const char *const queues[] = {"a", "b", "c"};
static const char *const racks[] = {"r0", "r1", "r2"};
static const char *const classes[] = {"low", "mid", "firm", "high"};
static const char *const taints[] = {"gpu", "maint"};

static struct sched_fraction some_fraction(struct random_world *w)
{
	struct sched_fraction f = {0};

	for (int r = 0; r < RIG_RESOURCES; r++)
		if (one_in(w, 3)) {
			f.limited |= UINT32_C(1) << r;
			f.of[r] = (1 + below(w, 10)) / 10.0;
		}
	return f;
}

static void make_policy(struct random_world *w)
{
	static const struct sched_class kinds[RANDOM_WORLD_CLASSES] = {
		{"low", 0, true, true, {0}, false},
		{"mid", 10, true, true, {0}, false},
		{"firm", 10, false, true, {0}, false},
		{"high", 30, false, false, {0}, false}};

	memcpy(w->classes, kinds, sizeof(kinds));
	for (int c = 0; c < RANDOM_WORLD_CLASSES; c++)
		if (one_in(w, 6))
			w->classes[c].limit = some_fraction(w);
	w->partial = one_in(w, 4);
	if (one_in(w, 8))
		w->limits.jobs_per_round = 1 + (uint64_t)below(w, 6);
	if (one_in(w, 8))
		w->limits.per_round = some_fraction(w);
	if (one_in(w, 8))
		w->limits.rate = (struct sched_rate){1 + below(w, 3), 1 + below(w, 8)};
	if (one_in(w, 8))
		w->limits.queue_rate = (struct sched_rate){1 + below(w, 3), 1 + below(w, 6)};
	if (one_in(w, 8))
		w->limits.queue_lookback = 1 + (uint64_t)below(w, 6);
}

static void tell_node(struct random_world *w, int i)
{
	sched_node_set(w->rig.s, &w->nodes[i].in);
}

static void make_node(struct random_world *w, int i)
{
	struct random_world_node *n = &w->nodes[i];
	struct sched_node *in = &n->in;

	*in = (struct sched_node){.name = names[i],
				  .total = {1000 * (2 + below(w, 8)),
					    RIG_G / 2 * (4 + below(w, 30)),
					    one_in(w, 2) ? below(w, 5) : 0},
				  .labels = n->labels,
				  .taints = n->taints,
				  .schedulable = !one_in(w, 9)};
	if (!one_in(w, 4))
		n->labels[in->label_count++] = (struct sched_label){"rack", racks[below(w, 3)]};
	if (one_in(w, 3))
		n->labels[in->label_count++] = (struct sched_label){"fast", ""};
	for (int t = 0; t < 2; t++)
		if (one_in(w, 6))
			n->taints[in->taint_count++] =
				(struct sched_taint){taints[t], t ? "" : "yes", "NoSchedule"};
	tell_node(w, i);
}

static void make_shape(struct random_world *w, struct sched_job *in)
{
	in->request[RIG_CPU] = one_in(w, 4) ? 500 * (1 + below(w, 4)) : 1000 * (1 + below(w, 8));
	in->request[RIG_MEMORY] = RIG_G / 4 * (1 + below(w, 40));
	in->request[RIG_GPU] = one_in(w, 4) ? 1 + below(w, 4) : 0;
	in->members = one_in(w, 3) ? 1 + (uint32_t)below(w, 6) : 1;
	in->min_members = in->members;
	if (w->partial && one_in(w, 2))
		in->min_members = 1 + (uint32_t)below(w, (int)in->members);
	in->distinct = in->members > 1 && one_in(w, 3);
	in->exclusive = one_in(w, 10);
	if (in->members > 1 && one_in(w, 3))
		in->uniformity = "rack";
	if (in->distinct && one_in(w, 2)) {
		in->tasks_per_member = 2;
		in->request[RIG_CPU] *= 2;
		in->request[RIG_GPU] *= 2;
	}
}

static void make_constraints(struct random_world *w, struct random_world_job *j)
{
	struct sched_job *in = &j->in;

	if (one_in(w, 4))
		j->selectors[in->selector_count++] =
			(struct sched_selector){"rack", racks[below(w, 3)], one_in(w, 5), false};
	if (one_in(w, 6))
		j->selectors[in->selector_count++] =
			(struct sched_selector){"fast", "", one_in(w, 3), false};
	for (int t = 0; t < 2; t++)
		if (one_in(w, 3))
			j->tolerations[in->toleration_count++] =
				(struct sched_toleration){taints[t], "Exists", ""};
	if (one_in(w, 8))
		j->include[in->include_count++] = names[below(w, RANDOM_WORLD_NODES)];
	if (in->include_count && one_in(w, 2))
		j->include[in->include_count++] = names[below(w, RANDOM_WORLD_NODES)];
	if (one_in(w, 10))
		j->exclude[in->exclude_count++] = names[below(w, RANDOM_WORLD_NODES)];
	in->selectors = j->selectors;
	in->tolerations = j->tolerations;
	in->include = j->include;
	in->exclude = j->exclude;
}

/* The job as it was submitted, for another submission. */
static void resemble(struct random_world_job *j, const struct random_world_job *other)
{
	struct sched_job in = other->in;

	in.id = j->in.id;
	in.submit_us = j->in.submit_us;
	in.time_limit_us = j->in.time_limit_us;
	in.throttle = 0;
	memcpy(j->selectors, other->selectors, sizeof(j->selectors));
	memcpy(j->tolerations, other->tolerations, sizeof(j->tolerations));
	memcpy(j->include, other->include, sizeof(j->include));
	memcpy(j->exclude, other->exclude, sizeof(j->exclude));
	in.selectors = j->selectors;
	in.tolerations = j->tolerations;
	in.include = j->include;
	in.exclude = j->exclude;
	j->in = in;
}

static void tell_job(struct random_world *w, int job, const struct sched_job *as)
{
	const struct random_world_job *j = &w->jobs[job];

	sched_job_add(w->rig.s, as);
	for (uint32_t e = 0; e < j->elements; e++)
		if (j->waiting >> e & 1)
			sched_wait(w->rig.s, as->id, e, e, 1);
}

static void submit(struct random_world *w)
{
	int job = w->job_count;
	struct random_world_job *j = &w->jobs[job];

	if (job == RANDOM_WORLD_JOBS)
		return;
	w->job_count++;
	*j = (struct random_world_job){
		.in = {.id = (uint64_t)job + 1,
		       .queue = queues[below(w, RANDOM_WORLD_QUEUES)],
		       .class_name = classes[below(w, RANDOM_WORLD_CLASSES)],
		       .priority = below(w, 2),
		       .submit_us = 1000 * below(w, 20) + job,
		       .time_limit_us = one_in(w, 3) ? 0 : INT64_C(60000000) * (1 + below(w, 90))},
		.elements = one_in(w, 4) ? 2 + (uint32_t)below(w, 5) : 1};
	make_shape(w, &j->in);
	make_constraints(w, j);
	if (job && one_in(w, 3))
		resemble(j, &w->jobs[below(w, job)]);
	if (j->elements > 1 && one_in(w, 2))
		j->in.throttle = 1 + (uint32_t)below(w, 3);
	j->waiting = (UINT64_C(1) << j->elements) - 1;
	tell_job(w, job, &j->in);
	if (one_in(w, 25)) {
		j->held = true;
		sched_job_hold(w->rig.s, j->in.id, true);
	}
}

static void use(struct random_world *w, const struct random_world_task *t, int sign)
{
	const struct sched_job *in = &w->jobs[t->job].in;

	for (uint32_t m = 0; m < t->count; m++) {
		struct random_world_node *n = t->nodes[m] >= 0 ? &w->nodes[t->nodes[m]] : NULL;

		for (int r = 0; n && r < RIG_RESOURCES; r++)
			n->used[r] += sign * in->request[r];
		if (n) {
			n->tasks += (uint32_t)sign;
			n->exclusive += in->exclusive ? (uint32_t)sign : 0;
		}
	}
}

static void end(struct random_world *w, int task)
{
	struct random_world_task *t = &w->tasks[task];

	use(w, t, -1);
	sched_end(w->rig.s, w->jobs[t->job].in.id, t->element);
	w->jobs[t->job].running--;
	*t = w->tasks[--w->task_count];
}

static void start(struct random_world *w, const struct sched_decision *d)
{
	struct random_world_task *t = &w->tasks[w->task_count++];
	struct random_world_job *j = &w->jobs[d->job - 1];

	*t = (struct random_world_task){
		.job = (int)d->job - 1, .element = d->element, .count = (uint32_t)d->node_count};
	for (size_t i = 0; i < d->node_count; i++)
		t->nodes[i] = d->nodes[i] ? atoi(d->nodes[i] + 1) : -1;
	use(w, t, 1);
	sched_run(w->rig.s, d->job, d->element, (const char *const *)d->nodes, w->now_us);
	j->waiting &= ~(UINT64_C(1) << d->element);
	j->running++;
}

static void preempt(struct random_world *w, const struct sched_decision *d)
{
	for (int i = 0; i < w->task_count; i++) {
		struct random_world_task *t = &w->tasks[i];

		if (t->job != (int)d->job - 1 || t->element != d->element)
			continue;
		end(w, i);
		w->jobs[d->job - 1].waiting |= UINT64_C(1) << d->element;
		sched_wait(w->rig.s, d->job, d->element, d->element, 1);
		return;
	}
	bail("preempted what does not run");
}

static void change(struct random_world *w)
{
	w->now_us += 100000 * (1 + below(w, 20));
	for (int i = w->task_count; i-- > 0;)
		if (one_in(w, 6))
			end(w, i);
	for (int i = below(w, 14); i > 0; i--)
		submit(w);
	if (one_in(w, 6)) {
		int n = below(w, w->node_count);

		w->nodes[n].in.schedulable = !w->nodes[n].in.schedulable;
		tell_node(w, n);
	}
}

static void start_sched(struct random_world *w, const char *order, bool preemption)
{
	struct rig_policy policy = {.order = order,
				    .preempt = preemption ? "fairshare" : "none",
				    .classes = w->classes,
				    .class_count = RANDOM_WORLD_CLASSES,
				    .limits = w->limits,
				    .partial_gangs = w->partial,
				    .options = {{.name = "protected_fraction",
						 .number = one_in(w, 2) ? 1 : below(w, 10) / 10.0}},
				    .option_count = 1};

	if (one_in(w, 6)) {
		policy.options[policy.option_count++] =
			(struct rig_option){.name = "rate", .number = 1 + below(w, 2)};
		policy.options[policy.option_count++] =
			(struct rig_option){.name = "burst", .number = 1 + below(w, 4)};
	}
	rig_init_policy(&w->rig, &policy);
}

struct random_world *random_world_new(uint64_t seed, int rounds, const char *order)
{
	struct random_world *w = xcalloc(1, sizeof(*w));

	w->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
	w->now_us = 1000000;
	make_policy(w);
	w->classes[RANDOM_WORLD_CLASSES - 1].restricted = seed % 4 == 0;
	start_sched(w, order, one_in(w, 2));
	w->node_count = 2 + below(w, RANDOM_WORLD_NODES - 1);
	for (int i = 0; i < w->node_count; i++)
		make_node(w, i);
	for (int q = 0; q < RANDOM_WORLD_QUEUES; q++) {
		double factor = 1 + below(w, 3);

		w->cordoned[q] = one_in(w, 12);
		sched_queue_set(w->rig.s, queues[q], factor, w->cordoned[q]);
		if (one_in(w, 5))
			w->queue_limits[q] = some_fraction(w);
		sched_queue_limit(w->rig.s, queues[q], &w->queue_limits[q]);
	}
	change(w);
	for (int i = 0; i < rounds; i++) {
		struct sched_result res;

		random_world_round(w, &res);
		random_world_apply(w, &res);
		sched_result_done(&res);
	}
	return w;
}

void random_world_free(struct random_world *w)
{
	rig_done(&w->rig);
	free(w);
}

void random_world_round(struct random_world *w, struct sched_result *ret)
{
	struct sched_round in = {.now_us = w->now_us, .seed = (uint64_t)w->now_us};

	sched_run_round(w->rig.s, &in, ret);
}

void random_world_accept(struct random_world *w, const struct sched_result *res)
{
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_PREEMPT)
			preempt(w, &res->decisions[i]);
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_START)
			start(w, &res->decisions[i]);
}

void random_world_apply(struct random_world *w, const struct sched_result *res)
{
	random_world_accept(w, res);
	change(w);
}

void random_world_replace(struct random_world *w, int job, const struct sched_job *as)
{
	struct sched_job in = *as;

	if (w->jobs[job].running) {
		sched_unwait(w->rig.s, in.id, 0, 63);
		in.id += RANDOM_WORLD_JOBS;
	} else {
		sched_job_remove(w->rig.s, in.id);
	}
	tell_job(w, job, &in);
}

char *random_world_text(const struct sched_result *res)
{
	CLEANUP_FREE char *decisions = rig_decisions(res);
	struct buf b = {0};

	buf_addf(&b, "%s\nagain %lld\n", decisions, (long long)res->again_us);
	if (res->reservation)
		buf_addf(&b, "reserved %llu.%u %lld on %zu\n",
			 (unsigned long long)res->reservation->job, res->reservation->element,
			 (long long)res->reservation->start_us, res->reservation->node_count);
	for (size_t i = 0; i < res->decision_count; i++)
		if (res->decisions[i].kind == SCHED_PREEMPT)
			buf_addf(&b, "%s for %llu.%u: %s\n", res->decisions[i].why,
				 (unsigned long long)res->decisions[i].for_job,
				 res->decisions[i].for_element, res->decisions[i].text);
	for (size_t i = 0; i < res->reason_count; i++)
		buf_addf(&b, "? %llu %d %s %lld\n", (unsigned long long)res->reasons[i].job,
			 (int)res->reasons[i].why, res->reasons[i].text,
			 (long long)res->reasons[i].expected_us);
	for (size_t i = 0; i < res->share_count; i++) {
		const struct sched_share *s = &res->shares[i];

		buf_addf(&b, "= %s %.17g %.17g %.17g %.17g %.17g %llu %llu", s->queue, s->weight,
			 s->fair, s->capped, s->cost, s->cost_after, (unsigned long long)s->started,
			 (unsigned long long)s->preempted);
		for (int r = 0; r < RIG_RESOURCES; r++)
			buf_addf(&b, " %lld/%lld", (long long)s->allocated[r],
				 (long long)s->demand[r]);
		buf_addc(&b, '\n');
	}
	return (char *)buf_take(&b, NULL);
}
