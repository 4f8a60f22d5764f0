/*
 * The folds that rebuild the state from the records of a snapshot.
 *
 * Input: the records that snapshot.c wrote, in its order: head, queues, nodes, blobs, jobs,
 * dependencies, submission keys. Output: the same state. A snapshot of it has the same bytes as the
 * first one. Where a value follows from an ordinary event, the restore calls the fold of that event
 * (fold_job_make, fold_task_ended), so that counters and indexes are computed in one place.
 *
 * Caveats: the order matters. A job needs its queue and blobs, a task needs its node, and
 * dependencies come after all jobs. A member that older snapshots do not have is absent, which
 * reads as 0, and gets a value here. A new member of the state needs a line here and in snapshot.c.
 */
#include "core/state/write.h"

#include "core/state/avoid.h"
#include "core/state/fold_shared.h"
#include "core/state/gang.h"
#include "core/state/queue_user.h"
#include "core/state/share_note.h"
#include "core/state/state.h"
#include "core/state/state_machine.h"
#include "core/state/stored.h"
#include "core/state/extra.h"
#include "core/state/task_replacement.h"
#include "util/mem.h"

#include <string.h>

int fold_snap_head(struct fold *f, const Armada__SnapHead *m, struct err *err)
{
	Armada__ClusterMade made = ARMADA__CLUSTER_MADE__INIT;

	f->state->next_job = m->next_job;
	f->state->next_token = m->next_token ? m->next_token : 1;
	f->state->next_replacement = m->next_replacement ? m->next_replacement : REPLACEMENT_ID_BIT;
	f->state->class_defaults = m->class_defaults;
	f->state->forgotten_events = m->forgotten_events;
	made.cluster_id = m->cluster_id;
	made.name = m->cluster;
	return fold_cluster_made(f, &made, err);
}

int fold_snap_queue(struct fold *f, const Armada__SnapQueue *m, struct err *err)
{
	if (!m->spec)
		return err_set(err, -EINVAL, "a queue without a name");
	queue_set(f->state, m->spec, m->created_us, m->created_by);
	if (m->noted)
		share_note(f->state, queue_find(f->state, m->spec->name), m->noted,
			   m->noted_fairness);
	queue_use_take(queue_find(f->state, m->spec->name), m);
	return 0;
}

int fold_snap_key(struct fold *f, const Armada__SnapKey *m, struct err *err)
{
	(void)err;
	submit_key_add(f->state, m->uid, &m->key, &m->content, m->first, m->jobs, m->until_us);
	return 0;
}

int fold_snap_job_set(struct fold *f, const Armada__SnapJobSet *m, struct err *err)
{
	struct queue *q = queue_find(f->state, m->queue);

	if (!q || !m->next_event || job_set_find(f->state, q, m->name))
		return err_set(err, -EINVAL, "job set %s of queue %s does not fit", m->name,
			       m->queue);
	job_set_restore(f->state, q, m->name, m->uid, m->next_event);
	return 0;
}

static int restore_task(struct fold *f, struct element *e, struct task *t,
			const Armada__SnapTask *m)
{
	struct node *n = node_find(f->state, m->node);

	if (!n || (m->extra && (!e->extras || m->extra > e->extras->count)))
		return -EINVAL;
	t->node = n;
	LIST_INSERT_HEAD(&n->tasks, t, on_node);
	queue_user_uses(t, 1);
	t->failures = m->failures;
	if (m->attempt)
		t->attempt = m->attempt;
	if (m->seq)
		t->seq = m->seq;
	t->start_us = m->start_us;
	t->state = m->started ? TASK_STARTED : TASK_LEASED;
	t->extra = m->extra;
	t->leaving = m->leaving;
	t->vacant = m->vacant;
	t->owed = m->owed;
	if (m->extra) {
		e->extras->slots[m->extra - 1].rank = t->rank + 1;
		e->extras->slots[m->extra - 1].run_us = m->run_us;
	}
	if (m->end) {
		queue_user_uses(t, -1);
		fold_set_end(t, m->end);
		if (m->replacement)
			task_replacement_restore(f->state, t, m->replacement);
	} else if (!e->lease_pending) {
		queue_use_restore(e->job->queue, task_request(t));
	}
	return 0;
}

static int restore_element(struct fold *f, struct job *j, const Armada__SnapElement *m,
			   struct err *err)
{
	struct element *e = element_obtain(f->state, j, m->index);

