/*
 * The environment and the file names of a task.
 *
 * Input: a task, its element's placement and the job's specification. Output: a list NAME=VALUE in
 * the arena of the input, and patterns (%j, %t, ...) expanded to file names.
 *
 * Caveat: lists with one word for each task are left out when they are longer than LIST_LONGEST.
 * Each task of an element gets them, so their total size grows with the square of the number of
 * tasks.
 */
#include "core/lifecycle/task_env.h"

#include "core/admission/feasibility.h"
#include "core/lifecycle/task_file.h"
#include "core/txn/task_resources.h"
#include "util/hostlist.h"
#include "util/steps.h"
#include "util/units.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct env {
	struct arena *arena;
	char **list;
	size_t count, cap;
};

static void set(struct env *env, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void set(struct env *env, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (env->count == env->cap)
		return;
	env->list[env->count++] = arena_strdup(env->arena, text);
}

static void set_long(struct env *env, const char *name, const struct buf *value)
{
	if (env->count < env->cap)
		env->list[env->count++] = arena_printf(env->arena, "%s=%s", name,
						       value->len ? (const char *)value->data : "");
}

struct place {
	const struct node *node;
	uint32_t rank;
};

static int by_node(const void *a, const void *b)
{
	const struct place *x = a, *y = b;
	uintptr_t one = (uintptr_t)x->node, two = (uintptr_t)y->node;

	return one != two ? (one < two ? -1 : 1) : (x->rank > y->rank) - (x->rank < y->rank);
}

static int by_rank(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* The distinct nodes of the element, in the order of their first rank. */
static size_t distinct_nodes(const struct element *e, struct arena *a, const struct place **ret)
{
	struct place *list = arena_alloc(a, e->task_count * sizeof(*list));
	size_t n = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		list[i] = (struct place){e->tasks[i].node, i};
	qsort(list, e->task_count, sizeof(*list), by_node);
	for (uint32_t i = 0; i < e->task_count; i++)
		if (!n || list[n - 1].node != list[i].node)
			list[n++] = list[i];
	qsort(list, n, sizeof(*list), by_rank);
	*ret = list;
	return n;
}

/* Longest list with one word for each task: each of 10000 tasks would get 10000 words. */
enum { LIST_LONGEST = 32 << 10 };

static void set_list(struct env *env, const char *name, const struct buf *value)
{
	if (value->len <= LIST_LONGEST)
		set_long(env, name, value);
}

static const char *address_of(const struct node *n)
{
	return n->set->address[0] ? n->set->address : n->name;
}

static void set_nodes(struct env *env, const struct task *t)
{
	const struct element *e = t->element;
	const struct place *nodes;
	size_t n = distinct_nodes(e, env->arena, &nodes), at = 0;
	const char **names = arena_alloc(env->arena, n * sizeof(*names));
	struct buf list CLEANUP_BUF = {0}, ranks CLEANUP_BUF = {0}, addresses CLEANUP_BUF = {0};
	uint32_t local = 0;

	for (size_t i = 0; i < n; i++) {
		names[i] = nodes[i].node->name;
		if (nodes[i].node == t->node)
			at = i;
	}
	hostlist_compress(names, n, &list);
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *node = e->tasks[i].node;

		if (i < t->rank && node == t->node)
			local++;
		if (ranks.len > LIST_LONGEST && addresses.len > LIST_LONGEST)
			continue;
		buf_addf(&ranks, "%s%s", i ? "," : "", node->name);
		buf_addf(&addresses, "%s%s", i ? "," : "", address_of(node));
	}
	set_long(env, "ARMADA_NODE_LIST", &list);
	set_list(env, "ARMADA_NODE_RANKS", &ranks);
	set_list(env, "ARMADA_NODE_ADDRESSES", &addresses);
	set(env, "ARMADA_NODE_COUNT=%zu", n);
	set(env, "ARMADA_NODE_ID=%zu", at);
	set(env, "ARMADA_NODE_NAME=%s", t->node->name);
	set(env, "ARMADA_LOCAL_RANK=%u", local);
}

static void set_array(struct env *env, const struct task *t, const Armada__JobSpec *spec)
{
	uint32_t min = UINT32_MAX, max = 0;
	uint64_t count = 0;

	for (size_t i = 0; i < spec->n_array; i++) {
		const Armada__IndexRange *r = spec->array[i];

		if (r->first < min)
			min = r->first;
		if (r->last > max)
			max = r->last;
		count += steps_count(r->first, r->last, r->step);
	}
	set(env, "ARMADA_ARRAY_JOB_ID=%" PRIu64, t->element->job->id);
	set(env, "ARMADA_ARRAY_TASK_ID=%u", t->element->index);
	set(env, "ARMADA_ARRAY_TASK_MIN=%u", min);
	set(env, "ARMADA_ARRAY_TASK_MAX=%u", max);
	set(env, "ARMADA_ARRAY_TASK_COUNT=%" PRIu64, count);
}

static void set_resources(struct env *env, Armada__Resource *const *list, size_t count)
{
	char text[32];

	for (size_t i = 0; i < count; i++) {
		const Armada__Resource *r = list[i];

		if (strcmp(r->name, "cpu") == 0) {
			format_cpu(r->amount, text, sizeof(text));
			set(env, "ARMADA_CPUS=%s", text);
		} else if (strcmp(r->name, "memory") == 0) {
			set(env, "ARMADA_MEMORY=%" PRId64, r->amount);
		} else if (strcmp(r->name, "gpu") == 0) {
			set(env, "ARMADA_GPUS=%" PRId64, r->amount);
		}
	}
}

/* The name of a variable of a group: ARMADA_GROUP_PS_NODES for group "ps" and "NODES". */
static const char *group_variable(struct env *env, const char *group, const char *what)
{
	char *name = arena_printf(env->arena, "ARMADA_GROUP_%s_%s", group, what);

	for (char *p = name; *p; p++)
		*p = isalnum((unsigned char)*p) ? (char)toupper((unsigned char)*p) : '_';
	return name;
}

/* The size of a group, and nodes and addresses of its tasks, by rank. */
static void set_group(struct env *env, const struct element *e, size_t group, const char *name)
{
	struct buf nodes CLEANUP_BUF = {0}, addresses CLEANUP_BUF = {0};
	uint32_t count = 0;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct node *n = e->tasks[i].node;

		if (e->tasks[i].group != group)
			continue;
		count++;
		if (nodes.len > LIST_LONGEST && addresses.len > LIST_LONGEST)
			continue;
		buf_addf(&nodes, "%s%s", count > 1 ? "," : "", n->name);
		buf_addf(&addresses, "%s%s", count > 1 ? "," : "", address_of(n));
	}
	set(env, "%s=%u", group_variable(env, name, "SIZE"), count);
	set_list(env, group_variable(env, name, "NODES"), &nodes);
	set_list(env, group_variable(env, name, "ADDRESSES"), &addresses);
}

