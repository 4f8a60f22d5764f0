/*
 * The fold of elements and their tasks: leased, started, ending, ended, requeued.
 *
 * Input: events that name an element or the attempt of a task. Output: the new state of the
 * element, its tasks on their nodes, and the counters that depend on them. An element exists in one
 * of two forms: as an index in job->waiting, or as a struct with tasks. A lease moves it from the
 * first form to the second. A requeue moves it back, but keeps the struct, because attempt numbers
 * are never reused. The end of the element frees the struct.
 *
 * Each change of state goes through change_state(), which calls the state machine and updates the
 * counters of active elements of job, gang, queue and user. Caveats: element_drop() frees the
 * element. An ElementEnded of a waiting range names elements without a struct. Events that end the
 * job's last element only mark the job (f->over), because history rows are made from it first.
 */
#include "core/state/write.h"

#include "core/state/avoid.h"
#include "core/state/dependents.h"
#include "core/state/extra.h"
#include "core/state/floating.h"
#include "core/state/fold_shared.h"
#include "core/state/gang.h"
#include "core/state/queue_user.h"
#include "core/state/state.h"
#include "core/state/state_machine.h"
#include "core/state/task_replacement.h"
#include "util/mem.h"

static void note_unbegun(struct job *j, uint64_t count)
{
	if (j->target)
		j->target->unbegun -= count;
}

static void note_begun(struct element *e)
{
	if (!e->begun)
		note_unbegun(e->job, 1);
	e->begun = true;
}

void fold_note_bad(struct job *j, const Armada__ElementEnded *m)
{
	if (!j->spec->array || m->state == ARMADA__JOB_STATE__JOB_COMPLETED)
		return;
	for (size_t i = 0; i < m->n_elements; i++)
		rangeset_add(&ends_obtain(j)->bad, m->elements[i]->first, m->elements[i]->last);
}

static bool is_active(const struct element *e)
{
	return e->state != ARMADA__JOB_STATE__JOB_PENDING && !state_is_terminal(e->state);
}

/*
 * Updates the counters, except the use over time. Returns 1 if the element became active, -1 if it
 * ceased to be active, 0 if nothing changed.
 */
static int count_active(struct fold *f, struct element *e, bool was)
{
	struct job *j = e->job;
	bool is = is_active(e);

	if (was == is)
		return 0;
	if (j->gang) {
		j->gang->active += is ? 1 : -1;
		if (!j->gang->active)
			j->gang->together = 0;
	}
	f->state->active += is ? 1 : -1;
	j->queue->active += is ? 1 : -1;
	j->job_set->active += is ? 1 : -1;
	queue_user_active(j, is ? 1 : -1);
	floating_hold(f->state, j, is ? 1 : -1);
	return is ? 1 : -1;
}

void fold_count_active(struct fold *f, struct element *e, bool was)
{
	int change = count_active(f, e, was);

	if (change)
		queue_use_change(f->state, e->job->queue, e->job->spec->licenses, change);
}

void fold_restore_active(struct fold *f, struct element *e)
{
	if (count_active(f, e, false))
		queue_use_restore(e->job->queue, e->job->spec->licenses);
}

/* Move the element by the table of states, and update the counters. False: the table forbids it. */
static bool change_state(struct fold *f, struct element *e, enum element_event ev, int to)
{
	bool was = is_active(e);

	if (!machine_step(e, ev, to))
		return false;
	fold_count_active(f, e, was);
	return true;
}

static int forbidden(const struct element *e, const char *what, struct err *err)
{
	return err_set(err, -EINVAL, "%" PRIu64 "_%u cannot be %s in state %d", e->job->id,
		       e->index, what, e->state);
}

static struct element *active_element(struct fold *f, uint64_t job, uint32_t index)
{
	struct job *j = job_find(f->state, job);
	struct element *e = j ? element_find(j, index) : NULL;

	return e && e->task_count ? e : NULL;
}

/*
 * With several groups and a lease without some of the tasks, the event has the number of tasks of
 * each group.
 */
