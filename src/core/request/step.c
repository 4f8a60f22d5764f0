/*
 * STEP: runs another program in running tasks.
 *
 * Input: a job, an element, ranks (none: all that run) and a payload. Output: a step order with the
 * unchanged payload for each task, or a refusal if one of the tasks cannot take it. The step gets a
 * number; what is known of it is volatile (core/txn/steps.h), so a step order is never repeated.
 */
#include "core/lifecycle/orders.h"
#include "core/request/request.h"
#include "core/txn/reply.h"
#include "core/txn/steps.h"
#include "core/view/rights.h"

#define JOB(name) ARMADA__JOB_STATE__JOB_##name

/*
 * The size of all orders of one request: each task gets a copy of the payload. With what a node that is not
 * busy may have (NODE_BUSY_BYTES of armctld/sessions.h), they stay below the size of output at which the
 * connection of a node is closed.
 */
enum { PAYLOADS_MAX = 32 << 20 };

enum { EXIT_REFUSED = 1, EXIT_USAGE = 2, EXIT_NOT_FOUND = 3, EXIT_DENIED = 4, EXIT_AGAIN = 75 };

/*
 * True if the attempt is that of one of the tasks, or the last one. Tasks that joined an elastic element, or
 * were replaced, have attempt numbers of their own.
 */
static bool is_present(const struct element *e, uint32_t attempt)
{
	bool found = e->attempt == attempt;

	for (uint32_t i = 0; i < e->task_count && !found; i++)
		found = e->tasks[i].attempt == attempt;
	return found;
}

static bool check_state(struct txn *txn, const struct job *j, const struct element *e,
			const Armada__StepRequest *m)
{
	int state = e && e->task_count ? e->state : JOB(PENDING);

	if (m->attempt && e && !is_present(e, m->attempt))
		reply_refuse(txn, EXIT_REFUSED,
			     "attempt %u of job %" PRIu64
			     " has ended: attempt %u is the present one",
			     m->attempt, j->id, e->attempt);
	else if (state == JOB(RUNNING))
		return true;
	else if (state == JOB(PENDING))
		reply_refuse(txn, EXIT_REFUSED, "job %" PRIu64 " waits: steps need a running job",
			     j->id);
	else if (state == JOB(CONFIGURING))
		reply_refuse(txn, EXIT_AGAIN, "job %" PRIu64 " is being started", j->id);
	else if (state == JOB(UNKNOWN))
		reply_refuse(txn, EXIT_AGAIN, "a node of job %" PRIu64 " does not answer", j->id);
	else
		reply_refuse(txn, EXIT_REFUSED, "job %" PRIu64 " is being ended", j->id);
	return false;
}

/* The named tasks, each counted once; without a name those that run. NULL: the request was refused. */
static bool *name_tasks(struct txn *txn, const struct element *e, const Armada__StepRequest *m,
			uint32_t *ret_count)
{
	bool *named = arena_zalloc(txn->arena, e->task_count, sizeof(*named));

	*ret_count = 0;
	for (uint32_t i = 0; !m->n_ranks && i < e->task_count; i++)
		*ret_count += named[i] = !e->extras || task_takes_steps(&e->tasks[i]);
	for (size_t i = 0; i < m->n_ranks; i++) {
		const Armada__IndexRange *r = m->ranks[i];

		if (r->last < r->first || r->last >= e->task_count) {
			reply_refuse(txn, EXIT_USAGE,
				     "tasks %u to %u: job %" PRIu64 " has tasks 0 to %u", r->first,
				     r->last, e->job->id, e->task_count - 1);
			return NULL;
		}
		for (uint64_t rank = r->first; rank <= r->last; rank += r->step ? r->step : 1) {
			*ret_count += !named[rank];
			named[rank] = true;
		}
	}
	return named;
}

/* The node has not read its earlier orders yet. */
static bool is_busy(const struct input *in, uint64_t conn)
{
	for (size_t i = 0; i < in->busy_count; i++)
		if (in->busy[i] == conn)
			return true;
	return false;
}