static void set_groups(struct env *env, const struct task *t, const Armada__JobSpec *spec)
{
	const struct element *e = t->element;
	uint32_t rank = 0, size = 0;

	if (!spec->groups[t->group]->name[0])
		return;
	for (uint32_t i = 0; i < e->task_count; i++) {
		size += e->tasks[i].group == t->group;
		rank += e->tasks[i].group == t->group && i < t->rank;
	}
	set(env, "ARMADA_GROUP_NAME=%s", spec->groups[t->group]->name);
	set(env, "ARMADA_GROUP_RANK=%u", rank);
	set(env, "ARMADA_GROUP_SIZE=%u", size);
	for (size_t i = 0; i < spec->n_groups; i++)
		set_group(env, e, i, spec->groups[i]->name);
}

/* The gang of the job: the members leased together, their nodes, and the rank of this member. */
static void set_gang(struct env *env, const struct task *t)
{
	const struct gang *g = t->element->job->gang;
	struct buf ids CLEANUP_BUF = {0}, tasks CLEANUP_BUF = {0};
	struct buf ranks CLEANUP_BUF = {0}, addresses CLEANUP_BUF = {0};

	set(env, "ARMADA_GANG_ID=%s", t->element->job->spec->gang->id);
	set(env, "ARMADA_GANG_CARDINALITY=%u", g->together);
	for (size_t i = 0, n = 0; i < g->count; i++) {
		const struct element *e = element_find(g->members[i], 0);

		if (!e || !e->task_count || e->seq != t->element->seq)
			continue;
		if (e == t->element)
			set(env, "ARMADA_GANG_RANK=%zu", n);
		buf_addf(&ids, "%s%" PRIu64, n ? "," : "", e->job->id);
		buf_addf(&tasks, "%s%u", n++ ? "," : "", e->task_count);
		for (uint32_t k = 0; k < e->task_count && addresses.len <= LIST_LONGEST; k++) {
			buf_addf(&ranks, "%s%s", ranks.len ? "," : "", e->tasks[k].node->name);
			buf_addf(&addresses, "%s%s", addresses.len ? "," : "",
				 address_of(e->tasks[k].node));
		}
	}
	set_list(env, "ARMADA_GANG_JOB_IDS", &ids);
	set_list(env, "ARMADA_GANG_JOB_TASKS", &tasks);
	set_list(env, "ARMADA_GANG_NODE_RANKS", &ranks);
	set_list(env, "ARMADA_GANG_NODE_ADDRESSES", &addresses);
}

