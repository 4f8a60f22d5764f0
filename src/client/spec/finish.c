/*
 * Completes the specification of a job: spec_finish().
 *
 * Values that depend on each other are combined and checked: tasks, nodes and tasks per node;
 * memory per task, per node or per cpu; gpus per job or per task; priority and nice. Then the name,
 * the directory, the umask, the host and the resource limits are filled in from this process. Each
 * group of a job file inherits from the job what it does not set itself.
 */
#include "client/spec/finish.h"

#include "client/spec/limits.h"
#include "client/spec/order.h"
#include "conf/conf.h"
#include "util/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { RESOURCES = 3, MASK_DEFAULT = 022, HOST_SIZE = 256 };

struct spec_defaults spec_defaults(const struct conf *conf)
{
	return (struct spec_defaults){.cpu_milli = conf->defaults.cpu_milli,
				      .propagate = conf->defaults.propagate};
}

/* Combines tasks, nodes and tasks per node; any two of them give the third. */
static int finish_tasks(struct spec *s, struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t tasks = sh->tasks, nodes = sh->nodes, per_node = sh->tasks_per_node;

	if (!nodes && per_node)
		nodes = tasks ? tasks / per_node : 1;
	if (nodes && !per_node)
		per_node = tasks ? tasks / nodes : 1;
	if (nodes && tasks && nodes * per_node != tasks && sh->tasks_per_node && sh->nodes)
		return err_set(err, -EINVAL,
			       "%ld tasks are not %ld nodes with %ld tasks each; leave out "
			       "--ntasks, --nodes or --ntasks-per-node",
			       tasks, nodes, per_node);
	if (nodes && tasks && nodes * per_node != tasks)
		return err_set(err, -EINVAL,
			       "%ld tasks cannot be divided evenly %s %ld%s; give a multiple of "
			       "%ld to --ntasks",
			       tasks, sh->nodes ? "among" : "into",
			       sh->nodes ? sh->nodes : sh->tasks_per_node,
			       sh->nodes ? " nodes" : " on each node",
			       sh->nodes ? sh->nodes : sh->tasks_per_node);
	if (!tasks)
		tasks = nodes ? nodes * per_node : 1;
	if (tasks > INT32_MAX)
		return err_set(err, -EINVAL, "%ld tasks are more than a job may have", tasks);
	if (sh->min_tasks > tasks)
		return err_set(err, -EINVAL,
			       "--min-tasks: %ld is more than the %ld task%s of the job",
			       sh->min_tasks, tasks, tasks == 1 ? "" : "s");
	s->group.replicas = (uint32_t)tasks;
	s->job.min_available = sh->min_tasks < tasks ? (uint32_t)sh->min_tasks : 0;
	s->job.nodes = (uint32_t)nodes;
	s->job.tasks_per_node = (uint32_t)per_node;
	return 0;
}

/* The memory of one task; 0: the default of the cluster. */
static int finish_memory(const struct spec *s, const struct spec_defaults *d, int64_t *ret_bytes,
			 struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t cpu_milli = sh->cpu_milli ? sh->cpu_milli : d->cpu_milli;
	int64_t bytes = sh->memory_bytes;

	if (sh->memory_per_cpu_bytes) {
		if (__builtin_mul_overflow(sh->memory_per_cpu_bytes, cpu_milli, &bytes))
			return err_set(err, -EINVAL, "mem-per-cpu: too much memory");
		bytes /= 1000;
	} else if (bytes && s->job.tasks_per_node > 1) {
		bytes /= s->job.tasks_per_node;
	}
	*ret_bytes = bytes;
	return 0;
}

static int finish_gpus(const struct spec *s, int64_t *ret_gpus, struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t tasks = s->group.replicas;

	if (sh->gpus % tasks)
		return err_set(err, -EINVAL,
			       "%ld gpus cannot be divided evenly among %ld tasks; give "
			       "--gpus-per-task, or a multiple of %ld",
			       sh->gpus, tasks, tasks);
	*ret_gpus = sh->gpus_per_task ? sh->gpus_per_task : sh->gpus / tasks;
	return 0;
}

