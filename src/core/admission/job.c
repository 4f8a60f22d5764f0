/*
 * Admission of one job: at submission (admit_job) and at an update (admit_update).
 *
 * Input: a JobSpec of the request, and its blobs. Output: 0 and a completed spec (queue, class,
 * resources, times, file names), or a refusal with a sentence and an exit code. The checks run in a
 * fixed order, because later ones rely on the defaults that earlier ones filled in. An update runs
 * only the checks of the changed fields, for the queue and class after the change.
 *
 * Caveat: a refused spec may be partly filled in. Nothing here emits an event.
 */
#include "core/admission/job.h"

#include "core/admission/account.h"
#include "core/admission/admit_budget.h"
#include "core/admission/deadline.h"
#include "core/admission/dependencies.h"
#include "core/admission/feasibility.h"
#include "core/admission/labels.h"
#include "core/admission/gang.h"
#include "core/admission/licenses.h"
#include "core/admission/limit_feasibility.h"
#include "core/admission/scavenge.h"
#include "core/admission/task_groups.h"
#include "core/admission/time_extension.h"
#include "core/admission/time_limit.h"
#include "core/admission/user.h"
#include "core/admission/user_queue.h"
#include "core/view/no_such.h"
#include "proto/mail.h"
#include "core/view/rights.h"
#include "proto/update_table.h"
#include "util/buf.h"
#include "util/mem.h"
#include "util/nearest.h"
#include "util/plural.h"
#include "util/steps.h"
#include "util/units.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	NAME_LONGEST = 255,
	PATH_LONGEST = 4096,
	PIECES_MAX = 1000000,
	MOVES_MAX = 100000, /* in thousands */
	EXIT_REFUSED = 1,
};

static int unknown_queue(struct admission *a, const char *name)
{
	a->code = 3;
	return admit_no(a, "%s", no_such_queue(a->txn, name));
}

static int admit_queue(struct admission *a)
{
	const struct caller *who = a->txn->in->caller;
	const struct queue *q;

	if (!a->spec->queue[0]) {
		if (!a->txn->policy->user_queue)
			return admit_no(
				a, "no queue given, and this cluster has no queues of users: give "
				   "one with --queue");
		a->spec->queue = (char *)who->user;
		q = queue_find(a->txn->state, who->user);
		if (!q)
			return 0; /* the queue is created with the job */
	} else {
		q = queue_find(a->txn->state, a->spec->queue);
	}
	if (!q)
		return unknown_queue(a, a->spec->queue);
	if (!rights_may(a->txn, who, VERB_SUBMIT, NULL, q)) {
		a->code = 4;
		return admit_no(
			a,
			"%s may not submit to queue '%s': neither its owners nor its permissions "
			"allow it (actl permissions %s)",
			who->user, q->name, q->name);
	}
	return 0;
}

/* The default class of the queue; of the cluster, if armada.conf no longer has that class. */
static const char *default_class(const struct admission *a)
{
	const struct core_policy *p = a->txn->policy;
	const struct queue *q = user_queue_for(a->txn, a->spec->queue);

	for (size_t i = 0; q && i < p->class_count; i++)
		if (strcmp(p->classes[i].name, q->spec->default_class) == 0)
			return p->classes[i].name;
	return p->default_class;
}

/* The classes that the caller may ask for. */
static const char **usable_classes(const struct admission *a, size_t *ret_count)
{
	const struct core_policy *p = a->txn->policy;
	const char **names = arena_alloc(a->txn->arena, p->class_count * sizeof(*names));
	size_t count = 0;

	for (size_t i = 0; i < p->class_count; i++)
		if (rights_may_use_class(p, a->txn->in->caller, i))
			names[count++] = p->classes[i].name;
	*ret_count = count;
	return names;
}