/* Sets the current names, and the names of Armada on Kubernetes, for programs that use them. */
static void set_uniformity(struct env *env, const struct task *t, const char *label)
{
	const char *value = *label ? node_label(t->node, label) : NULL;

	if (!value)
		return;
	set(env, "ARMADA_GANG_UNIFORMITY_LABEL=%s", label);
	set(env, "ARMADA_GANG_UNIFORMITY_VALUE=%s", value);
	set(env, "ARMADA_GANG_NODE_UNIFORMITY_LABEL_NAME=%s", label);
	set(env, "ARMADA_GANG_NODE_UNIFORMITY_LABEL_VALUE=%s", value);
}

/* ARMADA_LABELS=team=physics,run=7, and a variable for each: ARMADA_LABEL_TEAM=physics. */
static void set_labels(struct env *env, const Armada__JobSpec *spec)
{
	struct buf all CLEANUP_BUF = {0}, name CLEANUP_BUF = {0};

	for (size_t i = 0; i < spec->n_labels; i++) {
		const Armada__Label *l = spec->labels[i];

		buf_addf(&all, "%s%s=%s", i ? "," : "", l->key, l->value);
		buf_clear(&name);
		for (const char *c = l->key; *c; c++)
			buf_addc(&name, isalnum((unsigned char)*c)
						? (char)toupper((unsigned char)*c)
						: '_');
		buf_addc(&name, 0);
		set(env, "ARMADA_LABEL_%s=%s", (char *)name.data, l->value);
	}
	if (all.len)
		set(env, "ARMADA_LABELS=%s", (char *)all.data);
}

char **task_environment(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
			size_t *ret_count)
{
	const struct job *j = t->element->job;
	const Armada__TaskGroup *g = spec->groups[t->group];
	Armada__Resource **resources;
	size_t resource_count;
	struct env env = {.arena = txn->arena,
			  .cap = 63 + g->n_env + 3 * spec->n_groups + spec->n_labels};

	env.list = arena_alloc(txn->arena, env.cap * sizeof(*env.list));
	for (size_t i = 0; i < g->n_env; i++)
		env.list[env.count++] = g->env[i];
	set(&env, "ARMADA_CLUSTER=%s", txn->state->cluster ? txn->state->cluster : "");
	set(&env, "ARMADA_JOB_ID=%" PRIu64, j->id);
	set(&env, "ARMADA_JOB_NAME=%s", spec->name);
	set(&env, "ARMADA_JOB_SET=%s", spec->job_set);
	set(&env, "ARMADA_QUEUE=%s", spec->queue);
	if (spec->account[0])
		set(&env, "ARMADA_ACCOUNT=%s", spec->account);
	set_labels(&env, spec);
	set(&env, "ARMADA_PRIORITY_CLASS=%s", spec->priority_class);
	set(&env, "ARMADA_USER=%s", j->user->name);
	set(&env, "ARMADA_ATTEMPT=%u", t->attempt);
	set(&env, "ARMADA_TASK_RANK=%u", t->rank);
	set(&env, "ARMADA_TASK_COUNT=%u", t->element->task_count);
	if (t->element->extras) {
		set(&env, "ARMADA_TASK_MIN=%u", j->spec->least);
		set(&env, "ARMADA_TASK_MAX=%u", j->spec->tasks);
	}
	env.list[env.count++] = arena_printf(txn->arena, "ARMADA_SUBMIT_DIR=%s",
					     spec->submit_dir[0] ? spec->submit_dir : spec->chdir);
	set(&env, "ARMADA_SUBMIT_HOST=%s", spec->submit_host);
	if (element_limit_s(t->element, spec) > 0)
		set(&env, "ARMADA_TIME_LIMIT=%" PRId64, element_limit_s(t->element, spec));
	if (j->spec->array)
		set_array(&env, t, spec);
	set(&env, "ARMADA_LAUNCH=%s", spec_launches_first(j->spec, t->group) ? "first" : "all");
	if (j->spec->gang)
		set_gang(&env, t);
	set_uniformity(&env, t, spec->uniformity);
	resources = task_resources(t, spec, txn->arena, &resource_count);
	set_resources(&env, resources, resource_count);
	set_groups(&env, t, spec);
	set_nodes(&env, t);
	*ret_count = env.count;
	return env.list;
}

