/*
 * Changes of the tasks of a job (update_template.h).
 *
 * Input: an update request, and a copy of the specification of the job. Output: the changed copy, or a
 * sentence. A job whose tasks are all alike has one group, and the request need not name it. The tasks of
 * a job with several groups change group by group.
 */
#include "core/request/update_template.h"

#include "core/request/blob.h"
#include "proto/failure_rule.h"
#include "proto/group_minimum.h"
#include "proto/update_table.h"
#include "util/buf.h"

#include <string.h>

#define BIT(name) (1u << UPDATE_FIELD(name))

/* In place of an index into the blobs of a submission: the only blob of an update. */
enum { THE_SCRIPT = 1 };

#define TEMPLATE (BIT(TASKS) | BIT(MIN_TASKS) | BIT(GROUPS) | BIT(RESOURCES) | BIT(PROGRAM))

struct change {
	struct txn *txn;
	const Armada__UpdateJobRequest *m;
	Armada__JobSpec *to;
	struct err *err;
};

static void copy_groups(struct change *c)
{
	Armada__TaskGroup **list = arena_alloc(c->txn->arena, c->to->n_groups * sizeof(*list));

	for (size_t i = 0; i < c->to->n_groups; i++)
		list[i] = arena_memdup(c->txn->arena, c->to->groups[i], sizeof(**list));
	c->to->groups = list;
}

