#include "sched/model/model.h"
#include "util/names.h"

#include <errno.h>

static bool may_use(const struct model *m, const struct sched_job *job, const struct constraint *c,
		    uint32_t node)
{
	const struct node *n = &m->nodes.list[node];

	if (!n->present || !constraint_allows_class(c, &m->node_classes.list[n->kind]))
		return false;
	if (job->include_count && !names_have(job->include, job->include_count, n->name))
		return false;
	return !names_have(job->exclude, job->exclude_count, n->name);
}

/* Members that the node could hold if it were empty. */
static uint64_t room(const struct model *m, const struct sched_job *job, uint32_t node)
{
	return amounts_hold(nodes_total(m, node), job->request, m->dims,
			    job->distinct || job->exclusive ? 1 : UINT32_MAX);
}

/* The part of the request that even the best node lacks. */
static int too_much(const struct model *m, const struct sched_job *job, const bool *use,
		    const char *who, struct err *err)
{
	for (size_t r = 0; r < m->dims; r++) {
		uint32_t best = NIL;
		char want[32], have[32];

		for (uint32_t i = 0; i < m->nodes.count; i++)
			if (use[i] &&
			    (best == NIL || nodes_total(m, i)[r] > nodes_total(m, best)[r]))
				best = i;
		if (best == NIL || nodes_total(m, best)[r] >= job->request[r])
			continue;
		amounts_format(r, job->request[r], want, sizeof(want));
		amounts_format(r, nodes_total(m, best)[r], have, sizeof(have));
		return err_set(err, -ENOSPC, "%s has %s %s (largest: %s with %s)", who, want,
			       m->resources[r], m->nodes.list[best].name, have);
	}
	return err_set(err, -ENOSPC, "%s has all that is asked for together", who);
}

int sched_check_feasible(const struct sched *s, const struct sched_job *job, struct err *err)
{
	const struct model *m = model_of((struct sched *)s);
	struct constraint *c = constraint_new(job);
	struct arena *a = arena_new(0);
	bool *use = arena_zalloc(a, m->nodes.count + 1, sizeof(*use));
	uint64_t members = job->members ? job->members : 1, rooms = 0, usable = 0, present = 0;
	uint64_t least = m->partial_gangs && job->min_members ? job->min_members : members;
	int rc = 0;

	for (uint32_t i = 0; i < m->nodes.count; i++) {
		present += m->nodes.list[i].present;
		use[i] = may_use(m, job, c, i);
		usable += use[i];
		rooms += use[i] ? room(m, job, i) : 0;
	}
	if (present && !usable)
		rc = err_set(err, -ENOSPC,
			     "none of the %llu nodes has the labels, taints and name asked for",
			     (unsigned long long)present);
	else if (present && !rooms)
		rc = too_much(m, job, use, usable < present ? "no node it may use" : "no node",
			      err);
	else if (present && rooms < least)
		rc = err_set(err, -ENOSPC,
			     "needs room for %llu at once, and all nodes together hold %llu",
			     (unsigned long long)least, (unsigned long long)rooms);
	constraint_free(c);
	arena_free(a);
	return rc;
}