static const char *classes_text(const struct admission *a)
{
	CLEANUP_BUF struct buf text = {0};
	size_t count;
	const char **names = usable_classes(a, &count);

	for (size_t i = 0; i < count && text.len < 200; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", names[i]);
	return count ? arena_strdup(a->txn->arena, (const char *)text.data) : "none";
}

static int unknown_class(struct admission *a)
{
	size_t count;
	const char **names = usable_classes(a, &count);
	const char *near = nearest_word(a->spec->priority_class, names, count);

	a->code = 3;
	if (near)
		return admit_no(a, "priority class '%s' does not exist; did you mean '%s'?",
				a->spec->priority_class, near);
	return admit_no(a, "priority class '%s' does not exist: expected one of %s",
			a->spec->priority_class, classes_text(a));
}

static int refuse_class(struct admission *a, const struct core_class *class, bool by_default)
{
	a->code = 4;
	return admit_no(a, "priority class '%s'%s is only for administrators%s: you may use %s",
			a->spec->priority_class, by_default ? ", the default here," : "",
			class->people.user_count || class->people.group_count
				? " and those whom armada.conf names for it"
				: "",
			classes_text(a));
}

static int admit_class(struct admission *a)
{
	const struct core_policy *p = a->txn->policy;
	bool by_default = !a->spec->priority_class[0];

	if (by_default)
		a->spec->priority_class = (char *)default_class(a);
	for (size_t i = 0; i < p->class_count; i++)
		if (strcmp(p->classes[i].name, a->spec->priority_class) == 0)
			return rights_may_use_class(p, a->txn->in->caller, i)
				       ? 0
				       : refuse_class(a, &p->class_rules[i], by_default);
	return unknown_class(a);
}

static int admit_blob(struct admission *a, uint64_t index, int64_t max, const char *what,
		      const char *key, ProtobufCBinaryData *ret)
{
	*ret = (ProtobufCBinaryData){0};
	if (!index)
		return 0;
	if (index > a->request->n_blobs)
		return admit_no(a, "the %s is missing from the request", what);
	*ret = a->request->blobs[index - 1];
	if (ret->len > (size_t)max)
		return admit_no(a,
				"the %s has %zu bytes; at most %" PRId64
				" are accepted (limits.%s in "
				"armada.conf)",
				what, ret->len, max, key);
	return 0;
}

static size_t length_of(char *const *words, size_t count)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++)
		len += strlen(words[i]) + 1;
	return len;
}

/* True if the accepted job, which is updated, had a script before. */
static bool has_script(const struct admission *a, const Armada__TaskGroup *g)
{
	return a->changed && (a->spec->script_hash.len || g->script_hash.len);
}

/* Checks the program of a group. ret_args: the size of its arguments and variables. */
static int admit_program(struct admission *a, const Armada__TaskGroup *g, size_t *ret_args)
{
	ProtobufCBinaryData script;

	*ret_args = 0;
	if (admit_blob(a, g->script_blob, a->txn->policy->max_script_bytes, "script", "script",
		       &script))
		return -EINVAL;
	if (g->script_blob && !script.len)
		return admit_no(a, "the script is empty");
	if (!a->spec->script_blob && !g->script_blob && !g->n_argv && !has_script(a, g))
		return admit_no(a, "there is nothing to run: give a script or a command");
	*ret_args = length_of(g->argv, g->n_argv) + length_of(g->args, g->n_args) +
		    length_of(g->env, g->n_env);
	return 0;
}

static int admit_blobs(struct admission *a)
{
	const struct core_policy *p = a->txn->policy;
	ProtobufCBinaryData script, env;
	size_t args = length_of(a->spec->args, a->spec->n_args), more;

	if (admit_blob(a, a->spec->script_blob, p->max_script_bytes, "script", "script", &script) ||
	    admit_blob(a, a->spec->env_blob, p->max_env_bytes, "environment", "env", &env))
		return -EINVAL;
	if (a->spec->script_blob && !script.len)
		return admit_no(a, "the script is empty");
	if (env.len && env.data[env.len - 1] != '\0')
		return admit_no(a, "the environment does not end with a NUL");
	for (size_t i = 0; i < a->spec->n_groups; i++, args += more) {
		const Armada__TaskGroup *g = a->spec->groups[i];

		if (admit_program(a, g, &more) < 0)
			return a->spec->n_groups == 1
				       ? -EINVAL
				       : err_prefix(a->err, -EINVAL, "group %s", g->name);
	}
	if (args > (size_t)p->max_args_bytes)
		return admit_no(a, "the arguments have %zu bytes; at most %" PRId64 " are accepted",
				args, p->max_args_bytes);
	return 0;
}

static Armada__Resource *find_resource(Armada__TaskGroup *g, const char *name)
{
	for (size_t i = 0; i < g->n_resources; i++)
		if (strcmp(g->resources[i]->name, name) == 0)
			return g->resources[i];
	return NULL;
}

