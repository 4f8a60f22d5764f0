/*
 * Elements and their tasks: lease, launch, start, end, and the verdict at the end.
 *
 * Input: decisions (element_lease_on, element_end, waiting_end), reports (task_start) and proofs of
 * death (task_end). Output: events and orders. Read from task_end() upward. task_end() notes the
 * end of one task; after_end() decides what follows for the others; conclude() runs when no live
 * task and no open replacement is left. judge() finds the final state from the task that decides,
 * the task failure policy and the reason of the ending (e->why). Then the element is requeued or
 * ended.
 *
 * Caveat: conclude() may remove the element and its job from memory. Callers of element_end() and
 * task_end() must not use them afterwards.
 */
#include "core/lifecycle/element.h"

#include "core/lifecycle/element_known.h"
#include "core/lifecycle/gang.h"
#include "core/view/lease_time.h"
#include "core/lifecycle/job_restart.h"
#include "core/lifecycle/node_health.h"
#include "core/lifecycle/node_life.h"
#include "core/lifecycle/orders.h"
#include "core/lifecycle/pending_lease.h"
#include "core/lifecycle/restart_pause.h"
#include "core/lifecycle/start_barrier.h"
#include "core/lifecycle/task_failure_policy.h"
#include "core/lifecycle/task_replacement.h"
#include "core/state/extra.h"
#include "core/txn/emit.h"
#include "core/txn/job_row.h"
#include "core/txn/steps.h"
#include "core/view/job_rows.h"
#include "core/view/wait_text.h"
#include "util/mem.h"
#include "util/plural.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define END(name) ARMADA__END_CAUSE__END_##name
#define JOB(name) ARMADA__JOB_STATE__JOB_##name
#define WHY(name) ARMADA__END_REASON__##name

static void check_allowed(struct txn *txn, const struct element *e, enum element_event ev)
{
	if (machine_next(e->state, ev) == NEXT_NONE)
		effect_log(txn, 3,
			   "internal: element %" PRIu64 "_%u in state %d cannot take event %d",
			   e->job->id, e->index, e->state, ev);
	assert(machine_next(e->state, ev) != NEXT_NONE);
}

void element_lease_on(struct txn *txn, const struct job *j, uint32_t index,
		      const struct lease *lease)
{
	const struct element *e = element_find(j, index);
	Armada__ElementLeased *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_LEASED, &m);
	const struct element *leased;

	m->job = j->id;
	m->element = index;
	m->attempt = e ? e->attempt + 1 : 1;
	m->nodes = lease->nodes;
	m->n_nodes = lease->node_count;
	m->lease_pending = lease->lease_pending;
	m->gang_members = lease->gang_members;
	m->lease_ms = lease_ms_of(txn, j);
	m->time_limit_s = lease->limit_s;
	m->groups = lease->groups;
	m->n_groups = lease->group_count;
	m->extras = j->spec->elastic ? txn->state->next_replacement : 0;
	emit_event(txn, ev);
	leased = element_find(j, index);
	if (!lease->lease_pending && lease->gang_members <= 1)
		element_launch(txn, leased);
}

void element_launch(struct txn *txn, const struct element *e)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		order_launch_task(txn, &e->tasks[i]);
}

static bool has_live_task(const struct element *e)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED)
			return true;
	return false;
}

static Armada__EndCause kill_cause(Armada__EndReason why)
{
	switch (why) {
	case WHY(ENDING_PREEMPT):
		return END(PREEMPTED);
	case WHY(ENDING_TASK_FAILED):
	case WHY(ENDING_LAUNCH):
	case WHY(ENDING_NODE):
	case WHY(ENDING_RESTART):
	case WHY(ENDING_DONE):
	case WHY(ENDING_GATE):
	case WHY(ENDING_FIRST):
		return END(GANG);
	default:
		return END(CANCELLED);
	}
}

static void conclude(struct txn *txn, const struct element *e);

/* "": the job is not in memory. */
static char *queue_of(struct txn *txn, uint64_t job)
{
	const struct job *j = job ? job_find(txn->state, job) : NULL;

	return arena_strdup(txn->arena, j ? j->queue->name : "");
}

