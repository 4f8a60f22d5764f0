/* What must hold between inputs, checked from the state alone. For tests and the simulator. */
#include "core/fold.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>

static int check_element(const struct job *j, const struct element *e, struct err *err)
{
	bool waits = rangeset_contains(&j->waiting, e->index);
	bool pending = e->state == ARMADA__JOB_STATE__JOB_PENDING;

	if (state_is_terminal(e->state))
		return err_set(err, -EINVAL, "I4: %" PRIu64 "_%u is terminal and in memory", j->id,
			       e->index);
	if (pending != !e->task_count || pending != waits)
		return err_set(err, -EINVAL, "I3: %" PRIu64 "_%u: state %d, %u tasks, %s", j->id,
			       e->index, e->state, e->task_count,
			       waits ? "waiting" : "not waiting");
	if (e->task_count && e->task_count != j->spec->tasks)
		return err_set(err, -EINVAL, "I7: %" PRIu64 "_%u has %u of %u tasks", j->id,
			       e->index, e->task_count, j->spec->tasks);
	return 0;
}

static int check_job(const struct core *c, const struct job *j, uint64_t *waiting, uint64_t *active,
		     struct err *err)
{
	int rc;

	if (job_over(j))
		return err_set(err, -EINVAL, "job %" PRIu64 " is over and in memory", j->id);
	if (j->id >= c->next_job)
		return err_set(err, -EINVAL, "job %" PRIu64 " is beyond the next id", j->id);
	*waiting += j->waiting.total;
	for (size_t i = 0; i < j->element_count; i++) {
		rc = check_element(j, j->elements[i], err);
		if (rc < 0)
			return rc;
		*active += j->elements[i]->task_count > 0;
	}
	return 0;
}

static int check_node(struct core *c, const struct node *n, struct err *err)
{
	struct resources used;

	node_allocated(n, &used);
	for (size_t r = 0; r < c->resource_count; r++)
		if (used.amount[r] > n->total.amount[r] && n->state == ARMADA__NODE_STATE__NODE_UP)
			return err_set(err, -EINVAL,
				       "I6: node %s holds %" PRId64 " of %" PRId64 " %s", n->name,
				       used.amount[r], n->total.amount[r], c->resource_names[r]);
	return 0;
}

int core_check(const struct core *c, struct err *err)
{
	uint64_t waiting = 0, active = 0;
	int rc;

	for (size_t i = 0; i < c->job_slots; i++) {
		rc = c->jobs[i] ? check_job(c, c->jobs[i], &waiting, &active, err) : 0;
		if (rc < 0)
			return rc;
	}
	if (waiting != c->waiting || active != c->active)
		return err_set(err, -EINVAL,
			       "counted %" PRIu64 " waiting and %" PRIu64
			       " active elements, the books say %" PRIu64 " and %" PRIu64,
			       waiting, active, c->waiting, c->active);
	for (const struct node *n = c->nodes; n; n = n->hh.next) {
		rc = check_node((struct core *)c, n, err);
		if (rc < 0)
			return rc;
	}
	return 0;
}

bool core_idle(const struct core *c)
{
	return c->job_live == 0;
}
