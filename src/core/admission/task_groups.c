/*
 * Jobs with groups of tasks (task_groups.h).
 *
 * Input: a JobSpec. Output: 0, or a refusal. A job with one group gets the constraints and the
 * script of that group as its own, so that most code sees only one form. A job with several groups
 * is checked for feasibility group by group, and then as a gang of its groups.
 */
#include "core/admission/task_groups.h"

#include "core/admission/feasibility.h"
#include "core/admission/gang_feasibility.h"
#include "core/admission/limit_feasibility.h"
#include "core/admission/licenses.h"
#include "core/admission/running_quota.h"
#include "core/state/task_group.h"
#include "proto/failure_rule.h"
#include "proto/group_minimum.h"
#include "util/plural.h"
#include "util/signals.h"

#include <string.h>

enum { GROUPS_MAX = 64, GROUP_NAME_LONGEST = 63 };

static void group_hoist(Armada__JobSpec *s, struct arena *a)
{
	Armada__TaskGroup *g = s->n_groups == 1 ? s->groups[0] : NULL;

	if (!g)
		return;
	group_add_constraints(s, g, a);
	g->n_selectors = g->n_tolerations = 0;
	g->selectors = NULL;
	g->tolerations = NULL;
	if (g->launch != ARMADA__LAUNCH__LAUNCH_ALL)
		s->launch = g->launch;
	g->launch = ARMADA__LAUNCH__LAUNCH_ALL;
	s->on_task_failure = failure_rule_of(s, 0);
	g->own_task_failure = false;
	g->on_task_failure = ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB;
	g->min_available = 0;
	if (!g->script_blob)
		return;
	s->script_blob = g->script_blob;
	s->script_name = g->script_name;
	s->args = g->args;
	s->n_args = g->n_args;
	g->script_blob = 0;
	g->n_args = 0;
	g->args = NULL;
}

/* The name becomes part of a variable's name, and users type it. */
static bool is_name(const char *text)
{
	size_t n = strlen(text);

	return n && n <= GROUP_NAME_LONGEST && text[0] != '-' && text[0] != '.' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.") ==
		       n;
}

static int check_env(struct admission *a, const Armada__TaskGroup *g)
{
	for (size_t i = 0; i < g->n_env; i++) {
		const char *equals = strchr(g->env[i], '=');

		if (!equals || equals == g->env[i])
			return admit_no(a, "env: '%s' is not NAME=value", g->env[i]);
		if (strncmp(g->env[i], "ARMADA_", 7) == 0)
			return admit_no(a,
					"env: %.*s: variables that begin with ARMADA_ are set "
					"by Armada",
					(int)(equals - g->env[i]), g->env[i]);
	}
	return 0;
}

static int check_group(struct admission *a, size_t at)
{
	const Armada__JobSpec *s = a->spec;
	Armada__TaskGroup *g = s->groups[at];

	if (!g->replicas)
		g->replicas = 1;
	if (g->n_selectors > 64 || g->n_tolerations > 64 || g->n_env > 10000)
		return admit_no(a, "too many constraints or variables");
	if (check_env(a, g) < 0)
		return -EINVAL;
	if (g->launch > ARMADA__LAUNCH__LAUNCH_FIRST)
		return admit_no(a, "launch: mode %d is not known to this controller", g->launch);
	if (s->n_groups == 1 && (!g->name[0] || is_name(g->name)))
		return g->service ? admit_no(a, "a service group needs another group") : 0;
	if (!is_name(g->name))
		return admit_no(a, "'%s' is not a name: letters, digits and _ - . are accepted",
				g->name);
	for (size_t i = 0; i < at; i++)
		if (strcmp(s->groups[i]->name, g->name) == 0)
			return admit_no(a, "another group has this name");
	return 0;
}

/* Refuses options that need tasks of one kind: counts of nodes, gangs of jobs and others. */
static int check_several(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	size_t services = 0;

	for (size_t i = 0; i < s->n_groups; i++)
		services += s->groups[i]->service;
	if (services == s->n_groups)
		return admit_no(a, "all groups are services: at least one other group is needed");
	if (s->nodes || s->tasks_per_node)
		return admit_no(
			a, "--nodes and --ntasks-per-node cannot be used with several groups of "
			   "tasks: their tasks are placed one by one");
	if (s->gang_id[0])
		return admit_no(
			a,
			"gang %s: a member of a gang of jobs has one group of tasks; the groups "
			"of one job start together without a gang",
			s->gang_id);
	if (s->launch != ARMADA__LAUNCH__LAUNCH_ALL || s->interactive)
		return admit_no(a,
				"a job with several groups of tasks has a launch for each group");
	return 0;
}