void spec_add_resource(struct spec *s, const char *name, int64_t amount)
{
	Armada__Resource *r;

	if (!s->group.resources)
		s->group.resources = arena_zalloc(s->arena, RESOURCES, sizeof(r));
	r = arena_alloc(s->arena, sizeof(*r));
	armada__resource__init(r);
	r->name = (char *)name;
	r->amount = amount;
	s->group.resources[s->group.n_resources++] = r;
}

static int finish_resources(struct spec *s, const struct spec_defaults *d, struct err *err)
{
	int64_t memory_bytes = 0, gpus = 0;
	int rc = finish_memory(s, d, &memory_bytes, err);

	if (rc == 0)
		rc = finish_gpus(s, &gpus, err);
	if (rc < 0)
		return rc;
	if (s->shape.cpu_milli || (s->shape.memory_per_cpu_bytes && d->cpu_milli))
		spec_add_resource(s, "cpu", s->shape.cpu_milli ? s->shape.cpu_milli : d->cpu_milli);
	if (memory_bytes)
		spec_add_resource(s, "memory", memory_bytes);
	if (gpus)
		spec_add_resource(s, "gpu", gpus);
	return 0;
}

/* Makes --chdir absolute; the default is the current directory. */
static int finish_chdir(struct spec *s, struct err *err)
{
	CLEANUP_FREE char *here = NULL;
	char *given = s->job.chdir;
	int rc;

	here = get_current_dir_name();
	if (!here && given[0] == '/')
		return 0;
	if (!here)
		return err_sys(err, -errno, "cannot find the working directory; give --chdir");
	rc = spec_check_text(here, err);
	if (rc < 0)
		return err_prefix(err, rc, "the working directory's name");
	/* sent only if it differs from the working directory, which is rare */
	if (given[0])
		s->job.submit_dir = arena_strdup(s->arena, here);
	if (given[0] && given[0] != '/')
		s->job.chdir = arena_printf(s->arena, "%s/%s", here, given);
	else if (!given[0])
		s->job.chdir = arena_strdup(s->arena, here);
	return 0;
}

/* Reads the umask from /proc, because umask(2) would change it for all threads. */
static uint32_t current_umask(void)
{
	CLEANUP_FILE FILE *f = fopen("/proc/self/status", "re");
	unsigned mask = MASK_DEFAULT;
	char line[128];

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Umask: %o", &mask) == 1)
			break;
	}
	return mask & 0777;
}

static void finish_name(struct spec *s)
{
	const char *slash;

	if (s->job.name[0])
		return;
	slash = strrchr(s->job.script_name, '/');
	s->job.name = slash && slash[1] ? (char *)slash + 1 : s->job.script_name;
}

/* A group inherits resources from the job if it does not set them. */
static void inherit(struct spec *part, const struct spec *s)
{
	struct spec_shape *sh = &part->shape;

	if (!sh->cpu_milli)
		sh->cpu_milli = s->shape.cpu_milli;
	if (!sh->memory_bytes && !sh->memory_per_cpu_bytes) {
		sh->memory_bytes = s->shape.memory_bytes;
		sh->memory_per_cpu_bytes = s->shape.memory_per_cpu_bytes;
	}
	if (!sh->gpus_per_task)
		sh->gpus_per_task = s->shape.gpus_per_task;
}

static int finish_part(struct spec *part, const struct spec *s, const struct spec_defaults *d,
		       struct err *err)
{
	Armada__TaskGroup *g = &part->group;

