/*
 * Completes the specification of a job: spec_finish().
 *
 * Values that depend on each other are combined and checked: tasks, nodes and tasks per node;
 * memory per task, node, cpu or gpu; gpus per job, task or node; priority and nice. Then the name,
 * the directory, the umask, the host and the resource limits are filled in from this process. Each
 * group of a job file inherits from the job what it does not set itself.
 */
#include "client/spec/finish.h"

#include "client/spec/limits.h"
#include "client/spec/order.h"
#include "client/spec/place.h"
#include "conf/conf.h"
#include "proto/group_minimum.h"
#include "util/mem.h"
#include "util/plural.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { MASK_DEFAULT = 022, HOST_SIZE = 256 };

struct spec_defaults spec_defaults(const struct conf *conf)
{
	return (struct spec_defaults){.cpu_milli = conf->defaults.cpu_milli,
				      .propagate = conf->defaults.propagate};
}

/* With one task for each gpu, the number of gpus gives that of tasks, or the other way round. */
static int finish_tasks_per_gpu(struct spec_shape *sh, struct err *err)
{
	if (!sh->tasks_per_gpu)
		return 0;
	if (sh->gpus_per_task > 1 || (sh->gpus && sh->tasks && sh->gpus != sh->tasks))
		return err_set(err, -EINVAL,
			       "--ntasks-per-gpu=1 gives each task one gpu; leave it out, or give "
			       "as many gpus as tasks");
	if (sh->gpus_per_node && !sh->tasks_per_node && !sh->tasks)
		sh->tasks_per_node = sh->gpus_per_node;
	else if (sh->gpus && !sh->tasks && !sh->tasks_per_node)
		sh->tasks = sh->gpus;
	else if (!sh->gpus && !sh->gpus_per_node && (sh->tasks || sh->nodes || sh->tasks_per_node))
		sh->gpus_per_task = 1;
	else if (!sh->gpus && !sh->gpus_per_node)
		return err_set(err, -EINVAL,
			       "--ntasks-per-gpu needs the number of gpus or of tasks: give "
			       "--gpus, --gpus-per-node or --ntasks");
	return 0;
}

/* --nodes=MIN-MAX: the job starts with at least MIN nodes. */
static int finish_range(struct spec_shape *sh, struct err *err)
{
	int64_t per_node = sh->tasks_per_node ? sh->tasks_per_node : 1;

	if (!sh->nodes_min)
		return 0;
	if (!sh->tasks) {
		if (sh->min_tasks)
			return err_set(err, -EINVAL,
				       "--nodes=%ld-%ld gives the minimum; leave out --min-tasks",
				       sh->nodes_min, sh->nodes);
		sh->min_tasks = sh->nodes_min * per_node;
		return 0;
	}
	if (sh->nodes_min > 1 || sh->nodes < sh->tasks || sh->tasks_per_node)
		return err_set(err, -EINVAL,
			       "--nodes=%ld-%ld cannot be combined with --ntasks=%ld, because the "
			       "tasks are divided among a fixed number of nodes; give one "
			       "number to --nodes, or --ntasks alone to use any nodes",
			       sh->nodes_min, sh->nodes, sh->tasks);
	sh->nodes = 0; /* all that is asked: the tasks may be on any nodes */
	return 0;
}

static int refuse_nodes(int64_t tasks, int64_t nodes, int64_t per_node, struct err *err)
{
	if (nodes > tasks)
		return err_set(err, -EINVAL,
			       "%ld %s cannot be on %ld nodes, because each node has at least one "
			       "task; give --nodes=%ld or --ntasks=%ld",
			       tasks, plural((uint64_t)tasks, "task", "tasks"), nodes, tasks,
			       nodes);
	return err_set(err, -EINVAL,
		       "%ld %s do not fit on %ld %s with at most %ld %s each; leave out "
		       "--nodes or --ntasks-per-node",
		       tasks, plural((uint64_t)tasks, "task", "tasks"), nodes,
		       plural((uint64_t)nodes, "node", "nodes"), per_node,
		       plural((uint64_t)per_node, "task", "tasks"));
}

/*
 * With --ntasks, the number of tasks on each node is a maximum, as in Slurm: nodes and tasks give
 * the number on each. 0: the first nodes have one task more than the others.
 */
static int divide_tasks(int64_t tasks, int64_t *nodes, int64_t *per_node, struct err *err)
{
	if (!*nodes && *per_node)
		*nodes = (tasks + *per_node - 1) / *per_node;
	if (!*nodes)
		return 0;
	if (*nodes > tasks || (*per_node && *nodes * *per_node < tasks))
		return refuse_nodes(tasks, *nodes, *per_node, err);
	*per_node = tasks % *nodes ? 0 : tasks / *nodes;
	return 0;
}