static void default_resource(struct admission *a, Armada__TaskGroup *g, const char *name,
			     int64_t amount)
{
	Armada__Resource **list = arena_alloc(a->txn->arena, (g->n_resources + 1) * sizeof(*list));
	Armada__Resource *r = arena_alloc(a->txn->arena, sizeof(*r));

	armada__resource__init(r);
	r->name = (char *)name;
	r->amount = amount;
	if (g->n_resources)
		memcpy(list, g->resources, g->n_resources * sizeof(*list));
	list[g->n_resources++] = r;
	g->resources = list;
}

/* Exact to the byte and without overflow: the product of both values may exceed 64 bits. */
static int64_t memory_for(int64_t per_cpu, int64_t milli)
{
	__int128 bytes = (__int128)per_cpu * milli / 1000;

	return bytes > INT64_C(1) << 53 ? INT64_C(1) << 53 : (int64_t)bytes;
}

/* Fills in default resources of the queue; not for an update of an accepted job. */
static void queue_resources(struct admission *a, Armada__TaskGroup *g)
{
	const struct queue *q = a->changed ? NULL : user_queue_for(a->txn, a->spec->queue);

	for (size_t r = 0; q && r < resource_count(); r++) {
		int64_t amount = queue_default(q, resource_name(r));

		if (amount > 0 && !find_resource(g, resource_name(r)))
			default_resource(a, g, resource_name(r), amount);
	}
}

/* The resource exists, and its amount is written in its unit. */
static int admit_unit(struct admission *a, Armada__Resource *r)
{
	struct err err = {0};
	int i = resource_need(r->name, &err);
	bool size;

	if (i < 0)
		return admit_no(a, "%s", err.text);
	size = resource_is_added((size_t)i) && resource_unit((size_t)i) == RESOURCE_SIZE;
	if (size && !r->size && r->amount)
		return admit_no(a,
				"%s: %" PRId64 " has no unit: expected a size, such as %" PRId64
				"G or %" PRId64 "M",
				r->name, r->amount, r->amount, r->amount);
	if (r->size && !size)
		return admit_no(a, "%s is counted: expected a number without a unit", r->name);
	return 0;
}

static int admit_amounts(struct admission *a, Armada__TaskGroup *g)
{
	const struct core_policy *p = a->txn->policy;
	const Armada__Resource *cpu;

	for (size_t i = 0; i < g->n_resources; i++) {
		const Armada__Resource *r = g->resources[i];

		if (r->amount < 0 || r->amount > INT64_C(1) << 53)
			return admit_no(a, "%s: %" PRId64 " is not an amount", r->name, r->amount);
		if (strcmp(r->name, "cpu") == 0 && r->amount == 0)
			return admit_no(a, "cpus: a task needs more than 0");
		for (size_t k = 0; k < i; k++)
			if (strcmp(g->resources[k]->name, r->name) == 0)
				return admit_no(a, "%s is requested twice", r->name);
	}
	queue_resources(a, g);
	if (!find_resource(g, "cpu"))
		default_resource(a, g, "cpu", p->default_cpu_milli);
	cpu = find_resource(g, "cpu");
	if (!find_resource(g, "memory"))
		default_resource(a, g, "memory",
				 memory_for(p->default_memory_per_cpu, cpu->amount));
	for (size_t i = 0; i < g->n_resources; i++)
		if (admit_unit(a, g->resources[i]) < 0)
			return -EINVAL;
	return 0;
}

static int admit_resources(struct admission *a)
{
	for (size_t i = 0; i < a->spec->n_groups; i++) {
		Armada__TaskGroup *g = a->spec->groups[i];

		if (admit_amounts(a, g) < 0)
			return a->spec->n_groups == 1
				       ? -EINVAL
				       : err_prefix(a->err, -EINVAL, "group %s", g->name);
	}
	return admit_licenses(a);
}

/* Tasks that cannot be divided evenly among the nodes: the first nodes have one more. */
static int admit_uneven(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	uint32_t tasks = s->groups[0]->replicas;

	if (s->min_available && s->min_available < tasks)
		return admit_no(a,
				"%u tasks cannot be divided evenly among %u nodes: such a job "
				"starts with all of its tasks (--min-tasks)",
				tasks, s->nodes);
	if (s->gang_id[0])
		return admit_no(
			a,
			"gang %s: %u tasks cannot be divided evenly among %u nodes: a "
			"member of a gang of jobs has the same number of tasks on each node",
			s->gang_id, tasks, s->nodes);
	return 0;
}

