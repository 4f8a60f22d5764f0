#include "job_change.h"

#include <string.h>

struct change *change_init(struct change *x, uint64_t job)
{
	armada__update_job_request__init(&x->m);
	armada__job_filter__init(&x->filter);
	armada__job_range__init(&x->range);
	armada__job_spec__init(&x->spec);
	armada__task_group__init(&x->group);
	x->range.first = x->range.last = job;
	x->ids[0] = &x->range;
	x->filter.ids = x->ids;
	x->filter.n_ids = 1;
	x->groups[0] = &x->group;
	x->spec.groups = x->groups;
	x->spec.n_groups = 1;
	x->m.filter = &x->filter;
	x->m.spec = &x->spec;
	x->m.fields = x->fields;
	x->m.groups = x->scaled_list;
	return x;
}

struct change *change_field(struct change *x, Armada__UpdateJobRequest__Field field)
{
	x->fields[x->m.n_fields++] = field;
	return x;
}

struct change *change_tasks(struct change *x, uint64_t job, uint32_t tasks)
{
	change_init(x, job);
	x->group.replicas = tasks;
	change_field(x, FIELD(TASKS));
	return x;
}

struct change *change_least(struct change *x, uint32_t least)
{
	x->spec.min_available = least;
	change_field(x, FIELD(MIN_TASKS));
	return x;
}

struct change *change_group(struct change *x, const char *name, uint32_t tasks)
{
	Armada__TaskGroup *g = &x->scaled[x->m.n_groups];

	armada__task_group__init(g);
	g->name = (char *)name;
	g->replicas = tasks;
	x->scaled_list[x->m.n_groups] = g;
	if (!x->m.n_groups++)
		change_field(x, FIELD(GROUPS));
	return x;
}

struct change *change_script(struct change *x, const char *text)
{
	x->m.script.data = (uint8_t *)text;
	x->m.script.len = strlen(text);
	x->spec.script_name = (char *)"new";
	change_field(x, FIELD(PROGRAM));
	return x;
}

struct change *change_cpus(struct change *x, uint64_t job, int cpus)
{
	change_init(x, job);
	spec_cpus(&x->group, cpus, &x->cpu, x->resources);
	return change_field(x, FIELD(RESOURCES));
}

const char *change(struct test_world *w, struct change *x)
{
	return change_as(w, TEST_USER, x);
}

const char *change_as(struct test_world *w, uint32_t uid, struct change *x)
{
	const Armada__UpdateJobReply *r;

	world_send(w, uid, MSG_UPDATE_JOB, &x->m);
	r = world_reply(w, MSG_UPDATE_JOB_REPLY);
	if (!r)
		return world_error(w);
	return r->changed == 1 ? "" : r->n_problems ? r->problems[0] : "nothing";
}
