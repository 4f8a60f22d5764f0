/*
 * Rules that must hold between inputs, checked from the state alone. For tests and the simulator.
 *
 * Input: the state between two inputs. Output: 0, or -EINVAL with the first broken rule. The
 * messages use the numbers of asim/storm/invariant/README.md. The sums that the folds keep are
 * counted again from jobs, elements and tasks and compared. Caveat: the cost is proportional to the
 * whole state, so armctld does not call it.
 */
#include "core/check.h"

#include "core/lifecycle/pending_lease.h"
#include "core/state/dependents.h"
#include "core/state/extra.h"
#include "core/state/stored.h"
#include "core/txn/steps.h"

#include <errno.h>

/* The minimum comes first; each extra task has one rank at most, and each further rank is of one. */
static int check_extras(const struct job *j, const struct element *e, struct err *err)
{
	uint32_t extras = 0;

	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if ((t->extra != 0) != (i >= e->extras->first) ||
		    (t->vacant && t->state != TASK_ENDED) ||
		    (t->leaving && t->state == TASK_ENDED) ||
		    (t->owed && (!t->vacant || extra_is_dropped(t))) ||
		    (t->extra && extra_task(e, t->extra - 1) != t))
			return err_set(err, -EINVAL,
				       "I7: rank %u of elastic %" PRIu64 "_%u is extra task %u", i,
				       j->id, e->index, t->extra);
		extras += t->extra != 0;
	}
	for (uint32_t g = 0; g < j->spec->group_count; g++) {
		uint32_t want = j->spec->groups ? j->spec->groups[g].replicas : j->spec->tasks;
		uint32_t has = extras_first_of(e, g) + extras_asked_of(e, g);

		if (has != want)
			return err_set(err, -EINVAL,
				       "I7: elastic %" PRIu64 "_%u has %u of %u tasks in group %u",
				       j->id, e->index, has, want, g);
	}
	if (e->task_count < e->extras->first || extras > e->extras->count)
		return err_set(err, -EINVAL, "I7: %" PRIu64 "_%u has %u of %u to %u tasks", j->id,
			       e->index, e->task_count, j->spec->least, j->spec->tasks);
	return 0;
}

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
	if (e->extras)
		return check_extras(j, e, err);
	if (e->task_count && !spec_starts_with(j->spec, e->task_count))
		return err_set(err, -EINVAL, "I7: %" PRIu64 "_%u has %u of %u tasks", j->id,
			       e->index, e->task_count, j->spec->tasks);
	return 0;
}

/*
 * An element whose lease is pending: no task was ever ordered, and the element waits only for its
 * room.
 */
static int check_promise(struct txn *txn, const struct job *j, const struct element *e,
			 struct err *err)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_LEASED ||
		    live_task(txn->live, &e->tasks[i])->accepted)
			return err_set(err, -EINVAL,
				       "%" PRIu64 "_%u has a pending lease and a started task",
				       j->id, e->index);
	if (!e->task_count || e->why || e->yields || e->state != ARMADA__JOB_STATE__JOB_CONFIGURING)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u has a pending lease in state %d",
			       j->id, e->index, e->state);
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].node->state != ARMADA__NODE_STATE__NODE_UP)
			return err_set(err, -EINVAL,
				       "%" PRIu64
				       "_%u has a pending lease on node %s, which is not up",
				       j->id, e->index, e->tasks[i].node->name);
	if (pending_lease_is_due(txn, e))
		return err_set(err, -EINVAL,
			       "I10: %" PRIu64
			       "_%u has the room for its pending lease, but was not released",
			       j->id, e->index);
	return 0;
}

/* Withheld elements wait, something is withheld, and each waiting edge hangs on its job. */
static int check_waits(const struct txn *txn, const struct job *j, struct err *err)
{
	const struct depend *d = j->depend;

	if (!d)
		return 0;
	for (size_t i = 0; d->withheld && i < d->withheld->count; i++)
		for (uint64_t n = d->withheld->ranges[i].lo; n <= d->withheld->ranges[i].hi; n++)
			if (!rangeset_contains(&j->waiting, (uint32_t)n))
				return err_set(err, -EINVAL,
					       "%" PRIu64 "_%u is withheld but does not wait",
					       j->id, (uint32_t)n);
	if (!j->waiting.total || (d->withheld && !d->withheld->total))
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " has dependencies but no withheld element", j->id);
	for (uint32_t i = 0; i < d->edge_count; i++) {
		const struct edge *e = &d->edges[i];
		const struct job *on =
			e->type == DEPENDENCY(SINGLETON) ? NULL : job_find(txn->state, e->job);

		if (e->on != (e->state == DEPEND_WAITS ? on : NULL))
			return err_set(err, -EINVAL,
				       "job %" PRIu64 " waits for job %" PRIu64
				       ", but is not linked to it",
				       j->id, e->job);
		if (e->state == DEPEND_WAITS && !on && e->type != DEPENDENCY(SINGLETON) && !e->met)
			return err_set(err, -EINVAL,
				       "job %" PRIu64 " waits for job %" PRIu64 ", which has ended",
				       j->id, e->job);
	}
	return 0;
}

/*
 * No more elements of an array run than its throttle allows, except the excess after a lower
 * throttle.
 */
static int check_throttle(const struct job *j, struct err *err)
{
	uint32_t most = j->spec->throttle > j->excess ? j->spec->throttle : j->excess;

	if (!j->spec->throttle || running_elements(j) <= most)
		return 0;
	return err_set(err, -EINVAL, "%u elements of job %" PRIu64 " run, but at most %u may",
		       running_elements(j), j->id, most);
}