	if (!part->script && !g->n_argv && !s->script && !s->group.n_argv)
		return err_set(err, -EINVAL, "nothing to run; give it a command or a script");
	if (!part->script && !g->n_argv) {
		g->argv = s->group.argv;
		g->n_argv = s->group.n_argv;
	}
	g->replicas = part->shape.tasks ? (uint32_t)part->shape.tasks : 1;
	g->launch = part->launch_set ? part->job.launch : s->job.launch;
	g->selectors = part->job.selectors;
	g->n_selectors = part->job.n_selectors;
	g->tolerations = part->job.tolerations;
	g->n_tolerations = part->job.n_tolerations;
	g->args = part->job.args;
	g->n_args = part->job.n_args;
	g->script_name = part->job.script_name;
	inherit(part, s);
	return finish_resources(part, d, err);
}

/* Refuses options of jobs whose tasks are all the same. */
static int check_parts(const struct spec *s, struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	const struct {
		bool said;
		const char *option, *instead;
	} rules[] = {
		{sh->tasks, "ntasks", "use replicas in each group"},
		{sh->nodes, "nodes", "the tasks of groups are placed one by one"},
		{sh->tasks_per_node, "ntasks-per-node",
		 "the tasks of groups are placed one by one"},
		{sh->gpus, "gpus", "use gpus in each group, or gpus-per-task for all"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].said)
			return err_set(err, -EINVAL, "%s is not for jobs with groups: %s",
				       rules[i].option, rules[i].instead);
	return 0;
}

/* The groups of a job file replace the one group of other jobs. */
static int finish_parts(struct spec *s, const struct spec_defaults *d, struct err *err)
{
	int64_t tasks = 0;
	int rc = check_parts(s, err);

	s->job.groups = arena_alloc(s->arena, s->part_count * sizeof(*s->job.groups));
	s->job.n_groups = s->part_count;
	for (size_t i = 0; rc == 0 && i < s->part_count; i++) {
		struct spec *part = s->parts[i];

		rc = finish_part(part, s, d, err);
		if (rc < 0)
			return err_prefix(err, rc, "group %s", part->group.name);
		s->job.groups[i] = &part->group;
		tasks += part->group.replicas;
		if (!s->job.script_name[0])
			s->job.script_name = part->job.script_name;
	}
	s->job.launch = ARMADA__LAUNCH__LAUNCH_ALL; /* each group has its own */
	if (rc == 0 && s->shape.min_tasks > tasks)
		return err_set(err, -EINVAL,
			       "min-available: %ld is more than the %ld tasks of the job",
			       s->shape.min_tasks, tasks);
	s->job.min_available = s->shape.min_tasks < tasks ? (uint32_t)s->shape.min_tasks : 0;
	return rc;
}

/* A script runs once and starts the other tasks itself; a command runs in every task. */
static void finish_launch(struct spec *s)
{
	if (!s->launch_set && s->script && !s->job.interactive && s->group.replicas > 1)
		s->job.launch = ARMADA__LAUNCH__LAUNCH_FIRST;
}

static int finish_groups(struct spec *s, const struct spec_defaults *d, struct err *err)
{
	int rc;

	if (s->part_count)
		return finish_parts(s, d, err);
	if (!s->script && !s->group.n_argv)
		return err_set(err, -EINVAL, "nothing to run; give a script, --wrap or -- command");
	rc = finish_tasks(s, err);
	if (rc < 0)
		return rc;
	finish_launch(s);
	return finish_resources(s, d, err);
}

int spec_finish(struct spec *s, const struct spec_defaults *d, struct err *err)
{
	char host[HOST_SIZE] = "";
	int rc;

	assert(!s->finished);
	rc = spec_finish_order(s, err);
	if (rc == 0)
		rc = finish_groups(s, d, err);
	if (rc == 0)
		rc = finish_chdir(s, err);
	if (rc < 0)
		return rc;
	rc = spec_capture_limits(s, d->propagate ? d->propagate : "ALL", err);
	if (rc < 0)
		return rc;
	if (!s->umask_set)
		s->job.umask = current_umask();
	gethostname(host, sizeof(host) - 1);
	s->job.submit_host = arena_strdup(s->arena, host);
	finish_name(s);
	s->finished = true;
	return 0;
}
