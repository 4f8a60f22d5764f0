/*
 * The worlds of bench_round and bench_explain: makes nodes, queues and jobs from the parameters
 * of a struct world_spec, and applies decisions and ends of elements to the scheduler.
 */
#include "bench/round_world.h"
#include "sched/round/state.h"
#include "tap/tap.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>

static const struct sched_class classes[] = {{"low", 0, true, true, {0}, false},
					     {"mid", 1000, true, true, {0}, false},
					     {"firm", 1000, false, false, {0}, false},
					     {"high", 2000, false, true, {0}, false}};

static const struct shape {
	int64_t cpu, memory_g, gpu;
} node_shapes[] = {{128000, 512, 0}, {64000, 256, 8}, {48000, 768, 0}, {32000, 128, 0}};

static void add_nodes(struct sched *s, const struct world_spec *z)
{
	static const char *const zones[] = {"a", "b", "c"};

	for (int i = 0; i < z->nodes; i++) {
		const struct shape *h = &node_shapes[i % 8 < 5 ? 0 : i % 8 - 4];
		struct sched_label labels[] = {{"zone", zones[i % 3]}, {"host", NULL}};
		struct sched_taint taint = {"gpu", "yes", "NoSchedule"};
		struct sched_node n = {.schedulable = true, .labels = labels, .taints = &taint};
		char name[32];

		snprintf(name, sizeof(name), "node%06d", i);
		n.name = labels[1].value = name;
		n.total[RIG_CPU] = z->style == WORLD_MIXED ? h->cpu
				   : z->style == WORLD_LOW ? 12000
							   : 32000;
		n.total[RIG_MEMORY] = (z->style == WORLD_MIXED ? h->memory_g : 256) * RIG_G;
		for (int r = 0; r < z->more; r++)
			n.total[RIG_FPGA + r] = 64 * (r + 1);
		if (z->style == WORLD_MIXED) {
			n.total[RIG_GPU] = h->gpu;
			n.label_count = z->own_labels ? 2 : 1;
			n.taint_count = h->gpu > 0;
		}
		sched_node_set(s, &n);
	}
}

static void set_queues(struct sched *s, const struct world_spec *z)
{
	struct quota quota = {0};

	quota_put(&quota, QUOTA_RUNNING, z->users ? z->fill / z->users / 2 : 0);
	for (int q = 0; q < z->queues; q++) {
		char name[16];

		snprintf(name, sizeof(name), "q%d", q);
		sched_queue_set(s, name, 1 + q % 4, false);
		if (z->user_limits)
			sched_queue_user_quota(s, name, &quota);
	}
}

/* Shape k of a mixed world: every fifth requests gpus, every fourth a zone, one in 16 is a gang. */
static void add_mixed(struct sched *s, const struct world_spec *z, struct sched_job *j, uint64_t i)
{
	static const char *const names[] = {"low", "mid", "mid", "mid", "firm", "mid", "mid"};
	static const struct sched_toleration gpu = {"gpu", "Exists", ""};
	struct sched_selector zone = {"zone", i % 2 ? "a" : "b", false, false};
	uint32_t k = (uint32_t)(i % (uint64_t)z->shapes);

	/* Few jobs are gangs, because otherwise gangs would fill the cluster. */
	if (k % 16 == 15 && i / (uint64_t)z->shapes % 64)
		k--;
	j->class_name = names[k % ARRAY_SIZE(names)];
	j->request[RIG_CPU] = 1000 * (1 + k % 16);
	j->request[RIG_MEMORY] = (1 + k * 7 % 48) * RIG_G + k / 48;
	if (k % 5 == 4) {
		j->request[RIG_GPU] = 1 << k / 5 % 4;
		j->tolerations = &gpu;
		j->toleration_count = 1;
	}
	if (z->more && k % 3 == 1)
		j->request[RIG_FPGA + k / 3 % (uint32_t)z->more] = 1 + k % 2;
	zone.value = k / 4 % 2 ? "a" : "b";
	if (k % 4 == 2) {
		j->selectors = &zone;
		j->selector_count = 1;
	}
	if (k % 16 == 15) {
		j->members = j->min_members = 2U << k / 16 % 10;
		j->distinct = k / 16 % 3 == 0;
		j->request[RIG_GPU] = 0;
	}
	j->time_limit_us = INT64_C(60000000) * (1 + k % 1440);
	sched_job_add(s, j);
}