static int check_min_tasks(const struct spec *s, struct err *err)
{
	int64_t least = s->shape.min_tasks, tasks = s->group.replicas;

	if (least > tasks)
		return err_set(err, -EINVAL,
			       "--min-tasks: %ld is more than the %ld task%s of the job", least,
			       tasks, plural((uint64_t)tasks, "", "s"));
	if (least && least < tasks && s->job.nodes && !s->job.tasks_per_node)
		return err_set(err, -EINVAL,
			       "--min-tasks needs the same number of tasks on each node, and %ld "
			       "tasks cannot be divided evenly among %u nodes",
			       tasks, s->job.nodes);
	return 0;
}

/* Combines tasks, nodes and tasks per node; any two of them give the third. */
static int finish_tasks(struct spec *s, struct err *err)
{
	struct spec_shape *sh = &s->shape;
	int64_t nodes, per_node, tasks;
	int rc = finish_tasks_per_gpu(sh, err);

	if (rc == 0)
		rc = finish_range(sh, err);
	nodes = sh->nodes;
	per_node = sh->tasks_per_node;
	if (rc == 0 && sh->tasks)
		rc = divide_tasks(sh->tasks, &nodes, &per_node, err);
	if (rc < 0)
		return rc;
	if (!sh->tasks && (nodes || per_node)) {
		nodes = nodes ? nodes : 1;
		per_node = per_node ? per_node : 1;
	}
	s->job.nodes = (uint32_t)nodes;
	s->job.tasks_per_node = (uint32_t)per_node;
	tasks = sh->tasks ? sh->tasks : nodes ? nodes * per_node : 1;
	if (tasks > INT32_MAX)
		return err_set(err, -EINVAL, "%ld tasks are more than a job may have", tasks);
	s->group.replicas = (uint32_t)tasks;
	rc = check_min_tasks(s, err);
	s->job.min_available = sh->min_tasks < tasks ? (uint32_t)sh->min_tasks : 0;
	return rc;
}

/* The resources of one task; 0: the default of the queue or of the cluster. */
struct wish {
	int64_t cpu_milli, memory_bytes, gpus;
};

static bool is_uneven(const struct spec *s)
{
	return s->job.nodes && !s->job.tasks_per_node;
}

/*
 * The number of tasks on each node, of uneven ones the greatest. An option of nodes needs it:
 * `instead` is what to give else.
 */
static int tasks_on_node(const struct spec *s, const char *option, const char *instead,
			 int64_t *ret_tasks, struct err *err)
{
	*ret_tasks = s->job.tasks_per_node ? s->job.tasks_per_node : s->group.replicas;
	if (is_uneven(s))
		*ret_tasks = s->group.replicas / s->job.nodes + 1;
	if (s->job.tasks_per_node || s->group.replicas == 1 || is_uneven(s))
		return 0;
	return err_set(
		err, -EINVAL,
		"--%s is for each node, but the number of tasks on a node is not known: give "
		"%s, or add --nodes or --ntasks-per-node",
		option, instead);
}

static int refuse_split(const char *option, int64_t gpus, int64_t tasks, struct err *err)
{
	return err_set(err, -EINVAL,
		       "%ld %s%s cannot be divided evenly among %ld tasks; give "
		       "--gpus-per-task, or a multiple of %ld",
		       gpus, plural((uint64_t)gpus, "gpu", "gpus"), option, tasks, tasks);
}

static int finish_gpus(const struct spec *s, struct wish *w, struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t tasks = s->group.replicas;
	int rc;

	if (sh->gpus_per_node) {
		rc = tasks_on_node(s, "gpus-per-node", "--gpus-per-task (of each task)", &tasks,
				   err);
		if (rc < 0)
			return rc;
		if (is_uneven(s))
			return err_set(err, -EINVAL,
				       "--gpus-per-node needs the same number of tasks on each "
				       "node; give --gpus-per-task");
		if (sh->gpus_per_node % tasks)
			return refuse_split(" of each node", sh->gpus_per_node, tasks, err);
		w->gpus = sh->gpus_per_node / tasks;
		return 0;
	}
	if (sh->gpus % tasks)
		return refuse_split("", sh->gpus, tasks, err);
	w->gpus = sh->gpus_per_task ? sh->gpus_per_task : sh->gpus / tasks;
	return 0;
}

static int need_gpus(const char *option, const struct wish *w, struct err *err)
{
	return w->gpus ? 0
		       : err_set(err, -EINVAL,
				 "--%s needs gpus: give --gpus, --gpus-per-task or --gpus-per-node",
				 option);
}

