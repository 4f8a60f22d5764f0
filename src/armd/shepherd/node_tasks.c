/*
 * The tasks of a job on this node, when only the first task of the job runs the program.
 *
 * mpirun starts its processes for all these tasks below the first task of the node (node_ranks[0]),
 * because it starts one daemon on each node. That task therefore gets what all of them have: their
 * cpus, their gpus, and the sum of their limits. The contain plugin keeps all of them in one group with
 * the same limits, so that together they never use more. The other tasks keep their own.
 *
 * Input: the files of the attempts in the spool, which have body and place of each task. They are
 * complete when the start barrier opens, because every task has been placed then. Tasks that start
 * together have the same attempt number; a task with another one, which replaces a lost task, is
 * alone.
 *
 * Output: limits, affinity and devices of the waiting child; and a file that tells arun-rank, which
 * starts each process of mpirun, the variables and cpus of each task:
 *
 *	cpus 0-3			of all tasks; only if they are bound
 *	task 4
 *	set ARMADA_TASK_RANK=4
 *	unset ARMADA_GPU_LIST
 *	cpus 0-1			of the task
 *	task 5
 *	...
 *
 * A program in the first task itself, and a step there, has the variables of its own task. Where a
 * task can open only its gpus, libraries count those from 0; the gpus of the first task, and of
 * processes in it, are counted among all that it can open.
 */
#include "armd/shepherd/node_tasks.h"

#include "armd/shepherd/environment.h"
#include "armd/shepherd/hosts.h"
#include "armd/shepherd/log.h"
#include "armd/shepherd/place.h"
#include "armd/spool/host_files.h"
#include "armd/task/bind.h"
#include "util/mem.h"

#include <string.h>

struct member {
	uint32_t rank;
	const Armada__TaskBody *body;
	struct place place;
};

/* Variables that differ between the tasks of a job. */
static const char *const of_task[] = {
	"ARMADA_GROUP_RANK", "ARMADA_LOCAL_RANK", "ARMADA_NODE_ID",
	"ARMADA_NODE_NAME",  "ARMADA_TASK_RANK",
};

/* Files of this node. */
static const char *const of_node[] = {"ARMADA_HOST_FILE", "ARMADA_RANK_FILE"};

int shepherd_node_tasks_name(struct shepherd *s)
{
	struct task_key key = s->task->order.key;
	char name[HOST_FILE_NAME];

	if (s->body->n_node_ranks == 0)
		return 0;
	key.rank = s->body->node_ranks[0];
	host_file_name(&key, HOST_FILE_RANKS, name);
	shepherd_environment_set(s, "ARMADA_RANK_FILE",
				 arena_printf(s->arena, "%s/scripts/%s", s->task->spool->path,
					      name));
	return 0;
}

const char *shepherd_node_tasks_group(const struct shepherd *s)
{
	char name[ATTEMPT_CONTAIN_NAME];

	/* a task that replaces a lost one joins no group, whose limits would not include it */
	if (s->body->n_node_ranks < 2 || !s->body->gated)
		return NULL;
	attempt_group_name(s->task->spool, &s->task->order.key, s->body->node_ranks[0], name);
	return arena_strdup(s->arena, name);
}

/* False: that task is not on this node now. */
static bool read_member(const struct shepherd *s, uint32_t rank, struct arena *arena,
			struct member *ret)
{
	struct task_key key = s->task->order.key;
	CLEANUP_CLOSE int fd = -1;
	struct attempt a;
	struct err ignored;

	if (rank == key.rank) {
		*ret = (struct member){rank, s->body, *s->task->place};
		return true;
	}
	key.rank = rank;
	a = (struct attempt){.key = key};
	if (attempt_open(s->task->spool, &key, &fd, &ignored) < 0 ||
	    attempt_read(s->task->spool, fd, arena, &a, &ignored) < 0 || !a.body || a.end)
		return false;
	*ret = (struct member){rank,
			       msg_unpack_as(&armada__task_body__descriptor, a.body, a.body_len,
					     arena, &ignored),
			       a.place};
	return ret->body;
}

static size_t read_members(const struct shepherd *s, struct arena *arena, struct member **ret_list)
{
	struct member *list = arena_alloc(arena, s->body->n_node_ranks * sizeof(*list));
	size_t count = 0;

	for (size_t i = 0; i < s->body->n_node_ranks; i++)
		count += read_member(s, s->body->node_ranks[i], arena, &list[count]);
	*ret_list = list;
	return count;
}

static void add_bits(uint64_t *to, const uint64_t *from, size_t count)
{
	for (size_t i = 0; i < count / 64; i++)
		to[i] |= from[i];
}