void element_end(struct txn *txn, const struct element *e, Armada__EndReason why, const char *text,
		 uint32_t by_uid)
{
	Armada__ElementEnding *m;
	Armada__Event *ev;

	/* an element that is being ended can still be cancelled; then it is not requeued */
	if (machine_next(e->state, EV_END_ORDERED) == NEXT_NONE ||
	    (e->why && why != WHY(ENDING_CANCEL)))
		return;
	assert(!e->lease_pending);
	ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDING, &m);
	m->job = e->job->id;
	m->element = e->index;
	m->why = why;
	m->text = arena_strdup(txn->arena, text);
	m->by_uid = by_uid;
	m->for_job = txn->for_job;
	m->for_element = txn->for_element;
	m->for_queue = queue_of(txn, txn->for_job);
	emit_event(txn, ev);
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED)
			order_kill_task(txn, &e->tasks[i], kill_cause(why));
	/* with task replacement, the last tasks may all have been waiting for a node */
	if (!has_live_task(e))
		conclude(txn, e);
}

void waiting_end(struct txn *txn, const struct job *j, const struct rangeset *which,
		 const char *reason)
{
	Armada__ElementEnded *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);
	struct rangeset plain = {0};

	/* elements that used an attempt number have their own struct: one range for each */
	rangeset_copy(&plain, which);
	m->elements = arena_alloc(txn->arena,
				  (which->count * 2 + j->element_count * 2) * sizeof(*m->elements));
	for (size_t i = 0; i < j->element_count; i++) {
		const struct element *e = j->elements[i];

		if (!rangeset_contains(which, e->index))
			continue;
		rangeset_remove(&plain, e->index, e->index);
		m->elements[m->n_elements++] = range_message(e->index, e->index, 0, txn->arena);
	}
	/* the last range first: then each costs the same, however many are waiting */
	for (size_t i = plain.count; i-- > 0;)
		m->elements[m->n_elements++] =
			range_message(plain.ranges[i].lo, plain.ranges[i].hi, 0, txn->arena);
	rangeset_done(&plain);
	m->job = j->id;
	m->state = JOB(CANCELLED);
	m->reason = arena_strdup(txn->arena, reason);
	m->end_us = txn->clock_us;
	emit_event(txn, ev);
}

void task_start(struct txn *txn, const struct task *t, int64_t start_us)
{
	const struct element *e = t->element;
	Armada__TaskStarted *m;
	Armada__Event *ev;

	if (t->state != TASK_LEASED)
		return;
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_STARTED, &m);
	m->key = task_key_message(t, t->attempt, txn->arena);
	m->start_us = start_us;
	m->all = !e->start_us; /* false: a replacement started */
	for (uint32_t i = 0; i < e->task_count; i++)
		if (&e->tasks[i] != t && e->tasks[i].state == TASK_LEASED)
			m->all = false;
	emit_event(txn, ev);
	txn->wants_round |= m->all && e->extras; /* tasks may join from now on */
	node_did_well(txn, t->node);
}

/* The verdict on an element whose tasks have all ended. */
struct verdict {
	bool requeue;
	Armada__JobState state;
	int32_t exit_code, exit_signal;
	const char *reason;
};