static int finish_cpus(const struct spec *s, const struct spec_defaults *d, struct wish *w,
		       struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t tasks, least;
	int rc = 0;

	w->cpu_milli = sh->cpu_milli;
	if (sh->cpu_milli_per_gpu) {
		if (sh->cpu_milli)
			return err_set(err, -EINVAL,
				       "--cpus and --cpus-per-gpu cannot both be given");
		rc = need_gpus("cpus-per-gpu", w, err);
		if (rc == 0 &&
		    __builtin_mul_overflow(sh->cpu_milli_per_gpu, w->gpus, &w->cpu_milli))
			rc = err_set(err, -EINVAL, "--cpus-per-gpu: too many cpus");
	}
	if (rc == 0 && sh->cpu_milli_per_node) {
		rc = tasks_on_node(s, "mincpus", "--cpus (of each task)", &tasks, err);
		if (rc < 0)
			return rc;
		tasks -= is_uneven(s); /* the nodes with the fewest tasks have enough, too */
		least = sh->cpu_milli_per_node / tasks + (sh->cpu_milli_per_node % tasks != 0);
		if (least > (w->cpu_milli ? w->cpu_milli : d->cpu_milli))
			w->cpu_milli = least;
	}
	if (rc == 0 && !w->cpu_milli && sh->memory_per_cpu_bytes)
		w->cpu_milli = d->cpu_milli;
	return rc;
}

static int finish_memory(struct spec *s, struct wish *w, struct err *err)
{
	const struct spec_shape *sh = &s->shape;
	int64_t tasks;
	int rc = 0;

	w->memory_bytes = sh->memory_bytes;
	if (sh->memory_per_cpu_bytes) {
		if (__builtin_mul_overflow(sh->memory_per_cpu_bytes, w->cpu_milli,
					   &w->memory_bytes))
			return err_set(err, -EINVAL, "--mem-per-cpu: too much memory");
		w->memory_bytes /= 1000;
	} else if (sh->memory_per_gpu_bytes) {
		rc = need_gpus("mem-per-gpu", w, err);
		if (rc == 0 &&
		    __builtin_mul_overflow(sh->memory_per_gpu_bytes, w->gpus, &w->memory_bytes))
			return err_set(err, -EINVAL, "--mem-per-gpu: too much memory");
	} else if (sh->memory_per_node_bytes) {
		rc = tasks_on_node(s, "mem", "--memory (of each task) or --mem-per-cpu", &tasks,
				   err);
		s->job.whole_memory = sh->memory_per_node_bytes == SPEC_WHOLE_MEMORY;
		if (rc == 0 && !s->job.whole_memory)
			w->memory_bytes = sh->memory_per_node_bytes / tasks;
	}
	return rc;
}

static int finish_resources(struct spec *s, const struct spec_defaults *d, struct err *err)
{
	struct wish w = {0};
	int rc = finish_gpus(s, &w, err);

	if (rc == 0)
		rc = finish_cpus(s, d, &w, err);
	if (rc == 0)
		rc = finish_memory(s, &w, err);
	if (rc < 0)
		return rc;
	if (w.cpu_milli)
		spec_add_resource(s, "cpu", w.cpu_milli, false);
	if (w.memory_bytes)
		spec_add_resource(s, "memory", w.memory_bytes, false);
	if (w.gpus)
		spec_add_resource(s, "gpu", w.gpus, false);
	if (w.gpus && s->shape.gpu_type)
		spec_add_label(s, "gpu", s->shape.gpu_type);
	return spec_add_resources(s,
				  s->job.tasks_per_node    ? s->job.tasks_per_node
				  : s->group.replicas == 1 ? 1
							   : 0,
				  err);
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
	if (!sh->cpu_milli)
		sh->cpu_milli_per_gpu = s->shape.cpu_milli_per_gpu;
	if (!sh->memory_bytes && !sh->memory_per_cpu_bytes) {
		sh->memory_bytes = s->shape.memory_bytes;
		sh->memory_per_cpu_bytes = s->shape.memory_per_cpu_bytes;
		sh->memory_per_gpu_bytes = s->shape.memory_per_gpu_bytes;
	}
	if (!sh->gpus_per_task) {
		sh->gpus_per_task = s->shape.gpus_per_task;
		sh->gpu_type = s->shape.gpu_type;
	}
	spec_inherit_resources(part, s);
}

/* A group may name the priority class of its job. */
static int check_part_class(const struct spec *part, const struct spec *s, struct err *err)
{
	if (!part->job.priority_class[0] ||
	    strcmp(part->job.priority_class, s->job.priority_class) == 0)
		return 0;
	return err_set(
		err, -EINVAL,
		"priority_class: the groups of a job start and are preempted together, so they "
		"share the class of the job, which is %s, not %s",
		s->job.priority_class[0] ? s->job.priority_class : "not given",
		part->job.priority_class);
}

static int finish_part(struct spec *part, const struct spec *s, const struct spec_defaults *d,
		       struct err *err)
{
	Armada__TaskGroup *g = &part->group;
	int rc;