/* A part of a node's memory needs a known number of tasks on the node. */
static int admit_whole_memory(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (!s->whole_memory || (s->n_groups == 1 && (s->nodes || s->groups[0]->replicas == 1)))
		return 0;
	return admit_no(a, "all memory of a node (--mem=0) is for one task, or for a number of "
			   "nodes (--nodes), whose tasks share it");
}

static int admit_shape(struct admission *a)
{
	Armada__JobSpec *s = a->spec;
	const Armada__TaskGroup *g;
	int rc = admit_groups(a);

	if (rc == 0)
		rc = admit_whole_memory(a);
	if (rc < 0 || s->n_groups > 1)
		return rc;
	g = s->groups[0];
	if (s->tasks_per_node && !s->nodes)
		return admit_no(a, "tasks for each node need a number of nodes");
	if (s->nodes > g->replicas)
		return admit_no(a, "%u %s cannot be on %u nodes: each node has at least one task",
				g->replicas, plural(g->replicas, "task", "tasks"), s->nodes);
	if (s->nodes && !s->tasks_per_node && g->replicas % s->nodes)
		return admit_uneven(a);
	if (s->nodes && !s->tasks_per_node)
		s->tasks_per_node = g->replicas / s->nodes;
	if (s->nodes && (uint64_t)s->nodes * s->tasks_per_node != g->replicas)
		return admit_no(a, "%u %s of %u %s are not %u %s", s->nodes,
				plural(s->nodes, "node", "nodes"), s->tasks_per_node,
				plural(s->tasks_per_node, "task", "tasks"), g->replicas,
				plural(g->replicas, "task", "tasks"));
	return 0;
}

/* Ranges in order are appended. A range before others moves these, so `moves` bounds the cost. */
static int check_ranges(struct admission *a, uint64_t *ret_count)
{
	uint64_t pieces = 0, moves = 0, last = 0;

	*ret_count = 0;
	for (size_t i = 0; i < a->spec->n_array; i++) {
		const Armada__IndexRange *r = a->spec->array[i];
		uint64_t more;

		if (r->first > r->last)
			return admit_no(a, "array: %u-%u is not a range", r->first, r->last);
		if (r->last == UINT32_MAX)
			return admit_no(a, "array: an index is at most %u", UINT32_MAX - 1);
		*ret_count += steps_count(r->first, r->last, r->step);
		more = steps_pieces(r->first, r->last, r->step);
		if (i > 0 && r->first <= last)
			moves += more * (pieces / 1000 + 1);
		pieces += more;
		if (r->last > last)
			last = r->last;
	}
	if (*ret_count > (uint64_t)a->txn->policy->max_array_elements)
		return admit_no(a,
				"an array of %" PRIu64 " elements; at most %" PRId64
				" are accepted "
				"(limits.array_elements)",
				*ret_count, a->txn->policy->max_array_elements);
	if (pieces > PIECES_MAX || moves > MOVES_MAX)
		return admit_no(a,
				"array: too many pieces (%" PRIu64
				"): list the indices in order, or "
				"submit several arrays",
				pieces);
	return 0;
}

static int admit_array(struct admission *a)
{
	struct rangeset seen = {0};
	uint64_t count;
	int rc = check_ranges(a, &count);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < a->spec->n_array; i++)
		steps_add(&seen, a->spec->array[i]->first, a->spec->array[i]->last,
			  a->spec->array[i]->step);
	if (seen.total != count)
		rc = admit_no(a, "array: an index is given twice");
	rangeset_done(&seen);
	return rc;
}

static int admit_times(struct admission *a)
{
	struct err why;

	if (time_limit_settle(a->txn, a->spec, &why) < 0 ||
	    time_limit_settle_end(a->txn, a->spec, &why) < 0)
		return admit_no(a, "%s", why.text);
	return 0;
}

