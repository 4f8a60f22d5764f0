/*
 * Draws changes of the tasks of a job (change.h): their number, their groups, the minimum, their cpus, their
 * program. Many of them say that a running job may be restarted; others scale running elastic jobs in place.
 *
 * Numbers and cpus stay in the range of submit.c, so that the smallest nodes can hold the tasks.
 */
#include "asim/storm/change.h"
#include "asim/storm/journal.h"

#include <string.h>

#define UPDATE(name) ARMADA__UPDATE_JOB_REQUEST__FIELD__UPDATE_##name

static const char *draw_group(struct storm *s, const struct sim_job *j)
{
	return !j->first ? "" : storm_random(s, 2) ? "first" : "rest";
}

/* A job that runs, if there is one; half of the time the one that was drawn. */
static const struct sim_job *draw_running(struct storm *s, const struct sim_job *j)
{
	const struct task_key *key = storm_random(s, 2) ? sim_journal_draw(s) : NULL;

	for (size_t i = 0; key && i < s->job_count; i++)
		if (s->jobs[i].id == key->job)
			return &s->jobs[i];
	return j;
}

void sim_change_template(struct storm *s, const struct sim_job *drawn,
			 const struct sim_node *n UNUSED)
{
	static const Armada__UpdateJobRequest__Field kinds[] = {UPDATE(TASKS), UPDATE(MIN_TASKS),
								UPDATE(RESOURCES), UPDATE(PROGRAM)};
	Armada__UpdateJobRequest m = ARMADA__UPDATE_JOB_REQUEST__INIT;
	Armada__JobFilter filter = ARMADA__JOB_FILTER__INIT;
	Armada__JobRange range = ARMADA__JOB_RANGE__INIT, *ids[] = {&range};
	Armada__JobSpec spec = ARMADA__JOB_SPEC__INIT;
	Armada__TaskGroup group = ARMADA__TASK_GROUP__INIT, *groups[] = {&group};
	Armada__TaskGroup scaled[SIM_GROUPS], *scales[SIM_GROUPS];
	Armada__Resource cpu = ARMADA__RESOURCE__INIT, *resources[] = {&cpu};
	Armada__UpdateJobRequest__Field fields[2];
	char *argv[] = {(char *)"/bin/false"};
	const struct sim_job *j = draw_running(s, drawn);
	char script[] = "#!/bin/sh\n";

	range.first = range.last = j->id;
	filter.ids = ids;
	filter.n_ids = 1;
	m.filter = &filter;
	m.spec = &spec;
	m.fields = fields;
	m.n_fields = 1 + storm_random(s, 2);
	for (size_t i = 0; i < 2; i++)
		fields[i] = kinds[storm_random(s, ARRAY_SIZE(kinds))];
	for (size_t i = 0; i < 2 && j->first; i++)
		if (fields[i] == UPDATE(TASKS))
			fields[i] = UPDATE(GROUPS);
	cpu.name = (char *)"cpu";
	cpu.amount = 1000 * (1 + (int64_t)storm_random(s, 2));
	group.resources = resources;
	group.n_resources = 1;
	group.replicas = 1 + storm_random(s, j->gang ? 2 : s->opt->tasks);
	group.argv = argv;
	group.n_argv = 1;
	spec.groups = groups;
	spec.n_groups = 1;
	spec.min_available = 1 + storm_random(s, 3);
	m.group = (char *)draw_group(s, j);
	for (int i = 0; i < SIM_GROUPS; i++) {
		armada__task_group__init(&scaled[i]);
		scaled[i].name = (char *)(i ? "rest" : "first");
		scaled[i].replicas = 1 + storm_random(s, s->opt->tasks / SIM_GROUPS);
		scales[i] = &scaled[i];
	}
	m.groups = scales;
	m.n_groups = SIM_GROUPS;
	m.script.data = (uint8_t *)script;
	m.script.len = storm_random(s, 2) ? strlen(script) : 0;
	m.restart = storm_random(s, 4) > 0;
	if (storm_random(s, 2)) { /* an elastic job is scaled while it runs */
		m.n_fields = 1;
		fields[0] = storm_random(s, 3) ? j->first ? UPDATE(GROUPS) : UPDATE(TASKS)
					       : UPDATE(MIN_TASKS);
		m.restart = false;
	}
	s->count.updates++;
	sim_client_ask(s, SIM_JOBS, MSG_UPDATE_JOB, &m);
}