	rc = check_part_class(part, s, err);
	if (rc < 0)
		return rc;
	if (!part->script && !g->n_argv && !s->script && !s->group.n_argv)
		return err_set(err, -EINVAL, "nothing to run; give it a command or a script");
	if (!part->script && !g->n_argv) {
		g->argv = s->group.argv;
		g->n_argv = s->group.n_argv;
	}
	g->replicas = part->shape.tasks ? (uint32_t)part->shape.tasks : 1;
	if (part->shape.min_tasks > g->replicas)
		return err_set(err, -EINVAL,
			       "min-available: %ld is more than the %u %s of the group",
			       part->shape.min_tasks, g->replicas,
			       plural(g->replicas, "task", "tasks"));
	g->min_available = (uint32_t)part->shape.min_tasks;
	g->launch = part->launch_set ? part->job.launch : s->job.launch;
	g->own_task_failure = part->on_task_failure_set;
	g->on_task_failure = part->job.on_task_failure;
	g->tolerations = part->job.tolerations;
	g->n_tolerations = part->job.n_tolerations;
	g->args = part->job.args;
	g->n_args = part->job.n_args;
	g->script_name = part->job.script_name;
	inherit(part, s);
	rc = finish_resources(part, d, err);
	g->selectors = part->job.selectors;
	g->n_selectors = part->job.n_selectors;
	return rc;
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
		{sh->gpus_per_node, "gpus-per-node",
		 "use gpus in each group, or gpus-per-task for all"},
		{sh->tasks_per_gpu, "ntasks-per-gpu",
		 "use gpus in each group, or gpus-per-task for all"},
		{sh->memory_per_node_bytes, "mem", "use memory, which is that of each task"},
		{sh->cpu_milli_per_node, "mincpus", "use cpus, which are those of each task"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++)
		if (rules[i].said)
			return err_set(err, -EINVAL, "%s is not for jobs with groups: %s",
				       rules[i].option, rules[i].instead);
	return 0;
}

/* The minimum of the job, or the sum of those of its groups. */
static int finish_minimum(struct spec *s, int64_t tasks, struct err *err)
{
	int64_t least = s->shape.min_tasks;
	int64_t sum = group_minima(&s->job) ? (int64_t)group_minima_sum(&s->job) : 0;

	if (least > tasks)
		return err_set(err, -EINVAL,
			       "min-available: %ld is more than the %ld %s of the job", least,
			       tasks, plural((uint64_t)tasks, "task", "tasks"));
	if (least && sum && least != sum)
		return err_set(err, -EINVAL,
			       "min-available: it is %ld for the job, and %ld for its groups "
			       "together; give one of them",
			       least, sum);
	if (sum)
		least = sum;
	s->job.min_available = least < tasks ? (uint32_t)least : 0;
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
	return rc < 0 ? rc : finish_minimum(s, tasks, err);
}

static bool runs_once(const struct spec *s)
{
	bool once = s->job.launch == ARMADA__LAUNCH__LAUNCH_FIRST;

	for (size_t i = 0; i < s->job.n_groups; i++)
		once |= s->job.groups[i]->launch == ARMADA__LAUNCH__LAUNCH_FIRST;
	return once;
}

/* Why the job cannot be elastic; NULL: it can. */
static const char *not_elastic(const struct spec *s)
{
	if (!s->job.min_available)
		return "needs --min-tasks, with fewer tasks than --ntasks";
	if (s->job.interactive)
		return "is not for jobs of arun and aalloc, which start with all of their tasks";
	if (s->job.tasks_per_node > 1 || is_uneven(s))
		return "is not for several tasks on each of a number of nodes: leave out --nodes "
		       "and --ntasks-per-node";
	return NULL;
}

/*
 * Tasks beyond the minimum join a job of which each task runs the command. A script that runs once, or
 * a range of nodes as Slurm knows it, sees the number of tasks when it starts.
 */
static int finish_elastic(struct spec *s, struct err *err)
{
	const char *why_not = not_elastic(s);

	if (s->job.elastic == ARMADA__ELASTIC__ELASTIC_YES && why_not)
		return err_set(err, -EINVAL, "--elastic %s", why_not);
	if (s->job.elastic == ARMADA__ELASTIC__ELASTIC_UNSET)
		s->job.elastic = why_not || runs_once(s) || s->shape.nodes_min
					 ? ARMADA__ELASTIC__ELASTIC_NO
					 : ARMADA__ELASTIC__ELASTIC_YES;
	if (s->job.elastic_signal && s->job.elastic != ARMADA__ELASTIC__ELASTIC_YES)
		return err_set(err, -EINVAL,
			       "--elastic-signal needs a job that tasks join: give --elastic=yes");
	return 0;
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
		rc = finish_elastic(s, err);
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