/* The client library says it in the words of the options; other clients get this. */
static int check_elastic(struct admission *a, uint64_t tasks)
{
	const Armada__JobSpec *s = a->spec;

	if (s->elastic > ARMADA__ELASTIC__ELASTIC_YES)
		return admit_no(a, "elastic: %d is not known to this controller", s->elastic);
	if (s->elastic_signal < 0 || s->elastic_signal > SIGNALS_LAST)
		return admit_no(a, "elastic signal: there is no signal %d", s->elastic_signal);
	if (s->elastic != ARMADA__ELASTIC__ELASTIC_YES)
		return s->elastic_signal
			       ? admit_no(a, "a signal for tasks that join is for elastic jobs")
			       : 0;
	if (!s->min_available || s->min_available > tasks)
		return admit_no(a, "an elastic job needs a minimum, of at most its %" PRIu64 " %s",
				tasks, plural(tasks, "task", "tasks"));
	if (s->interactive || s->gang_id[0])
		return admit_no(a, "%s starts with all of its tasks and cannot be elastic",
				s->interactive ? "a job of arun or aalloc" : "a member of a gang");
	if (s->tasks_per_node > 1 || (s->nodes && !s->tasks_per_node && tasks != s->nodes))
		return admit_no(a, "an elastic job has no number of tasks on each node");
	return 0;
}

/* The minima of groups give that of the job. */
static int settle_minima(struct admission *a, uint64_t tasks)
{
	Armada__JobSpec *s = a->spec;
	uint64_t sum = group_minima_sum(s);

	if (!group_minima(s))
		return 0;
	for (size_t i = 0; i < s->n_groups; i++)
		if (s->groups[i]->min_available > s->groups[i]->replicas)
			return admit_no(a,
					"group %s: the minimum of %u tasks is more than its %u %s",
					s->groups[i]->name, s->groups[i]->min_available,
					s->groups[i]->replicas,
					plural(s->groups[i]->replicas, "task", "tasks"));
	if (s->min_available && s->min_available != sum)
		return admit_no(a,
				"the minimum of the job is %u, and the minima of its groups are "
				"%" PRIu64 " together; give one of them",
				s->min_available, sum);
	s->min_available =
		sum < tasks || s->elastic == ARMADA__ELASTIC__ELASTIC_YES ? (uint32_t)sum : 0;
	return 0;
}

int admit_groups(struct admission *a)
{
	Armada__JobSpec *s = a->spec;
	uint64_t tasks = 0;

	if (!s->n_groups || s->n_groups > GROUPS_MAX)
		return admit_no(a, "%zu groups of tasks; a job has 1 to %d", s->n_groups,
				GROUPS_MAX);
	for (size_t i = 0; i < s->n_groups; i++) {
		int rc = check_group(a, i);

		if (rc < 0)
			return err_prefix(a->err, rc, "group %s",
					  s->groups[i]->name[0] ? s->groups[i]->name : "1");
		tasks += s->groups[i]->replicas;
	}
	if (tasks > (uint64_t)a->txn->policy->max_tasks)
		return admit_no(a,
				"%" PRIu64 " tasks; at most %" PRId64
				" are accepted (limits.tasks_per_job)",
				tasks, a->txn->policy->max_tasks);
	if (s->min_available > tasks)
		return admit_no(a, "the minimum of %u tasks is more than the %" PRIu64 " %s",
				s->min_available, tasks, plural(tasks, "task", "tasks"));
	if (s->launch > ARMADA__LAUNCH__LAUNCH_FIRST)
		return admit_no(a, "launch: mode %d is not known to this controller", s->launch);
	if (settle_minima(a, tasks) < 0 || check_elastic(a, tasks) < 0)
		return -EINVAL;
	group_hoist(s, a->txn->arena);
	return s->n_groups > 1 ? check_several(a) : 0;
}

static bool launches_first(const Armada__JobSpec *s)
{
	bool first = s->launch != ARMADA__LAUNCH__LAUNCH_ALL;

	for (size_t i = 0; i < s->n_groups; i++)
		first |= s->groups[i]->launch != ARMADA__LAUNCH__LAUNCH_ALL;
	return first;
}