static bool groups_fit(const struct spec *s, const uint32_t *groups, size_t count, size_t tasks)
{
	size_t sum = 0;

	if (!count)
		return !s->groups || tasks == s->tasks;
	for (size_t i = 0; i < count && s->groups && count == s->group_count; i++) {
		if (groups[i] > s->groups[i].replicas)
			return false;
		sum += groups[i];
	}
	return sum == tasks && spec_minima_met(s, groups);
}

static void set_groups(struct element *e, const uint32_t *groups, size_t count)
{
	uint32_t rank = 0;

	for (size_t i = 0; i < e->job->spec->group_count && e->job->spec->groups; i++)
		for (uint32_t n = count ? groups[i] : e->job->spec->groups[i].replicas; n; n--)
			e->tasks[rank++].group = (uint16_t)i;
}

/* by "": no request; for_job 0: its room is for nobody in particular. */
static void set_cause(struct element *e, const char *by, uint64_t for_job, uint32_t for_element)
{
	free(e->by);
	free(e->for_queue);
	e->for_queue = NULL;
	e->by = by[0] ? xstrdup(by) : NULL;
	e->for_job = for_job;
	e->for_element = for_element;
}

int fold_element_leased(struct fold *f, const Armada__ElementLeased *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);
	struct element *e;

	if (!j || !rangeset_contains(&j->waiting, m->element) ||
	    !spec_starts_with(j->spec, m->n_nodes) ||
	    !groups_fit(j->spec, m->groups, m->n_groups, m->n_nodes))
		return err_set(err, -EINVAL, "lease of %" PRIu64 "_%u does not fit its state",
			       m->job, m->element);
	for (size_t i = 0; i < m->n_nodes; i++)
		if (!node_find(f->state, m->nodes[i]))
			return err_set(err, -EINVAL, "lease on an unknown node %s", m->nodes[i]);
	fold_wait_remove(f, j, m->element, m->element);
	e = element_obtain(f->state, j, m->element);
	e->attempt = m->attempt;
	e->seq = f->seq;
	element_pause(f->state, e, 0);
	e->lease_pending = m->lease_pending;
	e->yields = e->suspended = false;
	gang_leased(j, m->gang_members, !m->lease_pending);
	e->lease_ms = m->lease_ms;
	e->limit_s = m->time_limit_s;
	e->start_us = 0;
	set_cause(e, "", 0, 0);
	e->why = 0;
	free(e->text);
	e->text = NULL;
	e->hosts_seq = 0;
	e->steps = 0;
	element_lease(e, m->n_nodes);
	set_groups(e, m->groups, m->n_groups);
	if (m->extras)
		extras_add(f->state, e, m->extras, (uint32_t)m->n_nodes,
			   j->spec->tasks - (uint32_t)m->n_nodes);
	for (size_t i = 0; i < m->n_nodes; i++) {
		e->tasks[i].node = node_find(f->state, m->nodes[i]);
		LIST_INSERT_HEAD(&e->tasks[i].node->tasks, &e->tasks[i], on_node);
		queue_user_uses(&e->tasks[i], 1);
		if (!e->lease_pending)
			queue_use_change(f->state, e->job->queue, task_request(&e->tasks[i]), 1);
	}
	return change_state(f, e, EV_LEASE, 0) ? 0 : forbidden(e, "leased", err);
}

int fold_element_released(struct fold *f, const Armada__ElementReleased *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e || !e->lease_pending)
		return err_set(err, -EINVAL,
			       "%" PRIu64 "_%u is released, but its lease is not pending", m->job,
			       m->element);
	e->lease_pending = false;
	for (uint32_t i = 0; i < e->task_count; i++)
		if (e->tasks[i].state != TASK_ENDED)
			queue_use_change(f->state, e->job->queue, task_request(&e->tasks[i]), 1);
	if (!change_state(f, e, EV_RELEASE, 0))
		return forbidden(e, "released", err);
	gang_ordered(e->job);
	return 0;
}