static const struct {
	Armada__JobState state;
	bool again; /* the job is not the reason: it may run again */
	const char *text;
	bool elsewhere; /* the node is the reason: other nodes are tried first */
} verdicts[] = {
	[END(UNSET)] = {JOB(FAILED), false, "its end was reported without a cause", false},
	[END(EXITED)] = {JOB(COMPLETED), false, "", false},
	[END(SIGNALED)] = {JOB(FAILED), false, "", false},
	[END(TIME_LIMIT)] = {JOB(TIMEOUT), false, "it reached its time limit", false},
	[END(CANCELLED)] = {JOB(CANCELLED), false, "it was cancelled", false},
	[END(PREEMPTED)] = {JOB(PREEMPTED), true, "it was preempted", false},
	[END(LAUNCH_FAILED)] = {JOB(FAILED), false, "it could not be started", false},
	[END(REFUSED)] = {JOB(FAILED), true, "its node refused it", true},
	[END(LOST)] = {JOB(NODE_FAIL), true, "its node failed", false},
	[END(OUT_OF_MEMORY)] = {JOB(OUT_OF_MEMORY), false, "it used more memory than it requested",
				false},
	[END(GANG)] = {JOB(FAILED), false, "another task of its gang ended", false},
	[END(SHUTDOWN)] = {JOB(NODE_FAIL), true, "its node was shut down", false},
	[END(LEASE)] = {JOB(NODE_FAIL), true,
			"its node had no contact with the controller for longer than the lease",
			false},
	[END(NODE)] = {JOB(NODE_FAIL), true, "its node could not set it up", true},
	[END(ACCOUNT)] = {JOB(NODE_FAIL), true, "its node does not run tasks of its user", true},
};

bool node_is_to_blame(uint8_t cause)
{
	return cause < ARRAY_SIZE(verdicts) && verdicts[cause].elsewhere;
}

static uint8_t known_cause(const struct task *t)
{
	return t->cause < ARRAY_SIZE(verdicts) ? t->cause : (uint8_t)END(UNSET);
}

/*
 * The task whose end decides: a task that failed by itself comes before tasks that succeeded, and
 * these before tasks that ended with the gang. Of several exit codes the greatest counts. If the
 * first task ended the element (ENDING_FIRST), it decides. If the job continues after failures in
 * some groups, failed tasks of the groups with the rule fail_job come before all others.
 */
static const struct task *deciding_task(const struct element *e)
{
	const struct task *worst = &e->tasks[0], *fatal = NULL;

	if (e->why == WHY(ENDING_FIRST))
		return worst;
	if (e->job->spec->outlives_failures && (!e->why || e->why == WHY(ENDING_TASK_FAILED)))
		fatal = task_failure_fatal(e);
	if (fatal)
		worst = fatal;
	for (uint32_t i = 0; i < e->task_count; i++) {
		const struct task *t = &e->tasks[i];

		if (t->cause == END(GANG) || t->vacant || (fatal && !task_failure_is_fatal(t)))
			continue;
		if (worst->cause == END(GANG) ||
		    (worst->cause == END(EXITED) && !worst->exit_code) ||
		    (t->cause == END(EXITED) && worst->cause == END(EXITED) &&
		     t->exit_code > worst->exit_code))
			worst = t;
	}
	return worst;
}

static bool is_out_of_time(const struct element *e)
{
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].cause == END(TIME_LIMIT))
			return true;
	return false;
}

/* Extra tasks that were taken back, which the element did not lose by a failure. */
static uint32_t taken_back(const struct element *e)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < e->task_count; i++)
		n += e->tasks[i].vacant && !e->tasks[i].owed;
	return n;
}

/* Applies the task failure policy. v: the verdict by the deciding task, before the policy. */
static void judge_by_policy(struct txn *txn, const struct element *e, struct verdict *v)
{
	const struct spec *s = e->job->spec;
	bool goes_on = s->outlives_failures && (e->why || !task_failure_fatal(e));
	uint32_t good = task_failure_good_tasks(e), failed = e->task_count - good - taken_back(e);

	if (e->why == WHY(ENDING_DONE) || (!e->why && goes_on && !task_failure_too_few(e))) {
		*v = (struct verdict){.state = JOB(COMPLETED), .reason = ""};
		if (!e->why && failed)
			v->reason =
				arena_printf(txn->arena, "%u of %u %s failed", failed,
					     e->task_count, plural(e->task_count, "task", "tasks"));
	} else if (e->why == WHY(ENDING_RESTART) || (!e->why && goes_on)) {
		v->requeue = true;
		if (v->state == JOB(COMPLETED))
			v->state = JOB(FAILED);
		v->reason = arena_printf(txn->arena, "%s%s%s", e->text ? e->text : "",
					 e->text && v->reason[0] ? ": " : "", v->reason);
	} else if (e->why == WHY(ENDING_CANCEL) && goes_on && v->state != JOB(COMPLETED)) {
		v->state = JOB(CANCELLED);
		v->requeue = false;
		v->reason = e->text ? e->text : verdicts[END(CANCELLED)].text;
	}
}