static bool check_task(struct txn *txn, const struct task *t)
{
	uint64_t id = t->element->job->id, conn = live_node(txn->live, t->node)->conn;

	if (t->leaving || t->vacant)
		reply_refuse(txn, EXIT_REFUSED,
			     "task %u of job %" PRIu64
			     " has left the job: it was on node %s, and waits for room",
			     t->rank, id, t->node->name);
	else if (t->state == TASK_ENDED)
		reply_refuse(txn, EXIT_REFUSED, "task %u of job %" PRIu64 " has ended", t->rank,
			     id);
	else if (t->state != TASK_STARTED)
		reply_refuse(txn, EXIT_AGAIN, "task %u of job %" PRIu64 " is being started",
			     t->rank, id);
	else if (!conn)
		reply_refuse(txn, EXIT_AGAIN,
			     "node %s of task %u of job %" PRIu64 " is not connected",
			     t->node->name, t->rank, id);
	else if (is_busy(txn->in, conn))
		reply_refuse(txn, EXIT_AGAIN,
			     "node %s of task %u of job %" PRIu64
			     " has not read its earlier orders yet: try again",
			     t->node->name, t->rank, id);
	else
		return true;
	return false;
}

static bool check_payload(struct txn *txn, size_t len, uint32_t tasks)
{
	if (!len || len > STEP_PAYLOAD_MAX)
		reply_refuse(txn, EXIT_USAGE, "a step's payload has 1 to %d bytes, not %zu",
			     STEP_PAYLOAD_MAX, len);
	else if ((uint64_t)len * tasks > PAYLOADS_MAX)
		reply_refuse(
			txn, EXIT_REFUSED,
			"%u tasks are too many for one request with a payload of %zu bytes: at "
			"most %zu",
			tasks, len, PAYLOADS_MAX / len);
	else
		return true;
	return false;
}

static const struct job *find_job(struct txn *txn, uint64_t id)
{
	const struct job *j = job_find(txn->state, id);

	if (!j || !rights_sees(txn, j))
		reply_refuse(txn, EXIT_NOT_FOUND, "job %" PRIu64 " does not exist, or has ended",
			     id);
	else if (!rights_may(txn, txn->in->caller, VERB_STEP, j, NULL))
		reply_refuse(txn, EXIT_DENIED,
			     "job %" PRIu64 " belongs to %s: only the owner may run steps in it",
			     id, j->user->name);
	else
		return j;
	return NULL;
}

/*
 * Does the controller know the step? Otherwise it runs as well, without a number: a node of an earlier
 * release reports no steps, the tables are full, or it is a further layer of a step without a number or of a
 * forgotten one.
 */
static bool is_known(struct txn *txn, const struct element *e, const Armada__StepRequest *m,
		     const bool *named, uint32_t tasks)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (named[i] && !live_node(txn->live, e->tasks[i].node)->steps)
			return false;
	if (m->layer > UINT16_MAX || (m->layer && !m->step) ||
	    (m->step && !step_find(steps_of(txn, e), m->step - 1)))
		return false;
	return steps_admit(txn, e, !m->step, tasks);
}

/* Returns 1 + the number of the step; 0: it has none. */
static uint32_t note_step(struct txn *txn, const struct element *e, const Armada__StepRequest *m,
			  const bool *named, uint32_t tasks)
{
	uint32_t number;

	if (!is_known(txn, e, m, named, tasks))
		return 0;
	number = m->step ? m->step - 1 : step_begin(txn, e, m->command);
	step_add_tasks(txn, e, number, named, m->layer);
	return number + 1;
}

void req_step(struct txn *txn, const Armada__StepRequest *m)
{
	Armada__StepReply r = ARMADA__STEP_REPLY__INIT;
	const struct job *j = find_job(txn, m->job);
	const struct element *e = j ? element_find(j, m->element) : NULL;
	uint8_t digest[32];
	const bool *named;
	uint32_t step;

	if (!j || !check_state(txn, j, e, m))
		return;
	named = name_tasks(txn, e, m, &r.ordered);
	if (!named || !check_payload(txn, m->payload.len, r.ordered))
		return;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (named[i] && !check_task(txn, &e->tasks[i]))
			return;
	step = note_step(txn, e, m, named, r.ordered);
	order_digest(m->payload.data, m->payload.len, digest);
	for (uint32_t i = 0; i < e->task_count; i++)
		if (named[i])
			order_step_task(txn, &e->tasks[i], &m->payload, digest,
					step ? order_step_number(step - 1, m->layer) : 0);
	r.step = step ? step : m->step;
	r.attempt = e->attempt;
	r.tasks = e->task_count;
	reply(txn, MSG_STEP_REPLY, &r);
}