int fold_task_started(struct fold *f, const Armada__TaskStarted *m, struct err *err)
{
	struct task *t = task_find(f->state, m->key);

	if (!t)
		return err_set(err, -EINVAL, "start of a task that does not exist");
	t->state = TASK_STARTED;
	t->start_us = m->start_us;
	if (t->element->extras && t->element->start_us)
		t->element->hosts_seq = f->seq;
	if (m->all) {
		if (!t->element->start_us)
			t->element->start_us = m->start_us;
		note_begun(t->element);
		if (t->element->state == ARMADA__JOB_STATE__JOB_CONFIGURING)
			change_state(f, t->element, EV_ALL_STARTED, 0);
	}
	return 0;
}

void fold_set_end(struct task *t, const Armada__TaskEnd *end)
{
	t->state = TASK_ENDED;
	t->cause = end->cause;
	t->exit_code = end->exit_code;
	t->exit_signal = end->signal;
	if (end->start_us)
		t->start_us = end->start_us;
	t->end_us = end->end_us;
	free(t->text);
	t->text = end->text[0] ? xstrdup(end->text) : NULL;
	if (end->usage)
		usage_take(end->usage, &t->usage);
}

int fold_task_ended(struct fold *f, const Armada__TaskEnded *m, struct err *err)
{
	struct task *t = task_find(f->state, m->key);

	if (!t || !m->end)
		return err_set(err, -EINVAL, "end of a task that does not exist");
	if (t->state != TASK_ENDED)
		queue_user_uses(t, -1);
	if (t->state != TASK_ENDED && !t->element->lease_pending)
		queue_use_change(f->state, t->element->job->queue, task_request(t), -1);
	fold_set_end(t, m->end);
	if (t->leaving || extra_is_dropped(t))
		t->vacant = t->cause != ARMADA__END_CAUSE__END_EXITED || t->exit_code;
	t->leaving = false;
	if (t->element->extras && !t->element->why)
		t->element->hosts_seq = f->seq;
	return 0;
}

int fold_task_leaving(struct fold *f, const Armada__TaskLeaving *m, struct err *err)
{
	struct task *t = task_find(f->state, m->key);

	if (!t || !t->extra || t->state == TASK_ENDED || t->leaving)
		return err_set(err, -EINVAL, "a task is taken back that is no running extra task");
	t->leaving = true;
	t->element->hosts_seq = f->seq;
	return 0;
}

int fold_element_scaled(struct fold *f, const Armada__ElementScaled *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e || !e->extras || extras_scale(e, m->extras, m->n_extras) < 0)
		return err_set(err, -EINVAL,
			       "the new number of tasks of %" PRIu64 "_%u does not fit", m->job,
			       m->element);
	return 0;
}

int fold_element_ending(struct fold *f, const Armada__ElementEnding *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is being ended but not active", m->job,
			       m->element);
	if (!change_state(f, e, EV_END_ORDERED, 0))
		return forbidden(e, "ended", err);
	task_replacements_drop(f->state, e);
	/* one that failed did so for good; one that was taken back remains so, and decides nothing */
	for (uint32_t i = 0; e->extras && i < e->task_count; i++)
		if (e->tasks[i].owed)
			e->tasks[i].vacant = e->tasks[i].owed = false;
	e->why = m->why;
	if (m->why == ARMADA__END_REASON__ENDING_PREEMPT)
		e->yields = true;
	free(e->text);
	e->text = m->text[0] ? xstrdup(m->text) : NULL;
	set_cause(e, m->by, m->for_job, m->for_element);
	e->for_queue = m->for_queue[0] ? xstrdup(m->for_queue) : NULL;
	return 0;
}

