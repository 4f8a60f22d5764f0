/*
 * Draws jobs and sends them.
 *
 * Dependencies name only jobs that the controller knows, and none that it would refuse. Gangs of
 * jobs fit on the smallest nodes. A request may be lost, so it is sent again with the same key
 * until an id arrives.
 */
#include "asim/storm/submit.h"
#include "asim/storm/clock.h"
#include "asim/storm/policy.h"

#include <stdio.h>
#include <string.h>

#define DEP(name) ARMADA__DEPENDENCY_TYPE__DEPENDENCY_##name

static void set_gang(Armada__JobSpec *spec, const struct sim_job *j, char id[16])
{
	if (!j->gang)
		return;
	snprintf(id, 16, "g%u", j->gang);
	spec->gang_id = id;
	spec->gang_cardinality = j->members;
	spec->gang_min = j->least_members;
}

/* How it runs and ends. */
static void set_ways(Armada__JobSpec *spec, const struct sim_job *j)
{
	spec->exclusive = j->exclusive;
	spec->exclusive_user = j->exclusive_user;
	spec->scavenge = j->scavenge;
	spec->no_requeue = j->no_requeue;
	spec->no_fence = j->no_fence;
	spec->lease_s = j->lease_s;
	spec->grace_ms = j->stubborn ? 30000 : 0;
	spec->elastic = j->elastic ? ARMADA__ELASTIC__ELASTIC_YES : ARMADA__ELASTIC__ELASTIC_NO;
	spec->elastic_signal = j->elastic_signal;
}

void sim_submit_send(struct storm *s, struct sim_job *j)
{
	Armada__SubmitRequest m = ARMADA__SUBMIT_REQUEST__INIT;
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT, *jobs[] = {&spec};
	Armada__TaskGroup group[SIM_GROUPS], *groups[SIM_GROUPS];
	Armada__Resource cpu[SIM_GROUPS], *resources[SIM_GROUPS];
	Armada__IndexRange range = ARMADA__INDEX_RANGE__INIT, *array[] = {&range};
	Armada__Dependency *deps[SIM_DEPS];
	char *argv[] = {(char *)"/bin/true"}, gang[16];

	if (j->tries++)
		s->count.retries++;
	for (int i = 0; i < SIM_GROUPS; i++) {
		armada__task_group__init(&group[i]);
		armada__resource__init(&cpu[i]);
		groups[i] = &group[i];
		resources[i] = &cpu[i];
		cpu[i].name = (char *)"cpu";
		cpu[i].amount = (int64_t)(i || !j->first ? j->cpus : j->first_cpus) * 1000;
		group[i].name = (char *)(j->first ? i ? "rest" : "first" : "");
		group[i].replicas = !j->first ? j->tasks : i ? j->tasks - j->first : j->first;
		group[i].service = j->service && !i;
		group[i].min_available = j->minima[i];
		group[i].own_task_failure = j->own_policy && i;
		group[i].on_task_failure = i ? j->second_policy : 0;
		group[i].argv = argv;
		group[i].n_argv = 1;
		group[i].resources = &resources[i];
		group[i].n_resources = 1;
	}
	spec.queue = (char *)j->queue;
	spec.priority_class = (char *)j->class_name;
	set_ways(&spec, j);
	spec.groups = groups;
	spec.n_groups = j->first ? 2 : 1;
	spec.on_task_failure = j->policy;
	spec.nodes = j->tasks > 1 && !j->first ? j->tasks : 0;
	if (spec.nodes == 3 && !j->least && !j->policy && !j->gang)
		spec.nodes = 2; /* two tasks on one node, one on the other */
	spec.min_available = j->least;
	set_gang(&spec, j, gang);
	spec.name = (char *)j->name;
	spec.array_throttle = j->throttle;
	for (size_t i = 0; i < j->dep_count; i++)
		deps[i] = &j->deps[i];
	spec.dependencies = deps;
	spec.n_dependencies = j->dep_count;
	spec.dependency_any = j->dep_any;
	spec.begin_us = j->begin_us;
	spec.chdir = (char *)"/tmp";
	if (j->elements > 1) {
		range.last = j->elements - 1;
		spec.array = array;
		spec.n_array = 1;
	}
	m.key.data = j->key;
	m.key.len = sizeof(j->key);
	m.jobs = jobs;
	m.n_jobs = 1;
	sim_client_ask(s, j - s->jobs, MSG_SUBMIT, &m);
	storm_plan(s, 1000000 + storm_random(s, 5000000),
		   (struct sim_event){.kind = SIM_CLIENT, .number = j - s->jobs});
}

/* A job of several tasks may have two groups of them, and may continue when one fails. */
static void draw_groups(struct storm *s, struct sim_job *j)
{
	if (j->tasks < 2)
		return;
	if (storm_random(s, 2)) {
		j->tasks += storm_random(s, s->opt->tasks - j->tasks + 1);
		j->first = 1 + storm_random(s, j->tasks - 1);
		j->first_cpus = 1 + storm_random(s, 2);
		j->service = storm_random(s, 4) == 0;
	}
	j->policy = storm_random(s, 3);
	j->own_policy = j->first && storm_random(s, 3) == 0;
	j->second_policy = j->own_policy ? storm_random(s, 3) : 0;
	if (j->policy || j->second_policy)
		j->no_requeue = false;
}

/* Some of its tasks join later. It is more than one task, with any policy. */
static void draw_elastic(struct storm *s, struct sim_job *j)
{
	j->elastic = storm_random(s, 100) < s->opt->elastic;
	if (!j->elastic)
		return;
	if (j->tasks < 2)
		j->tasks = 2 + storm_random(s, s->opt->tasks - 1);
	draw_groups(s, j);
	/* a node for each task of the minimum: the client repeats a job that is refused for ever */
	j->least = 1 + storm_random(s, j->tasks < SIM_NODES ? j->tasks - 1 : SIM_NODES - 1);
	j->elastic_signal = storm_random(s, 2) ? 10 : 0;
}