/* The cpus and gpus of all tasks. */
static void unite(const struct shepherd *s, const struct member *list, size_t count,
		  struct place *ret_all)
{
	*ret_all = *s->task->place;
	for (size_t i = 0; i < count; i++) {
		add_bits(ret_all->cpus, list[i].place.cpus, PLACE_CPUS);
		add_bits(ret_all->gpus, list[i].place.gpus, PLACE_GPUS);
	}
}

/* The task, or tasks, may use these cpus. */
static void add_cpus(const struct shepherd *s, const struct place *p, const char *before,
		     struct buf *out)
{
	uint64_t cpus[PLACE_CPUS / 64];

	shepherd_place_cpus(s, p, cpus);
	buf_addstr(out, before);
	place_list(cpus, PLACE_CPUS, out);
	buf_addc(out, '\n');
}

static void add_variable(struct buf *out, const Armada__TaskBody *from, const char *name)
{
	const char *entry = shepherd_environment_entry(from, name);

	if (entry)
		buf_addf(out, "set %s\n", entry);
}

static void add_gpus(const struct shepherd *s, const struct member *m, const struct place *all,
		     struct buf *out)
{
	struct gpu_variable list[GPU_VARIABLES];
	size_t count = shepherd_place_gpus(s, &m->place, all, list);

	for (size_t i = 0; i < count; i++)
		if (list[i].value)
			buf_addf(out, "set %s=%s\n", list[i].name, list[i].value);
		else
			buf_addf(out, "unset %s\n", list[i].name);
}

static void add_member(const struct shepherd *s, const struct member *m, const struct place *all,
		       struct buf *out)
{
	buf_addf(out, "task %u\n", m->rank);
	for (size_t i = 0; i < ARRAY_SIZE(of_task); i++)
		add_variable(out, m->body, of_task[i]);
	for (size_t i = 0; i < ARRAY_SIZE(of_node); i++)
		add_variable(out, s->body, of_node[i]);
	add_gpus(s, m, all, out);
	if (!s->is_bound) {
		buf_addstr(out, "unset ARMADA_CPU_LIST\n");
		return;
	}
	add_cpus(s, &m->place, "set ARMADA_CPU_LIST=", out);
	add_cpus(s, &m->place, "cpus ", out);
}

static void write_ranks(struct shepherd *s, const struct member *list, size_t count,
			const struct place *all)
{
	CLEANUP_BUF struct buf text = {0};
	int rc;

	if (s->is_bound)
		add_cpus(s, all, "cpus ", &text);
	for (size_t i = 0; i < count; i++)
		add_member(s, &list[i], all, &text);
	rc = shepherd_write_host_file(s, HOST_FILE_RANKS, &text);
	if (rc < 0)
		shepherd_log(
			s,
			"cannot write the file of a job's tasks to the spool: %s; processes of "
			"mpirun have the variables of the first task",
			strerror(-rc));
}

/* The first task gets the room of all. */
static void widen(struct shepherd *s, size_t count, const struct place *all)
{
	struct armada_contain_limits limits = {.tasks = (uint32_t)count};
	struct armada_error text = {{0}};
	uint64_t cpus[PLACE_CPUS / 64];
	struct err err;

	shepherd_place_limits(s, all, &limits);
	limits.cpu_milli *= (int64_t)count;
	limits.memory_bytes *= (int64_t)count;
	if (s->task->contain->update) {
		if (s->task->contain->update(s->contain, &limits, s->task->contain_values, &text) <
		    0)
			shepherd_log(s, "%s; processes of mpirun have the limits of the first task",
				     text.text);
		else
			s->node_tasks = (uint32_t)count;
	}
	if (!s->is_bound)
		return;
	shepherd_place_cpus(s, all, cpus);
	if (task_bind_process(s->pid, cpus, &err) < 0)
		shepherd_log(s, "%s; processes of mpirun have the cpus of the first task",
			     err.text);
}

void shepherd_node_tasks_open(struct shepherd *s)
{
	struct member *list;
	struct arena *arena;
	struct place all;
	size_t count;

	if (s->body->n_node_ranks == 0 || s->body->node_ranks[0] != s->task->order.key.rank ||
	    !s->task->place || !s->task->machine)
		return;
	arena = arena_new(0);
	count = read_members(s, arena, &list);
	unite(s, list, count, &all);
	if (count > 1) {
		widen(s, count, &all);
		shepherd_place_count_among(s, &all);
	}
	write_ranks(s, list, count, &all);
	arena_free(arena);
}
