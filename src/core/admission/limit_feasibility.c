/*
 * Whether the limits of armada.conf would ever let a job start (limit_feasibility.h).
 *
 * Input: a spec, or the sum of a gang. Output: 0, or a refusal that names the limit. Three kinds
 * are checked: counts of a round and of bursts, fractions of the cluster (queue, class), and
 * absolute numbers (running_quota.h).
 */
#include "core/admission/limit_feasibility.h"

#include "core/admission/licenses.h"
#include "core/admission/running_quota.h"
#include "core/admission/task_groups.h"
#include "core/admission/user_queue.h"
#include "proto/task_division.h"
#include "util/mem.h"

#include <string.h>

void admit_gang(const struct admission *a, struct resources *ret_want, uint32_t *ret_members,
		uint32_t *ret_each)
{
	struct task_division d = task_division_of(a->spec);
	struct resources one;

	*ret_each = d.each;
	*ret_members = d.members;
	spec_task_request(a->spec, &one);
	*ret_want = (struct resources){0};
	resources_add(ret_want, &one, d.each);
}

static int check_counts(struct admission *a, uint32_t members)
{
	const struct sched_limits *l = &a->txn->policy->limits;
	const struct {
		double most;
		const char *says;
	} counts[] = {
		{(double)l->jobs_per_round, "a round starts (scheduler.max_jobs_per_round)"},
		{l->rate.burst, "the cluster starts at once (scheduler.burst)"},
		{l->queue_rate.burst, "a queue starts at once (scheduler.queue_burst)"},
	};

	for (size_t i = 0; i < ARRAY_SIZE(counts); i++)
		if (counts[i].most > 0 && members > counts[i].most)
			return admit_no(a, "%u %s must start together, more than the %g that %s",
					members, a->spec->nodes ? "nodes" : "tasks", counts[i].most,
					counts[i].says);
	return 0;
}

static int check_fraction(struct admission *a, const struct sched_fraction *f,
			  const struct resources *want, uint32_t members, const char *where)
{
	const struct txn *txn = a->txn;

	for (size_t r = 0; r < resource_count(); r++) {
		const char *name = resource_name(r);
		double all = 0, asked = (double)want->amount[r] * members;
		char may[32], asks[32];

		if (!(f->limited >> r & 1) || !want->amount[r])
			continue;
		for (const struct node *n = txn->state->nodes; n; n = n->hh.next)
			all += (double)n->total.amount[r];
		if (asked <= f->of[r] * all)
			continue;
		admit_amount(name, (int64_t)(f->of[r] * all), may, sizeof(may));
		admit_amount(name, asked < 9e18 ? (int64_t)asked : INT64_MAX, asks, sizeof(asks));
		return admit_no(a,
				"%s: %s at once is more than the %s (%g of all) that %s may hold",
				name, asks, may, f->of[r], where);
	}
	return 0;
}

static const struct sched_fraction *class_limit(const struct core_policy *p, const char *name)
{
	size_t i = 0;

	while (i + 1 < p->class_count && strcmp(p->classes[i].name, name) != 0)
		i++;
	return &p->classes[i].limit;
}

/* Checks the fractions of the cluster for `members` that each ask for `want`. */
static int check_reach(struct admission *a, const struct resources *want, uint32_t members)
{
	const struct core_policy *p = a->txn->policy;
	const struct queue *q = user_queue_for(a->txn, a->spec->queue);
	const struct sched_fraction *own;
	const char *where;
	int rc;

	if (!a->txn->state->nodes || a->unseen || !q)
		return 0;
	where = arena_printf(a->txn->arena, "queue '%s'", a->spec->queue);
	rc = check_fraction(a, &q->limit, want, members, where);
	if (rc < 0)
		return rc;
	own = queue_class_limit(q, a->spec->priority_class);
	where = arena_printf(a->txn->arena, "queue '%s' in class '%s'", a->spec->queue,
			     a->spec->priority_class);
	rc = own ? check_fraction(a, own, want, members, where) : 0;
	if (rc < 0)
		return rc;
	where = arena_printf(a->txn->arena, "a queue in class '%s'", a->spec->priority_class);
	return check_fraction(a, class_limit(p, a->spec->priority_class), want, members, where);
}

/* Checks one element. The members of a gang of jobs are checked together elsewhere. */
int admit_limits(struct admission *a)
{
	struct resources one, all = {0};
	int rc;

	if (a->spec->n_groups > 1)
		return admit_groups_limits(a);
	if (a->txn->policy->hold_impossible)
		return 0;
	spec_task_request(a->spec, &one);
	resources_add(&all, &one, a->spec->groups[0]->replicas);
	admit_add_licenses(a->spec, &all);
	rc = check_counts(a, task_division_of(a->spec).members);
	if (rc == 0)
		rc = admit_running_quota(a, 1, &all);
	return rc < 0 ? rc : check_reach(a, &one, a->spec->groups[0]->replicas);
}

int admit_limits_of(struct admission *a, const struct resources *sum, uint32_t members)
{
	int rc = check_counts(a, members);

	return rc < 0 ? rc : check_reach(a, sum, 1);
}
