/* Snapshots are records too: the folds that build the state again from them. */
#include "core/depend.h"
#include "core/fold_parts.h"
#include "core/gang.h"
#include "core/tenant.h"
#include "core/shares.h"
#include "core/vacancy.h"
#include "util/mem.h"

#include <string.h>

int fold_snap_head(struct core *c, const Armada__SnapHead *m, struct err *err)
{
	if (m->cluster_id.len != sizeof(c->cluster_id))
		return err_set(err, -EINVAL, "a cluster id of %zu bytes", m->cluster_id.len);
	memcpy(c->cluster_id, m->cluster_id.data, sizeof(c->cluster_id));
	free(c->cluster);
	c->cluster = xstrdup(m->cluster);
	c->next_job = m->next_job;
	c->next_vacancy = m->next_vacancy ? m->next_vacancy : VACANCY_IDS;
	return 0;
}

int fold_snap_queue(struct core *c, const Armada__SnapQueue *m, struct err *err)
{
	if (!m->spec)
		return err_set(err, -EINVAL, "a queue without a name");
	queue_set(c, m->spec, m->created_us, m->created_by);
	if (m->noted)
		share_note(c, core_find_queue(c, m->spec->name), m->noted, m->noted_fairness);
	return 0;
}

int fold_snap_key(struct core *c, const Armada__SnapKey *m, struct err *err)
{
	(void)err;
	fold_key_add(c, m->uid, &m->key, m->first, m->jobs, m->until_us);
	return 0;
}

static int restore_element(struct core *c, struct job *j, const Armada__SnapElement *m,
			   struct err *err)
{
	struct element *e = element_obtain(j, m->index);

	e->attempt = m->attempt;
	e->seq = m->seq;
	e->why = m->why;
	e->promised = m->promised;
	e->yields = m->yields;
	gang_leased(j, m->gang_members, m->ordered);
	e->lease_ms = m->lease_ms;
	e->failures = m->failures;
	e->text = m->text[0] ? xstrdup(m->text) : NULL;
	e->before = m->before[0] ? xstrdup(m->before) : NULL;
	e->start_us = m->start_us;
	e->begun = m->begun || m->start_us; /* older snapshots do not say it */
	if (m->n_tasks)
		element_lease(e, m->n_tasks);
	for (size_t i = 0; i < m->n_tasks; i++) {
		struct node *n = core_find_node(c, m->tasks[i]->node);

		if (!n)
			return err_set(err, -EINVAL, "a task on an unknown node");
		e->tasks[i].node = n;
		LIST_INSERT_HEAD(&n->tasks, &e->tasks[i], on_node);
		e->tasks[i].group = (uint16_t)m->tasks[i]->group;
		tenant_uses(&e->tasks[i], 1);
		e->tasks[i].failures = m->tasks[i]->failures;
		if (m->tasks[i]->attempt)
			e->tasks[i].attempt = m->tasks[i]->attempt;
		if (m->tasks[i]->seq)
			e->tasks[i].seq = m->tasks[i]->seq;
		e->tasks[i].start_us = m->tasks[i]->start_us;
		e->tasks[i].state = m->tasks[i]->started ? TASK_STARTED : TASK_LEASED;
		if (m->tasks[i]->end) {
			Armada__TaskKey key = ARMADA__TASK_KEY__INIT;
			Armada__TaskEnded ended = ARMADA__TASK_ENDED__INIT;

			key.job = j->id;
			key.element = m->index;
			key.rank = i;
			key.attempt = e->tasks[i].attempt;
			ended.key = &key;
			ended.end = m->tasks[i]->end;
			if (fold_task_ended(c, &ended, err) < 0)
				return -EINVAL;
			if (m->tasks[i]->vacancy)
				vacancy_restore(c, &e->tasks[i], m->tasks[i]->vacancy);
		}
	}
	fold_set_active(c, j, e, m->state);
	return 0;
}

int fold_snap_job(struct core *c, const Armada__SnapJob *m, struct err *err)
{
	uint64_t next = c->next_job;
	struct job *j;
	int rc;

	if (!m->job)
		return err_set(err, -EINVAL, "a job without its submission");
	c->next_job = m->job->id;
	rc = fold_job_make(c, m->job, &j, err);
	c->next_job = next;
	if (rc < 0)
		return rc;
	j->submit_us = m->submit_us;
	job_hold(j, m->held, m->held_by);
	j->exit_code = m->exit_code;
	j->exit_signal = m->exit_signal;
	for (size_t i = 0; i < m->n_avoids; i++)
		avoid_add(c, j, m->avoids[i]->node, m->avoids[i]->until_us);
	for (size_t i = 0; i < m->n_waiting; i++)
		fold_wait_add(c, j, m->waiting[i]->first, m->waiting[i]->last);
	for (size_t i = 0; i < m->n_ended; i++) {
		Armada__ElementEnded end = ARMADA__ELEMENT_ENDED__INIT;

		if (m->ended[i]->state > ARMADA__JOB_STATE__JOB_OUT_OF_MEMORY)
			return err_set(err, -EINVAL, "an unknown state");
		end.state = m->ended[i]->state;
		end.reason = m->reason;
		fold_note_end(j, &end, m->ended[i]->count);
	}
	j->excess = m->excess;
	if (m->n_bad) {
		Armada__ElementEnded end = ARMADA__ELEMENT_ENDED__INIT;

		end.elements = m->bad;
		end.n_elements = m->n_bad;
		note_bad(j, &end);
	}
	for (size_t i = 0; i < m->n_elements; i++)
		if ((rc = restore_element(c, j, m->elements[i], err)) < 0)
			return rc;
	return 0;
}