/*
 * The list is for mpirun, which the first task of a group runs. mpirun starts a process for each task
 * of the group on the task's node. Groups whose tasks all run the program need no list, except in
 * elastic jobs, where it tells which tasks there are now. Standby tasks get the list for steps that
 * run mpirun there, unless it is long.
 */
bool task_env_is_for_mpi(const struct task *t, const Armada__JobSpec *spec)
{
	return spec_launches_first(t->element->job->spec, t->group) &&
	       spec->mpi != ARMADA__MPI__MPI_NONE;
}

/* True if the task has a line of its own: of an elastic job only tasks that run now have one. */
static bool is_host(const struct task *t)
{
	return !t->element->extras || (t->state != TASK_ENDED && !t->leaving);
}

void task_env_hosts(struct txn *txn, const struct task *t, const Armada__JobSpec *spec,
		    ProtobufCBinaryData *ret_hosts)
{
	const struct element *e = t->element;
	struct buf list CLEANUP_BUF = {0};
	uint32_t count = 0;

	if (!e->extras && !task_env_is_for_mpi(t, spec))
		return;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *other = &e->tasks[i];

		if (!e->extras && other->group != t->group)
			continue;
		if (is_host(other))
			buf_addf(&list, "%s %s\n", other->node->name, other->node->set->address);
		else
			buf_addf(&list, "-\n");
		count++;
	}
	if ((count < 2 && !e->extras) || (task_stands_by(t) && list.len > LIST_LONGEST))
		return;
	ret_hosts->data = arena_memdup(txn->arena, list.data, list.len);
	ret_hosts->len = list.len;
}

/* Whether the task with this rank is of the same group, and on the same node. */
static bool is_beside(const struct task *t, uint32_t rank)
{
	const struct task *other = &t->element->tasks[rank];

	return other->group == t->group && other->node == t->node;
}

uint32_t *task_env_node_ranks(struct txn *txn, const struct task *t, size_t *ret_count)
{
	const struct element *e = t->element;
	uint32_t *list, in_group = 0, first = 0;
	size_t here = 0;

	*ret_count = 0;
	if (!spec_launches_first(e->job->spec, t->group))
		return NULL;
	while (!is_beside(t, first))
		first++;
	for (uint32_t i = 0; i < e->task_count; i++) {
		in_group += e->tasks[i].group == t->group;
		here += is_beside(t, i);
	}
	if (in_group < 2)
		return NULL;
	list = arena_alloc(txn->arena, (t->rank == first ? here : 2) * sizeof(*list));
	for (uint32_t i = first; i < e->task_count; i++)
		if (is_beside(t, i) && (t->rank == first || i == first || i == t->rank))
			list[(*ret_count)++] = i;
	return list;
}

char *task_env_expand(struct txn *txn, const char *pattern, const struct task *t,
		      const Armada__JobSpec *spec)
{
	const struct job *j = t->element->job;
	const struct task_names names = {.job = j->id,
					 .is_array = j->spec->array,
					 .element = t->element->index,
					 .rank = t->rank,
					 .attempt = t->attempt,
					 .group = spec->groups[t->group]->name,
					 .node = t->node->name,
					 .name = spec->name,
					 .job_set = spec->job_set,
					 .user = j->user->name};

	return task_file_name(pattern, &names, txn->arena);
}