static const char *list_groups(const struct change *c)
{
	struct buf list CLEANUP_BUF = {0};

	for (size_t i = 0; i < c->to->n_groups && list.len < 200; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", c->to->groups[i]->name);
	return arena_strdup(c->txn->arena, (char *)list.data);
}

static Armada__TaskGroup *find_group(struct change *c, const char *name)
{
	for (size_t i = 0; i < c->to->n_groups; i++)
		if (strcmp(c->to->groups[i]->name, name) == 0)
			return c->to->groups[i];
	if (c->to->n_groups == 1 && !c->to->groups[0]->name[0])
		err_set(c->err, -EINVAL, "group %s: the tasks of the job are in no groups", name);
	else
		err_set(c->err, -EINVAL, "group %s: the job has no such group; it has %s", name,
			list_groups(c));
	return NULL;
}

/* The group that the resources or the program of the request are for. NULL: refused. */
static Armada__TaskGroup *meant_group(struct change *c, const char *what)
{
	if (c->m->group[0])
		return find_group(c, c->m->group);
	if (c->to->n_groups == 1)
		return c->to->groups[0];
	err_set(c->err, -EINVAL,
		"%s: the job has %zu groups of tasks, each with its own; name one with --group (%s)",
		what, c->to->n_groups, list_groups(c));
	return NULL;
}

/* The group of the request that holds the new values. */
static const Armada__TaskGroup *said_group(const struct change *c)
{
	return c->m->spec->n_groups ? c->m->spec->groups[0] : NULL;
}

static bool is_basic(const char *name)
{
	int r = resource_index(name);

	return r >= 0 && resource_is_basic((size_t)r);
}

/* The named resources replace those of the group. 0 removes one, except for cpu and memory. */
static int change_resources(struct change *c)
{
	const Armada__TaskGroup *said = said_group(c);
	Armada__TaskGroup *g;
	Armada__Resource **list;
	size_t count = 0;

	if (!said || !said->n_resources)
		return err_set(c->err, -EINVAL, "resources: none given");
	g = meant_group(c, "resources");
	if (!g)
		return -EINVAL;
	list = arena_alloc(c->txn->arena, (said->n_resources + g->n_resources) * sizeof(*list));
	for (size_t i = 0; i < g->n_resources; i++) {
		bool named = false;

		for (size_t k = 0; k < said->n_resources; k++)
			named |= strcmp(said->resources[k]->name, g->resources[i]->name) == 0;
		if (!named)
			list[count++] = g->resources[i];
	}
	for (size_t k = 0; k < said->n_resources; k++) {
		if (said->resources[k]->amount || is_basic(said->resources[k]->name))
			list[count++] = arena_memdup(c->txn->arena, said->resources[k],
						     sizeof(*said->resources[k]));
		if (strcmp(said->resources[k]->name, "memory") == 0)
			c->to->whole_memory = false; /* an amount replaces all memory */
	}
	g->resources = list;
	g->n_resources = count;
	return 0;
}

/* A script of several tasks runs once, unless all tasks must run it (client/spec/finish.c). */
static void settle_launch(Armada__JobSpec *to)
{
	if (to->groups[0]->replicas == 1 && !to->groups[0]->n_argv && !to->interactive &&
	    failure_rule_any(to) == ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB)
		to->launch = ARMADA__LAUNCH__LAUNCH_FIRST;
}

/* The number of tasks on each node stays, so the number of nodes follows. */
static int change_tasks(struct change *c)
{
	const Armada__TaskGroup *said = said_group(c);
	Armada__JobSpec *to = c->to;

	if (!said || !said->replicas)
		return err_set(c->err, -EINVAL, "ntasks: a job has at least one task");
	if (to->n_groups > 1)
		return err_set(c->err, -EINVAL,
			       "ntasks: the job has %zu groups of tasks; give --group NAME=N (%s)",
			       to->n_groups, list_groups(c));
	if (to->nodes && to->tasks_per_node && said->replicas % to->tasks_per_node)
		return err_set(c->err, -EINVAL,
			       "ntasks: the job has %u tasks on each of its nodes: expected a "
			       "multiple of %u",
			       to->tasks_per_node, to->tasks_per_node);
	if (said->replicas > 1)
		settle_launch(to);
	to->groups[0]->replicas = said->replicas;
	if (to->nodes && to->tasks_per_node)
		to->nodes = said->replicas / to->tasks_per_node;
	return 0;
}

static int change_groups(struct change *c)
{
	if (!c->m->n_groups)
		return err_set(c->err, -EINVAL, "group: none given");
	for (size_t i = 0; i < c->m->n_groups; i++) {
		const Armada__TaskGroup *said = c->m->groups[i];
		Armada__TaskGroup *g = find_group(c, said->name);

		if (!g)
			return -EINVAL;
		if (!said->replicas)
			return err_set(c->err, -EINVAL, "group %s: a group has at least one task",
				       said->name);
		for (size_t k = 0; k < i; k++)
			if (strcmp(c->m->groups[k]->name, said->name) == 0)
				return err_set(c->err, -EINVAL, "group %s: it is named twice",
					       said->name);
		if (said->replicas < g->min_available)
			return err_set(c->err, -EINVAL,
				       "group %s: its minimum is %u tasks, so it cannot have %u",
				       said->name, g->min_available, said->replicas);
		g->replicas = said->replicas;
	}
	return 0;
}

/* A minimum of all tasks is none, except that an elastic job stays one. */
static void settle_minimum(Armada__JobSpec *to)
{
	uint64_t tasks = 0;

	for (size_t i = 0; i < to->n_groups; i++)
		tasks += to->groups[i]->replicas;
	if (group_minima(to))
		to->min_available = (uint32_t)group_minima_sum(to);
	if (to->min_available == tasks && to->elastic != ARMADA__ELASTIC__ELASTIC_YES)
		to->min_available = 0;
}

/* The group of several has its own program; the only one has that of the job. */
static int change_program(struct change *c)
{
	const Armada__JobSpec *from = c->m->spec;
	const Armada__TaskGroup *said = said_group(c);
	Armada__TaskGroup *g = meant_group(c, "command");
	bool script = c->m->script.len > 0, own = c->to->n_groups > 1;

	if (!g)
		return -EINVAL;
	if (c->to->interactive)
		return err_set(c->err, -EINVAL,
			       "command: the job belongs to an arun, which gives it its command");
	if (!script && (!said || !said->n_argv))
		return err_set(c->err, -EINVAL, "command: none given");
	g->argv = script ? NULL : said->argv;
	g->n_argv = script ? 0 : said->n_argv;
	g->script_hash = (ProtobufCBinaryData){0};
	g->script_blob = own && script ? THE_SCRIPT : 0;
	g->args = own ? from->args : NULL;
	g->n_args = own ? from->n_args : 0;
	g->script_name = own ? from->script_name : (char *)"";
	if (own)
		return 0;
	c->to->script_hash = (ProtobufCBinaryData){0};
	c->to->script_blob = script ? THE_SCRIPT : 0;
	c->to->args = from->args;
	c->to->n_args = from->n_args;
	c->to->script_name = from->script_name;
	return 0;
}

/* The minima of groups stay; the minimum of the job is their sum. */
static int check_minimum(struct change *c)
{
	uint64_t sum = group_minima_sum(c->to);

	if (!c->m->spec->min_available)
		return err_set(c->err, -EINVAL, "min-tasks: at least one task starts");
	if (group_minima(c->to) && c->m->spec->min_available != sum)
		return err_set(c->err, -EINVAL,
			       "min-tasks: the groups of the job have minima of their own, %" PRIu64
			       " tasks together, which stay",
			       sum);
	return 0;
}

int update_template(struct txn *txn, const Armada__UpdateJobRequest *m, unsigned mask,
		    Armada__JobSpec *to, struct err *err)
{
	struct change c = {txn, m, to, err};
	int rc = 0;

	if (!(mask & TEMPLATE))
		return 0;
	copy_groups(&c);
	if (mask & BIT(TASKS))
		rc = change_tasks(&c);
	if (rc == 0 && mask & BIT(GROUPS))
		rc = change_groups(&c);
	if (rc == 0 && mask & BIT(MIN_TASKS))
		rc = check_minimum(&c);
	if (rc == 0)
		settle_minimum(to);
	if (rc == 0 && mask & BIT(RESOURCES))
		rc = change_resources(&c);
	if (rc == 0 && mask & BIT(PROGRAM))
		rc = change_program(&c);
	return rc;
}

void update_template_store(struct txn *txn, const Armada__UpdateJobRequest *m, Armada__JobSpec *to)
{
	uint8_t *hash = arena_alloc(txn->arena, HASH_SIZE);

	core_digest(m->script.data, m->script.len, hash);
	if (to->script_blob)
		blob_store(txn, &m->script, hash, &to->script_hash);
	to->script_blob = 0;
	for (size_t i = 0; i < to->n_groups; i++) {
		if (to->groups[i]->script_blob)
			blob_store(txn, &m->script, hash, &to->groups[i]->script_hash);
		to->groups[i]->script_blob = 0;
	}
}