/* Its groups may have minima of their own, of which that of the job is the sum. */
static void draw_minima(struct storm *s, struct sim_job *j)
{
	uint32_t rest = j->tasks - j->first;

	if (!j->first || j->tasks > SIM_NODES || storm_random(s, 3))
		return;
	j->minima[0] = storm_random(s, j->first + 1);
	j->minima[1] = storm_random(s, rest + 1);
	if (j->minima[0] || j->minima[1])
		j->least = (j->minima[0] ? j->minima[0] : j->first) +
			   (j->minima[1] ? j->minima[1] : rest);
}

static struct sim_job *make_job(struct storm *s)
{
	struct sim_job *j = &s->jobs[s->job_count++];

	for (size_t i = 0; i < sizeof(j->key); i++)
		j->key[i] = storm_random(s, 256);
	j->elements = storm_random(s, 6) ? 1 : 2 + storm_random(s, 20);
	j->tasks = storm_random(s, 5) ? 1 : 2 + storm_random(s, 2);
	j->least = j->tasks > 1 ? storm_random(s, j->tasks) : 0; /* 0: all */
	j->cpus = storm_random(s, 4) ? 1 : 2;
	j->queue = sim_policy_queues[storm_random(s, SIM_QUEUES)].name;
	j->class_name = sim_policy_classes[storm_random(s, SIM_CLASSES)].name;
	j->exclusive = storm_random(s, 40) == 0;
	j->exclusive_user = storm_random(s, 12) == 0;
	j->no_requeue = storm_random(s, 20) == 0;
	j->no_fence = storm_random(s, 10) == 0;
	if (!j->no_fence && storm_random(s, 6) == 0)
		j->lease_s = s->policy->conf.node_timeout_us / 1000000 + 1 +
			     (int64_t)storm_random(s, 100);
	j->stubborn = storm_random(s, 3) == 0;
	j->scavenge = !j->exclusive && !j->exclusive_user && j->key[0] % 6 == 0;
	draw_groups(s, j);
	draw_elastic(s, j);
	draw_minima(s, j);
	j->name = "storm";
	return j;
}

/* A dependency on a job that the controller knows, and that it would not refuse. */
static void draw_one(struct storm *s, struct sim_job *j)
{
	const struct sim_job *on = &s->jobs[storm_random(s, s->job_count)];
	Armada__Dependency *d = &j->deps[j->dep_count];

	if (!on->id || on == j)
		return;
	armada__dependency__init(d);
	d->job = on->id;
	d->type = DEP(AFTER) + storm_random(s, 5);
	if (d->type == DEP(AFTERCORR) && (j->elements < 2 || on->elements < j->elements))
		d->type = DEP(AFTEROK);
	if (d->type == DEP(AFTER) && storm_random(s, 2))
		d->delay_s = 60 * (1 + storm_random(s, 2));
	if (d->type != DEP(AFTERCORR) && on->elements > 1 && storm_random(s, 2)) {
		d->has_element = true;
		d->element = storm_random(s, on->elements);
	}
	j->dep_count++;
}

static void draw_deps(struct storm *s, struct sim_job *j)
{
	if (j->elements > 1 && storm_random(s, 2))
		j->throttle = 1 + storm_random(s, 4);
	if (storm_random(s, 8) == 0)
		j->begin_us = sim_clock_wall_us(s) + storm_random(s, 200000000);
	j->name = storm_random(s, 6) ? "storm" : "alone";
	if (storm_random(s, 3) || j->gang)
		return;
	for (uint64_t n = 1 + storm_random(s, 2); n > 0; n--)
		draw_one(s, j);
	j->dep_any = j->dep_count > 1 && storm_random(s, 2);
	if (!strcmp(j->name, "alone") && storm_random(s, 2)) {
		armada__dependency__init(&j->deps[j->dep_count]);
		j->deps[j->dep_count++].type = DEP(SINGLETON);
	}
}

/* At most as large as the smallest nodes can hold. */
static void submit_gang(struct storm *s)
{
	uint32_t members = 2 + storm_random(s, 2), least = storm_random(s, members);
	struct sim_job *first = NULL;

	for (uint32_t i = 0; i < members; i++) {
		struct sim_job *j = make_job(s);

		if (!first)
			first = j;
		j->elements = 1;
		j->tasks = members == 2 ? 1 + storm_random(s, 2) : 1;
		j->least = 0;
		j->exclusive = j->scavenge = j->elastic = false;
		j->elastic_signal = 0;
		j->exclusive_user = first->exclusive_user;
		j->first = j->second_policy = 0;
		j->policy =
			(first - s->jobs) % 3 ? 0 : ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB;
		j->service = j->own_policy = false;
		memset(j->minima, 0, sizeof(j->minima));
		j->no_requeue &= !j->policy;
		j->queue = first->queue;
		j->class_name = first->class_name;
		j->gang = 1 + first - s->jobs;
		j->members = members;
		j->least_members = least;
		j->ended = arena_zalloc(s->run, 1, 1);
		draw_deps(s, j);
		sim_submit_send(s, j);
	}
}

void sim_submit_new(struct storm *s)
{
	struct sim_job *j;

	if (s->job_count + 3 > SIM_JOBS)
		return;
	if (storm_random(s, 8) == 0) {
		submit_gang(s);
		return;
	}
	j = make_job(s);
	j->ended = arena_zalloc(s->run, j->elements, 1);
	draw_deps(s, j);
	sim_submit_send(s, j);
}