int fold_element_requeued(struct fold *f, const Armada__ElementRequeued *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e || (m->state && !state_is_terminal(m->state)))
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is requeued but not active", m->job,
			       m->element);
	if (!change_state(f, e, e->lease_pending ? EV_WITHDRAW : EV_REQUEUE, 0))
		return forbidden(e, "requeued", err);
	element_free_tasks(f->state, e);
	set_cause(e, "", 0, 0);
	e->why = 0;
	e->lease_pending = e->yields = e->suspended = false;
	e->failures = m->failures;
	if (m->state) {
		e->requeued_us = f->clock_us;
		e->restarts = m->restarts;
	}
	element_pause(f->state, e, m->not_before_us);
	if (e->job->gang && m->not_before_us)
		gang_pause(f->state, e->job->gang, m->not_before_us);
	for (size_t i = 0; i < m->n_avoid; i++)
		avoid_add(f->state, e->job, m->avoid[i], m->avoid_until_us);
	free(e->text);
	if (m->state)
		e->text = xasprintf("attempt %u: %s", e->attempt, m->reason);
	else
		e->text = m->reason[0] ? xstrdup(m->reason) : NULL;
	free(e->before);
	e->before = e->text ? xstrdup(e->text) : NULL;
	fold_wait_add(f, e->job, m->element, m->element, 1);
	note_excess(e->job);
	return 0;
}

int fold_element_due(struct fold *f, const Armada__ElementDue *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);
	struct element *e = j ? element_find(j, m->element) : NULL;

	if (!e || !e->not_before_us)
		return err_set(err, -EINVAL, "the end of a pause of %" PRIu64 "_%u, which has none",
			       m->job, m->element);
	element_pause(f->state, e, 0);
	e->requeued_us = f->clock_us;
	return 0;
}

int fold_element_suspended(struct fold *f, const Armada__ElementSuspended *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is suspended but not active", m->job,
			       m->element);
	e->suspended = m->suspended;
	e->settings_seq = f->seq;
	return 0;
}

int fold_steps_numbered(struct fold *f, const Armada__StepsNumbered *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);

	if (!e || m->numbers <= e->steps)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u gets no numbers for steps", m->job,
			       m->element);
	e->steps = m->numbers;
	return 0;
}

int fold_element_unknown(struct fold *f, const Armada__ElementUnknown *m, struct err *err)
{
	struct element *e = active_element(f, m->job, m->element);
	enum element_event ev;

	if (!e)
		return err_set(err, -EINVAL, "%" PRIu64 "_%u is unknown but not active", m->job,
			       m->element);
	ev = m->state == ARMADA__JOB_STATE__JOB_UNKNOWN   ? EV_NODE_SILENT
	     : e->state == ARMADA__JOB_STATE__JOB_UNKNOWN ? EV_NODE_BACK
							  : EV_RECOUNT;
	return change_state(f, e, ev, m->state) ? 0 : forbidden(e, "found again", err);
}

void fold_note_end(struct job *j, const Armada__ElementEnded *m, uint64_t count)
{
	if (j->spec->array)
		ends_obtain(j)->count[m->state] += count;
	if (m->exit_code > j->exit_code)
		j->exit_code = m->exit_code;
	if (m->exit_signal > j->exit_signal)
		j->exit_signal = m->exit_signal;
	if (m->state > j->worst) {
		j->worst = m->state;
		free(j->end_reason);
		j->end_reason = m->reason[0] ? xstrdup(m->reason) : NULL;
	}
}

int fold_element_ended(struct fold *f, const Armada__ElementEnded *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j || !state_is_terminal(m->state) || m->state > ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY)
		return err_set(err, -EINVAL, "the end of %" PRIu64 " does not fit its state",
			       m->job);
	for (size_t i = 0; i < m->n_elements; i++) {
		const Armada__IndexRange *r = m->elements[i];
		struct element *e = r->first == r->last ? element_find(j, r->first) : NULL;

		if (!e || !e->begun)
			note_unbegun(j, (uint64_t)r->last - r->first + 1);
		fold_note_end(j, m, (uint64_t)r->last - r->first + 1);
		if (!e || e->state == ARMADA__JOB_STATE__JOB_PENDING)
			fold_wait_remove(f, j, r->first, r->last);
		if (e && !change_state(f, e, EV_CONCLUDE, m->state))
			return forbidden(e, "concluded", err);
		if (e)
			element_drop(f->state, e);
	}
	fold_note_bad(j, m);
	note_excess(j);
	if (job_over(j)) {
		f->over = j;
		return 0;
	}
	for (size_t i = 0; i < m->n_elements && j->depend; i++)
		dependents_release(j, m->elements[i]->first, m->elements[i]->last);
	return 0;
}