static int check_job(struct txn *txn, const struct job *j, uint64_t *waiting, uint64_t *active,
		     struct err *err)
{
	int rc;

	if (job_over(j))
		return err_set(err, -EINVAL, "job %" PRIu64 " has ended but is in memory", j->id);
	if (j->id >= txn->state->next_job)
		return err_set(err, -EINVAL, "job %" PRIu64 " has an id above the next one", j->id);
	if (j->next && !running_elements(j))
		return err_set(err, -EINVAL, "job %" PRIu64 " waits for tasks that have ended",
			       j->id);
	*waiting += j->waiting.total;
	for (size_t i = 0; i < j->element_count; i++) {
		rc = check_element(j, j->elements[i], err);
		if (!rc && j->elements[i]->lease_pending)
			rc = check_promise(txn, j, j->elements[i], err);
		if (rc < 0)
			return rc;
		*active += j->elements[i]->task_count > 0;
	}
	rc = check_waits(txn, j, err);
	return rc < 0 ? rc : check_throttle(j, err);
}

/*
 * Members that have nodes and are not being ended were leased in one record, and no other member
 * waits.
 */
static int check_gang(const struct gang *g, struct err *err)
{
	const struct element *first = NULL;
	size_t held = 0, active = 0, withheld = 0, paused = 0;
	bool waits = false;

	for (size_t i = 0; i < g->count; i++) {
		const struct element *e = gang_element(g->members[i]);

		held += g->members[i]->held;
		withheld += g->members[i]->depend != NULL;
		active += e && e->task_count;
		paused += e && e->not_before_us;
		waits |= g->members[i]->waiting.total > 0;
		if (!e || !e->task_count || e->why)
			continue;
		if (first && (first->seq != e->seq || first->lease_pending != e->lease_pending))
			return err_set(err, -EINVAL,
				       "I7: gang %s: jobs %" PRIu64 " and %" PRIu64
				       " were not leased in one record",
				       gang_says(g)->id, first->job->id, e->job->id);
		first = e;
	}
	if (held != g->held || active != g->active || withheld != g->withheld ||
	    paused != g->paused)
		return err_set(
			err, -EINVAL,
			"gang %s has %zu held and %zu active members, the counters say %zu and "
			"%zu",
			gang_says(g)->id, held, active, g->held, g->active);
	if (first && waits)
		return err_set(err, -EINVAL,
			       "I7: gang %s: job %" PRIu64 " has nodes and another member waits",
			       gang_says(g)->id, first->job->id);
	return 0;
}

static int check_gangs(const struct state *state, struct err *err)
{
	for (const struct gang *of_id = state->gangs; of_id; of_id = of_id->hh.next)
		for (const struct gang *g = of_id; g; g = g->next) {
			int rc = check_gang(g, err);

			if (rc < 0)
				return rc;
		}
	return 0;
}

static int check_sum(const struct node *n, const struct resources *sum, const char *what,
		     struct err *err)
{
	for (size_t r = 0; r < resource_count(); r++)
		if (sum->amount[r] > n->total.amount[r] && n->state == ARMADA__NODE_STATE__NODE_UP)
			return err_set(err, -EINVAL, "I6: node %s %s %" PRId64 " of %" PRId64 " %s",
				       n->name, what, sum->amount[r], n->total.amount[r],
				       resource_name(r));
	return 0;
}

static int check_node(const struct node *n, struct err *err)
{
	struct resources sum;
	int rc;

	node_used(n, &sum);
	rc = check_sum(n, &sum, "holds", err);
	if (rc < 0)
		return rc;
	node_lasting(n, &sum);
	return check_sum(n, &sum, "has leased", err);
}

/* The sums of floating resources. Where a total was reduced, more may be held than there are. */
static int check_floating(const struct state *state, struct err *err)
{
	struct resources sum = {0};

	for (const struct queue *q = state->queues; q; q = q->hh.next)
		for (size_t r = 0; r < resource_count(); r++)
			if (resource_is_floating(r))
				sum.amount[r] += q->used.amount[r];
	for (size_t r = 0; r < resource_count(); r++)
		if (sum.amount[r] != state->floating_held.amount[r])
			return err_set(err, -EINVAL,
				       "queues hold %" PRId64 " %s, the counter says %" PRId64,
				       sum.amount[r], resource_name(r),
				       state->floating_held.amount[r]);
	return 0;
}

int core_state_check(struct txn *txn, struct err *err)
{
	uint64_t waiting = 0, active = 0;
	int rc;

	for (size_t i = 0; i < txn->state->job_slots; i++) {
		rc = txn->state->jobs[i]
			     ? check_job(txn, txn->state->jobs[i], &waiting, &active, err)
			     : 0;
		if (rc < 0)
			return rc;
	}
	if (waiting != txn->state->waiting || active != txn->state->active)
		return err_set(err, -EINVAL,
			       "counted %" PRIu64 " waiting and %" PRIu64
			       " active elements, the counters say %" PRIu64 " and %" PRIu64,
			       waiting, active, txn->state->waiting, txn->state->active);
	rc = queue_users_check(txn->state, err);
	if (rc == 0)
		rc = check_floating(txn->state, err);
	if (rc == 0)
		rc = stored_check(txn->state, err);
	if (rc == 0)
		rc = job_sets_check(txn->state, err);
	if (rc < 0)
		return rc;
	rc = check_gangs(txn->state, err);
	if (rc < 0)
		return rc;
	for (const struct node *n = txn->state->nodes; n; n = n->hh.next) {
		rc = check_node(n, err);
		if (rc < 0)
			return rc;
	}
	return steps_check(txn, err);
}