static const char *whose_end(struct txn *txn, const struct task *t, const char *text)
{
	return arena_printf(txn->arena, "task %u on node %s: %s", t->rank, t->node->name, text);
}

static struct verdict judge(struct txn *txn, const struct element *e)
{
	const struct task *t = deciding_task(e);
	uint8_t cause = known_cause(t);
	struct verdict v = {
		.state = verdicts[cause].state,
		.requeue = verdicts[cause].again,
		.exit_code = t->exit_code,
		.exit_signal = t->exit_signal,
		.reason = t->text ? t->text : verdicts[cause].text,
	};

	if (e->task_count > 1 && v.requeue)
		v.reason = whose_end(txn, t, v.reason);
	if (cause == END(EXITED) && t->exit_code) {
		v.state = JOB(FAILED);
		v.reason = arena_printf(txn->arena, "exit code %d", t->exit_code);
	} else if (cause == END(SIGNALED)) {
		v.reason = arena_printf(txn->arena, "ended by signal %d (%s)", t->exit_signal,
					strsignal(t->exit_signal));
	}
	if (!is_out_of_time(e))
		judge_by_policy(txn, e, &v);
	if (v.state == JOB(COMPLETED))
		return v;
	/* cancelled, but the task did not exit: its node lost it, or refused to start it */
	if (e->why == WHY(ENDING_CANCEL) && cause != END(EXITED) && cause != END(SIGNALED)) {
		v.state = JOB(CANCELLED);
		v.requeue = false;
		v.reason = e->text ? e->text : verdicts[END(CANCELLED)].text;
	} else if (e->why == WHY(ENDING_GATE)) {
		v.requeue = true;
		v.reason = e->text ? e->text : v.reason;
	} else if (e->why == WHY(ENDING_PREEMPT) || e->why == WHY(ENDING_REQUEUE)) {
		v.state = JOB(PREEMPTED);
		v.requeue = true;
		v.reason = e->text ? e->text : verdicts[END(PREEMPTED)].text;
	}
	return v;
}

/* Adds the nodes that caused the failure, unless the element was preempted or requeued. */
static void note_avoided(struct txn *txn, const struct element *e, Armada__ElementRequeued *m)
{
	if (!txn->policy->avoid_us || e->why == WHY(ENDING_PREEMPT) ||
	    e->why == WHY(ENDING_REQUEUE))
		return;
	m->avoid = arena_alloc(txn->arena, e->task_count * sizeof(*m->avoid));
	m->avoid_until_us = txn->clock_us + txn->policy->avoid_us;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state == TASK_ENDED && node_is_to_blame(e->tasks[i].cause))
			m->avoid[m->n_avoid++] = e->tasks[i].node->name;
}

/* A preemption or an orderly shutdown of the machine is a decision, not a failure. */
static bool is_failure(const struct element *e, const struct verdict *v)
{
	return v->state != JOB(PREEMPTED) && deciding_task(e)->cause != END(SHUTDOWN);
}

/* True if the job itself is the reason of the failure, and not a node or the system. */
static bool is_own_failure(const struct element *e, const struct verdict *v)
{
	const struct task *t = deciding_task(e);

	return is_failure(e, v) && e->why != WHY(ENDING_GATE) && t->cause != END(GANG) &&
	       !verdicts[known_cause(t)].again;
}

static void requeue(struct txn *txn, const struct element *e, uint32_t failures,
		    const struct verdict *v)
{
	Armada__ElementRequeued *m;
	Armada__Event *ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_REQUEUED, &m);
	const char *attempt = arena_printf(txn->arena, "attempt %u: %s", e->attempt, v->reason);
	bool failed = is_own_failure(e, v);

	check_allowed(txn, e, EV_REQUEUE);
	m->job = e->job->id;
	m->element = e->index;
	m->reason = arena_strdup(txn->arena, v->reason); /* it may be the text of the element */
	m->state = v->state;
	m->exit_code = v->exit_code;
	m->exit_signal = v->exit_signal;
	m->failures = failures;
	m->restarts = restart_pause_count(e, failed);
	m->not_before_us = restart_pause_end(txn, e, m->restarts, failed);
	note_avoided(txn, e, m);
	emit_event(txn, ev);
	if (e->job->gang)
		gang_go_back(txn, e->job, attempt);
	job_restart_settle(txn, m->job);
}