static int check_rules(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;

	if (s->on_task_failure > ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK)
		return admit_no(a, "--on-task-failure: policy %d is not known to this controller",
				s->on_task_failure);
	for (size_t i = 0; i < s->n_groups; i++)
		if (failure_rule_of(s, i) > ARMADA__TASK_FAILURE__TASK_FAILURE_REPLACE_TASK)
			return admit_no(a,
					"group %s: on_task_failure: policy %d is not known to this "
					"controller",
					s->groups[i]->name, s->groups[i]->on_task_failure);
	return 0;
}

int admit_on_failure(struct admission *a)
{
	const Armada__JobSpec *s = a->spec;
	Armada__TaskFailure rule = failure_rule_any(s);
	const char *word = rule == ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB ? "restart_job"
										  : "replace_task";

	if (check_rules(a) < 0)
		return -EINVAL;
	if (rule == ARMADA__TASK_FAILURE__TASK_FAILURE_FAIL_JOB)
		return 0;
	if (s->no_requeue)
		return admit_no(a,
				"--on-task-failure=%s runs tasks again, which --no-requeue forbids",
				word);
	if (s->gang_id[0] && rule != ARMADA__TASK_FAILURE__TASK_FAILURE_RESTART_JOB)
		return admit_no(a,
				"gang %s: --on-task-failure=%s cannot be used in a gang of jobs; "
				"restart_job restarts the whole gang",
				s->gang_id, word);
	if (launches_first(s) || s->interactive)
		return admit_no(a,
				"--on-task-failure=%s is for jobs whose tasks all run the "
				"program: add --launch=all",
				word);
	if (s->tasks_per_node > 1 || (s->nodes && !s->tasks_per_node))
		return admit_no(a,
				"--on-task-failure=%s is for tasks that are placed one by one: "
				"--ntasks-per-node is 1 at most",
				word);
	return 0;
}

/* The group as a job: with all its tasks, or with those of its minimum if it has one and does not grow. */
static Armada__JobSpec *view_of(struct admission *a, size_t group)
{
	Armada__JobSpec *view = group_view(a->spec, group, a->txn->arena);
	Armada__TaskGroup **list = arena_alloc(a->txn->arena, sizeof(*list));

	if (!group_minima(a->spec) || a->grows)
		return view;
	list[0] = arena_memdup(a->txn->arena, view->groups[0], sizeof(**list));
	list[0]->replicas = group_minimum_of(a->spec, group);
	view->groups = list;
	return view;
}

/*
 * Checks one group alone. If less than all tasks of the job may start, and it has no minimum, one task of it
 * is enough.
 */
static int fit_group(struct admission *a, Armada__JobSpec *view)
{
	struct admission one = {.txn = a->txn,
				.spec = view,
				.request = a->request,
				.err = a->err,
				.user = a->user,
				.grows = a->grows};
	int rc;

	view->min_available = a->spec->min_available && !group_minima(a->spec) ? 1 : 0;
	rc = admit_fit(&one);
	view->min_available = 0;
	a->unseen |= one.unseen;
	if (rc < 0 && !a->code)
		a->code = one.code;
	return rc < 0 ? err_prefix(a->err, rc, "group %s", view->name) : 0;
}

int admit_groups_fit(struct admission *a)
{
	size_t n = a->spec->n_groups;
	Armada__JobSpec **views = arena_alloc(a->txn->arena, n * sizeof(*views));
	struct gang_sum sum = {(const Armada__JobSpec **)views, n, n, a->spec->uniformity, 0};

	for (size_t i = 0; i < n; i++) {
		int rc;

		views[i] = view_of(a, i);
		rc = fit_group(a, views[i]);
		if (rc < 0)
			return rc;
	}
	if ((a->spec->min_available && !group_minima(a->spec)) || a->unseen)
		return 0;
	return admit_gang_fit(a, &sum);
}

int admit_groups_limits(struct admission *a)
{
	struct resources sum = {0}, want;
	uint64_t tasks = 0;
	int rc;

	if (a->txn->policy->hold_impossible)
		return 0;
	for (size_t i = 0; i < a->spec->n_groups; i++) {
		const Armada__TaskGroup *g = a->spec->groups[i];

		resources_of(g->resources, g->n_resources, &want);
		tasks += g->replicas;
		resources_add(&sum, &want, g->replicas);
	}
	want = sum;
	admit_add_licenses(a->spec, &want);
	rc = admit_running_quota(a, 1, &want);
	return rc < 0 ? rc : admit_limits_of(a, &sum, (uint32_t)tasks);
}