static void add_job(struct world *w)
{
	const struct world_spec *z = w->spec;
	uint64_t i = w->next_job++;
	char queue[16], user[16];
	struct sched_job j = {.id = i + 1,
			      .queue = queue,
			      .class_name = z->style == WORLD_LOW ? "low" : "mid",
			      .submit_us = (int64_t)i,
			      .request = {1000, RIG_G},
			      .members = 1,
			      .min_members = 1};

	snprintf(queue, sizeof(queue), "q%d",
		 (int)((i + i / (uint64_t)z->shapes % 4) % (uint64_t)z->queues));
	snprintf(user, sizeof(user), "u%d",
		 z->users ? (int)((i + i / (uint64_t)z->shapes) % (uint64_t)z->users) : 0);
	j.user = z->users ? user : NULL;
	if (z->style == WORLD_MIXED)
		add_mixed(w->rig.s, z, &j, i);
	else
		sched_job_add(w->rig.s, &j);
}

void world_add_jobs(struct world *w, int count)
{
	uint32_t last = w->spec->style == WORLD_ARRAY ? (uint32_t)w->spec->queued - 1 : 0;

	for (int i = 0; i < count; i++) {
		add_job(w);
		sched_wait(w->rig.s, w->next_job, 0, last, 1);
	}
}

uint64_t world_add_storm(struct world *w, int count, uint32_t members)
{
	uint64_t first = w->next_job + 1;

	for (int i = 0; i < count; i++) {
		char queue[16];
		struct sched_job j = {.id = ++w->next_job,
				      .queue = queue,
				      .class_name = "high",
				      .submit_us = (int64_t)w->next_job,
				      .request = {1000 * (1 + i % 8), (1 + i % 8) * RIG_G},
				      .members = members,
				      .min_members = members};

		snprintf(queue, sizeof(queue), "q%d", i % w->spec->queues);
		sched_job_add(w->rig.s, &j);
		sched_wait(w->rig.s, j.id, 0, 0, 1);
	}
	return first;
}

uint64_t world_add_urgent(struct world *w, uint32_t members)
{
	struct sched_job j = {.id = ++w->next_job,
			      .queue = "q0",
			      .class_name = "high",
			      .submit_us = 1,
			      .request = {16000, 32 * RIG_G},
			      .members = members,
			      .min_members = members};

	sched_job_add(w->rig.s, &j);
	sched_wait(w->rig.s, j.id, 0, 0, 1);
	return j.id;
}

void world_init(struct world *w, const struct world_spec *spec)
{
	struct rig_policy policy = {.preempt = "fairshare",
				    .options = {{"protected_fraction", 0, NULL, 0}},
				    .option_count = 1,
				    .classes = classes,
				    .class_count = ARRAY_SIZE(classes),
				    .more = (size_t)spec->more};

	*w = (struct world){.spec = spec};
	rig_init_policy(&w->rig, &policy);
	set_queues(w->rig.s, spec);
	add_nodes(w->rig.s, spec);
}

void world_done(struct world *w)
{
	rig_done(&w->rig);
	free(w->running);
}

/* The plugin is opened again, so that no state of it affects the next figure. */
void world_protect(struct world *w, double fraction)
{
	const struct armada_plugin *d = w->rig.preempt.desc;
	struct armada_preempt_traits traits;
	struct sched *s = w->rig.s;
	struct armada_error e = {""};

	for (size_t i = 0; i < d->option_count; i++)
		if (strcmp(d->options[i].name, "protected_fraction") == 0)
			w->rig.values[2][i].d = fraction;
	s->model.policies.preempt->close(s->model.policies.preempt_handle);
	if (s->model.policies.preempt->open(&s->model.policies.preempt_handle, w->rig.values[2],
					    &s->model.policy, &traits, &e))
		bail("%s", e.text);
}

void world_accept(struct world *w, const struct sched_result *result)
{
	for (size_t i = 0; i < result->decision_count; i++) {
		const struct sched_decision *d = &result->decisions[i];

		if (d->kind == SCHED_PREEMPT) {
			sched_end(w->rig.s, d->job, d->element);
			sched_wait(w->rig.s, d->job, d->element, d->element, 1);
			continue;
		}
		rig_accept(w->rig.s, d);
		GROW(w->running, w->running_cap, w->running_count + 1);
		w->running[w->running_count++] = d->job << 32 | d->element;
	}
}

/* An element that was preempted meanwhile has no running task, so its end has no effect. */
void world_end(struct world *w, size_t count)
{
	for (size_t i = 0; i < count && count < w->running_count; i++) {
		size_t at = (i * 7919) % w->running_count;

		sched_end(w->rig.s, w->running[at] >> 32, (uint32_t)w->running[at]);
	}
}