/* The reason, with the failed tasks that the element continued without: the history shows them. */
static char *reason_with_gap(struct txn *txn, const struct element *e, const char *reason)
{
	const char *gap = wait_text_gap(e, txn->arena);

	return arena_printf(txn->arena, "%s%s%s", reason, *reason && *gap ? "; " : "", gap);
}

static uint32_t requeues_max(const struct txn *txn, const struct job *j)
{
	if (j->spec->max_requeues)
		return j->spec->max_requeues;
	return txn->policy->max_requeues ? txn->policy->max_requeues : FAILURES_MAX;
}

/* Ends an element that was requeued often enough. In a gang the failures of each member count for all. */
static void bound_requeues(struct txn *txn, const struct element *e, struct verdict *v,
			   uint32_t failures)
{
	uint32_t n = failures;

	if (e->job->gang && is_own_failure(e, v) && restart_pause_count(e, true) > n)
		n = restart_pause_count(e, true);
	if (!v->requeue || !job_may_requeue(e->job) || failures == e->failures ||
	    n <= requeues_max(txn, e->job))
		return;
	v->requeue = false;
	v->reason = arena_printf(txn->arena, "%s; it was requeued %u %s, which is its limit",
				 v->reason, n - 1, plural(n - 1, "time", "times"));
}

static void conclude(struct txn *txn, const struct element *e)
{
	struct verdict v = judge(txn, e);
	uint32_t failures = e->failures + is_failure(e, &v);
	Armada__ElementEnded *m;
	Armada__Event *ev;
	Armada__JobRow row;

	bound_requeues(txn, e, &v, failures);
	if (v.requeue && job_may_requeue(e->job)) {
		requeue(txn, e, failures, &v);
		return;
	}
	check_allowed(txn, e, EV_CONCLUDE);
	job_rows_fill(txn, e->job, e, txn->arena, &row);
	ev = emit_make(txn, ARMADA__EVENT__KIND_ELEMENT_ENDED, &m);
	m->job = e->job->id;
	m->elements = row.elements;
	m->n_elements = 1;
	m->state = v.state;
	m->exit_code = v.exit_code;
	m->exit_signal = v.exit_signal;
	m->reason = reason_with_gap(txn, e, v.reason);
	m->attempt = e->attempt;
	m->usage = row.usage;
	job_row_times(txn, e, &m->start_us, &m->end_us);
	emit_event(txn, ev);
	job_restart_settle(txn, m->job);
}

static Armada__EndReason end_reason(const struct task *t)
{
	return t->cause == END(LAUNCH_FAILED) || node_is_to_blame(t->cause)
		       ? WHY(ENDING_LAUNCH)
		       : WHY(ENDING_TASK_FAILED);
}

/*
 * An extra task that the system lost, and not the job, waits again, as if it had been taken back. After
 * many such ends its rule counts.
 */
static bool joins_again(const struct task *t, uint32_t most)
{
	return t->extra && verdicts[known_cause(t)].again && t->failures < most;
}

static enum failure failure_of(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;
	uint32_t most = requeues_max(txn, e->job);
	enum failure f;

	if (e->why || task_ended_well(t))
		return FAILURE_PASSES;
	if (t->vacant) /* it was taken back: the others continue if they are enough */
		return e->job->spec->outlives_failures && task_failure_too_few(e) ? FAILURE_RESTARTS
										  : FAILURE_PASSES;
	f = task_failure_of(t, most);
	return f != FAILURE_RESTARTS && joins_again(t, most) ? FAILURE_REPLACES : f;
}

static bool is_over(const struct element *e)
{
	return !has_live_task(e) && !e->replacements && !extras_owed(e);
}