	e->attempt = m->attempt;
	e->seq = m->seq;
	e->why = m->why;
	e->lease_pending = m->lease_pending;
	e->yields = m->yields;
	gang_leased(j, m->gang_members, m->ordered);
	e->lease_ms = m->lease_ms;
	e->limit_s = m->time_limit_s;
	e->failures = m->failures;
	e->settings_seq = m->settings_seq;
	e->suspended = m->suspended;
	e->text = m->text[0] ? xstrdup(m->text) : NULL;
	e->before = m->before[0] ? xstrdup(m->before) : NULL;
	e->by = m->by[0] ? xstrdup(m->by) : NULL;
	e->for_job = m->for_job;
	e->for_element = m->for_element;
	e->for_queue = m->for_queue[0] ? xstrdup(m->for_queue) : NULL;
	e->requeued_us = m->requeued_us;
	e->restarts = m->restarts;
	element_pause(f->state, e, m->not_before_us);
	e->start_us = m->start_us;
	e->begun = m->begun || m->start_us; /* older snapshots do not have it */
	e->hosts_seq = m->hosts_seq;
	e->steps = m->steps;
	if (m->earlier)
		usage_take(m->earlier, &e->earlier);
	if (m->n_tasks)
		element_lease(e, m->n_tasks);
	for (size_t i = 0; i < m->n_tasks; i++) /* the extra tasks follow from them */
		e->tasks[i].group = (uint16_t)m->tasks[i]->group;
	if (m->extras && m->n_tasks)
		extras_add(f->state, e, m->extras, m->together,
			   m->n_scaled ? 0 : j->spec->tasks - m->together);
	if (m->n_scaled && (!e->extras || extras_scale(e, m->scaled, m->n_scaled) < 0))
		return err_set(err, -EINVAL, "an element with other extra tasks");
	for (size_t i = 0; i < m->n_tasks; i++)
		if (restore_task(f, e, &e->tasks[i], m->tasks[i]) < 0)
			return err_set(err, -EINVAL, "a task on an unknown node");
	if ((int)m->state >= STATE_COUNT)
		return err_set(err, -EINVAL, "an element in an unknown state");
	machine_begin(e, m->state);
	fold_restore_active(f, e);
	return 0;
}

int fold_snap_job(struct fold *f, const Armada__SnapJob *m, struct err *err)
{
	uint64_t next = f->state->next_job;
	struct job *j;
	int rc;

	if (!m->job)
		return err_set(err, -EINVAL, "a job without its submission");
	f->state->next_job = m->job->id;
	rc = fold_job_make(f, m->job, &j, err);
	f->state->next_job = next;
	if (rc < 0)
		return rc;
	if (m->next_event) {
		j->job_set->next_event = m->next_event;
		j->job_set->uid = m->set_uid;
	}
	j->submit_us = m->submit_us;
	j->submit_clock_us = m->submit_clock_us ? m->submit_clock_us : m->submit_us;
	job_hold(j, m->held, m->held_by);
	j->exit_code = m->exit_code;
	j->exit_signal = m->exit_signal;
	for (size_t i = 0; i < m->n_avoids; i++)
		avoid_add(f->state, j, m->avoids[i]->node, m->avoids[i]->until_us);
	for (size_t i = 0; i < m->n_waiting; i++)
		fold_wait_add(f, j, m->waiting[i]->first, m->waiting[i]->last, 1);
	for (size_t i = 0; i < m->n_ended; i++) {
		Armada__ElementEnded end = ARMADA__ELEMENT_ENDED__INIT;

		if (m->ended[i]->state > ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY)
			return err_set(err, -EINVAL, "an unknown state");
		end.state = m->ended[i]->state;
		end.reason = m->reason;
		fold_note_end(j, &end, m->ended[i]->count);
	}
	j->settings_seq = m->settings_seq;
	j->eligible_us = m->eligible_us;
	j->limit_first_s = m->limit_first_s;
	j->excess = m->excess;
	if (m->n_bad) {
		Armada__ElementEnded end = ARMADA__ELEMENT_ENDED__INIT;

		end.elements = m->bad;
		end.n_elements = m->n_bad;
		fold_note_bad(j, &end);
	}
	for (size_t i = 0; i < m->n_elements; i++)
		if ((rc = restore_element(f, j, m->elements[i], err)) < 0)
			return rc;
	if (m->next) {
		stored_leave(f->state, j);
		j->next = spec_obtain(f->state, m->next);
		stored_join(f->state, j);
	}
	stored_note(f->state, j);
	return 0;
}