static int admit_texts(struct admission *a)
{
	Armada__JobSpec *s = a->spec;
	const struct core_policy *p = a->txn->policy;
	const struct {
		const char *what, *text;
		size_t longest;
	} texts[] = {
		{"name", s->name, NAME_LONGEST},
		{"job set", s->job_set, NAME_LONGEST},
		{"chdir", s->chdir, PATH_LONGEST},
		{"output", s->output, PATH_LONGEST},
		{"error", s->error, PATH_LONGEST},
		{"input", s->input, PATH_LONGEST},
		{"comment", s->comment, PATH_LONGEST},
		{"submit host", s->submit_host, NAME_LONGEST},
		{"submit directory", s->submit_dir, PATH_LONGEST},
		{"script name", s->script_name, PATH_LONGEST},
		{"uniformity", s->uniformity, NAME_LONGEST},
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (strlen(texts[i].text) > texts[i].longest)
			return admit_no(a, "%s: longer than %zu bytes", texts[i].what,
					texts[i].longest);
	if (s->chdir[0] != '/')
		return admit_no(a, "chdir: '%s' is not an absolute path", s->chdir);
	if (!s->output[0])
		s->output = (char *)(s->n_array ? p->default_array_output : p->default_output);
	if (!s->name[0])
		s->name = (char *)"job";
	if (admit_rlimits(a) < 0)
		return -EINVAL;
	if (s->umask > 0777)
		return admit_no(a, "umask: %o is not valid", s->umask);
	if (s->n_selectors > 64 || s->n_tolerations > 64 || s->n_nodes_include > 10000 ||
	    s->n_nodes_exclude > 10000)
		return admit_no(a, "too many node constraints");
	return 0;
}

/* Without types, or with a user alone, nothing is kept: a job wants mail or not. */
static int admit_mail(struct admission *a)
{
	Armada__JobSpec *s = a->spec;
	struct err why;

	if (s->mail_types & ~(uint32_t)MAIL_ALL_BITS)
		return admit_no(a, "mail type: 0x%x is not known here", s->mail_types);
	if (s->mail_types && !a->txn->policy->mails)
		return admit_no(a, "mail type: this cluster sends no mail (mail_program in "
				   "armada.conf is not set)");
	if (s->mail_types && !s->mail_user[0])
		s->mail_user = (char *)(a->user ? a->user : "");
	if (s->mail_user[0] && mail_check_user(s->mail_user, &why) < 0)
		return admit_no(a, "mail user: %s", why.text);
	if (s->mail_types && !s->mail_user[0])
		return admit_no(a, "mail user: the user has no name here, so an address is needed");
	return 0;
}

enum { REQUEUES_MAX = 1000000 };

static int admit_lease(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	int64_t least_s = a->txn->policy->node_timeout_us / 1000000;

	if (s->no_fence && s->lease_s)
		return admit_no(
			a, "lease: --no-fence means a lease without an end, so it cannot have a "
			   "length");
	if (s->lease_s && (s->lease_s <= least_s || s->lease_s > LEASE_MAX_S))
		return admit_no(a,
				"lease: must be longer than the %s after which a node is silent "
				"(agents.node_timeout), and at most %s",
				duration_words(least_s * 1000000).text,
				duration_words(LEASE_MAX_S * INT64_C(1000000)).text);
	if (s->max_requeues > REQUEUES_MAX)
		return admit_no(a, "requeue: at most %d times", REQUEUES_MAX);
	return 0;
}

int admit_job(struct txn *txn, const Armada__SubmitRequest *m, size_t place, int *ret_code,
	      struct err *err)
{
	static int (*const checks[])(struct admission *) = {
		admit_user,  admit_queue,      admit_class,        admit_account,   admit_labels,
		admit_shape, admit_on_failure, admit_blobs,        admit_resources, admit_array,
		admit_times, admit_membership, admit_dependencies, admit_deadline,  admit_lease,
		admit_texts, admit_mail,       admit_scavenge,     admit_fit,       admit_limits,
	};
	struct admission a = {.txn = txn,
			      .spec = m->jobs[place],
			      .request = m,
			      .err = err,
			      .user = txn->in->caller->user,
			      .place = place};

	for (size_t i = 0; i < ARRAY_SIZE(checks); i++) {
		int rc = checks[i](&a);

		if (rc < 0) {
			*ret_code = a.code;
			return rc;
		}
	}
	admit_budget_passed(&a);
	return 0;
}

#define CHANGED(name) (1u << UPDATE_FIELD(name))

/* Changes of the numbers of tasks. */
#define CHANGED_TASKS (CHANGED(TASKS) | CHANGED(MIN_TASKS) | CHANGED(GROUPS))

/* Changes that may affect whether the job could start: feasibility is checked again. */
#define CHANGED_FIT                                                                                \
	(CHANGED(QUEUE) | CHANGED(PRIORITY_CLASS) | CHANGED(RESOURCES) | CHANGED(SELECTORS) |      \
	 CHANGED(NODES_INCLUDE) | CHANGED(NODES_EXCLUDE) | CHANGED_TASKS)

/* Changes that may make a deadline impossible, while elements wait. */
#define CHANGED_TIMES                                                                              \
	(CHANGED(TIME_LIMIT) | CHANGED(QUEUE) | CHANGED(PRIORITY_CLASS) | CHANGED(BEGIN))

static int admit_changed_times(struct admission *a)
{
	const struct time_limit_change change = {
		.time = a->changed & CHANGED(TIME_LIMIT),
		.place = a->changed & (CHANGED(QUEUE) | CHANGED(PRIORITY_CLASS)),
		.grace = a->changed & CHANGED(GRACE),
		.free = a->free_time,
	};
	struct err why;

	return time_limit_update(a->txn, a->spec, &change, &why) < 0 ? admit_no(a, "%s", why.text)
								     : 0;
}

static const struct {
	unsigned mask;
	int (*check)(struct admission *a);
} update_checks[] = {
	{CHANGED(QUEUE), admit_queue},
	{CHANGED(PRIORITY_CLASS), admit_class},
	{CHANGED(ACCOUNT), admit_account},
	{CHANGED(MAIL_TYPES) | CHANGED(MAIL_USER), admit_mail},
	{CHANGED_TASKS, admit_shape},
	{CHANGED_TASKS, admit_on_failure},
	{CHANGED(PROGRAM), admit_blobs},
	{CHANGED(RESOURCES), admit_resources},
	{CHANGED(TIME_LIMIT) | CHANGED(GRACE) | CHANGED(QUEUE) | CHANGED(PRIORITY_CLASS),
	 admit_changed_times},
	{CHANGED(DEPENDENCIES) | CHANGED(BEGIN), admit_dependencies},
	{CHANGED(DEADLINE) | CHANGED(TIME_MIN), admit_deadline},
	{CHANGED(NAME) | CHANGED(COMMENT) | CHANGED(SELECTORS) | CHANGED(NODES_INCLUDE) |
		 CHANGED(NODES_EXCLUDE),
	 admit_texts},
	{CHANGED(SCAVENGE), admit_scavenge},
	{CHANGED_FIT, admit_fit},
	{CHANGED_FIT | CHANGED(ACCOUNT), admit_limits},
};

/* More tasks than before must all fit, also those that may start later: waiting would not help them. */
static int admit_growth(struct admission *a, const struct job *j)
{
	Armada__JobSpec all = *a->spec;
	struct admission growth = *a;
	Armada__TaskGroup **groups = arena_alloc(a->txn->arena, all.n_groups * sizeof(*groups));
	uint64_t tasks = 0;
	int rc;

	for (size_t i = 0; i < all.n_groups; i++) {
		tasks += all.groups[i]->replicas;
		groups[i] = arena_memdup(a->txn->arena, all.groups[i], sizeof(**groups));
		groups[i]->min_available = 0;
	}
	if (!all.min_available || tasks <= j->spec->tasks)
		return 0; /* admit_fit() has looked at all tasks, or there are not more */
	all.min_available = 0;
	all.groups = groups;
	growth.spec = &all;
	growth.grows = true;
	rc = admit_fit(&growth);
	a->unseen |= growth.unseen;
	a->code = growth.code;
	return rc;
}

int admit_update(struct txn *txn, Armada__JobSpec *spec, const struct job *j, unsigned mask,
		 const ProtobufCBinaryData *script, struct err *err)
{
	Armada__SubmitRequest blobs = ARMADA__SUBMIT_REQUEST__INIT;
	struct admission a = {.txn = txn,
			      .spec = spec,
			      .request = &blobs,
			      .err = err,
			      .changed = mask,
			      .user = j->user->name,
			      .free_time = time_extension_is_free(txn, j)};

	blobs.blobs = (ProtobufCBinaryData *)script;
	blobs.n_blobs = 1;
	if (mask & CHANGED_TIMES && j->waiting.total)
		mask |= CHANGED(DEADLINE);
	for (size_t i = 0; i < ARRAY_SIZE(update_checks); i++) {
		int rc = mask & update_checks[i].mask ? update_checks[i].check(&a) : 0;

		if (rc < 0)
			return rc;
	}
	if (mask & CHANGED_TASKS && admit_growth(&a, j) < 0)
		return -EINVAL;
	if (mask & CHANGED_FIT)
		admit_budget_passed(&a);
	return 0;
}