void element_conclude_if_over(struct txn *txn, const struct element *e)
{
	if (is_over(e))
		conclude(txn, e);
}

/* The end of t is noted. Decides what follows for its element: nothing, an end, a replacement. */
static void after_end(struct txn *txn, const struct task *t)
{
	const struct element *e = t->element;
	enum failure f = failure_of(txn, t);
	bool nodes_fault = verdicts[known_cause(t)].again;
	bool goes_back = !e->why && nodes_fault && start_barrier_is_shut(txn, t);

	if (goes_back)
		f = FAILURE_ENDS;
	if (f == FAILURE_REPLACES)
		task_replacement_vacate(txn, t, t->text ? t->text : verdicts[known_cause(t)].text);
	if (is_over(e))
		conclude(txn, e);
	else if (e->why)
		return;
	else if (goes_back)
		element_end(txn, e, WHY(ENDING_GATE),
			    whose_end(txn, t, t->text ? t->text : verdicts[known_cause(t)].text),
			    0);
	else if (e->job->spec->first_alone && t->rank == 0 && !nodes_fault)
		element_end(txn, e, WHY(ENDING_FIRST), "its first task has ended", 0);
	else if (f == FAILURE_ENDS)
		element_end(txn, e, end_reason(t),
			    arena_printf(txn->arena, "task %u of its gang ended", t->rank), 0);
	else if (f == FAILURE_RESTARTS)
		element_end(txn, e, WHY(ENDING_RESTART), task_failure_shortage(txn, t), 0);
	else if (only_waiting_left(e))
		element_end(txn, e, WHY(ENDING_DONE),
			    "all its tasks except services and standby tasks have ended", 0);
	else if (e->job->spec->outlives_failures) {
		element_look_again(txn, e);
		start_barrier_check(txn, e);
	}
}

/* The other members of a gang may have been waiting at the start barrier for this task only. */
static void look_at_partners(struct txn *txn, uint64_t partner)
{
	const struct job *j = partner ? job_find(txn->state, partner) : NULL;
	const struct element *e = j ? element_find(j, 0) : NULL;

	if (e)
		start_barrier_check(txn, e);
}

static uint64_t partner_of(const struct job *j)
{
	for (size_t i = 0; j->gang && i < j->gang->count; i++)
		if (j->gang->members[i] != j)
			return j->gang->members[i]->id;
	return 0;
}

/*
 * The key under which a failure counts. A node on which many jobs in a row fail is drained. A user
 * who has no account on the node counts once for all jobs, so that such a user cannot drain nodes.
 */
static uint64_t who_failed(const struct job *j, uint32_t cause)
{
	return cause == END(ACCOUNT) ? UINT64_MAX - j->user->uid : j->id;
}

void task_end(struct txn *txn, const struct task *t, const Armada__TaskEnd *end)
{
	const struct node *n = t->node;
	uint64_t partner = partner_of(t->element->job);
	Armada__TaskEnded *m;
	Armada__Event *ev;

	if (t->state == TASK_ENDED)
		return;
	assert(!t->element->lease_pending);
	steps_task_ended(txn, t);
	ev = emit_make(txn, ARMADA__EVENT__KIND_TASK_ENDED, &m);
	m->key = task_key_message(t, t->attempt, txn->arena);
	m->end = arena_memdup(txn->arena, end, sizeof(*end));
	m->end->text = node_text(txn, end->text);
	m->end->node_problem = node_text(txn, end->node_problem);
	/* a node that durably refuses a started task has lost it */
	if ((end->cause == END(REFUSED) || end->cause == END(ACCOUNT)) && t->state == TASK_STARTED)
		m->end->cause = END(LOST);
	emit_event(txn, ev);
	txn->wants_round = true;
	node_take_problem(txn, n, m->end->node_problem);
	if (node_is_to_blame(m->end->cause) && !t->element->why)
		node_failed(txn, n, who_failed(t->element->job, m->end->cause), m->end->text);
	after_end(txn, t);
	look_at_partners(txn, partner);
	pending_leases_keep(txn, n);
}