int fold_task_vacated(struct fold *f, const Armada__TaskVacated *m, struct err *err)
{
	struct task *t = task_find(f->state, m->key);

	if (!t || t->state != TASK_ENDED || t->replacement || t->vacant ||
	    (t->extra ? m->replacement != 0 : m->replacement < f->state->next_replacement))
		return err_set(err, -EINVAL,
			       "a task is vacated that has not ended, or that waits "
			       "for a node already");
	if (t->extra)
		t->vacant = true, t->owed = !m->optional && !extra_is_dropped(t);
	else
		task_replacement_restore(f->state, t, m->replacement);
	t->failures++;
	for (size_t i = 0; i < m->n_avoid; i++)
		avoid_add(f->state, t->element->job, m->avoid[i], m->avoid_until_us);
	return 0;
}

/* The task of an extra task that gets a node: with the next rank if it never had one. NULL: it may not. */
static struct task *take_extra(struct element *e, uint32_t extra, uint32_t rank)
{
	struct task *t;

	if (!e->extras || extra >= e->extras->count || !extra_waits(e, extra))
		return NULL;
	t = extra_task(e, extra);
	if (t)
		return t->rank == rank ? t : NULL;
	if (rank != e->task_count)
		return NULL;
	t = element_add_task(e);
	t->extra = extra + 1;
	t->group = (uint16_t)extra_group(e, extra);
	e->extras->slots[extra].rank = rank + 1;
	return t;
}

/* The task that the event names, if it waits for a node; NULL: it does not. */
static struct task *take_waiting(struct fold *f, struct element *e, const Armada__TaskLeased *m)
{
	struct task *t;

	if (m->extra)
		return take_extra(e, m->extra - 1, m->key->rank);
	if (m->key->rank >= e->task_count || !e->tasks[m->key->rank].replacement)
		return NULL;
	t = &e->tasks[m->key->rank];
	task_replacement_drop(f->state, t->replacement);
	return t;
}

/* What the task used and how long it ran before it gets a node again. */
static void note_earlier(struct element *e, struct task *t)
{
	usage_add(&e->earlier, &t->usage);
	t->usage = (struct task_usage){0};
	if (t->extra && t->start_us && t->end_us > t->start_us)
		e->extras->slots[t->extra - 1].run_us += t->end_us - t->start_us;
}

int fold_task_leased(struct fold *f, const Armada__TaskLeased *m, struct err *err)
{
	struct job *j = m->key ? job_find(f->state, m->key->job) : NULL;
	struct element *e = j ? element_find(j, m->key->element) : NULL;
	struct node *n = node_find(f->state, m->node);
	struct task *t = e && n && e->task_count && m->key->attempt > e->attempt
				 ? take_waiting(f, e, m)
				 : NULL;

	if (!t)
		return err_set(err, -EINVAL, "lease of a task that waits for no node");
	if (t->node)
		LIST_REMOVE(t, on_node);
	LIST_INSERT_HEAD(&n->tasks, t, on_node);
	t->node = n;
	t->state = TASK_LEASED;
	t->vacant = t->owed = false;
	note_earlier(e, t);
	queue_user_uses(t, 1);
	queue_use_change(f->state, t->element->job->queue, task_request(t), 1);
	t->cause = 0;
	t->exit_code = t->exit_signal = 0;
	t->start_us = t->end_us = 0;
	free(t->text);
	t->text = NULL;
	t->seq = f->seq;
	t->attempt = e->attempt = m->key->attempt;
	return 0;
}
