/*
 * The fold of events about whole jobs: submission, holds, updates, avoided nodes.
 *
 * Input: JobSubmitted, JobHeld, JobUpdated, JobRestarting, JobAvoids. Output: the job in its queue and in the
 * indexes by user, gang and name, and its waiting elements. fold_wait_add() and fold_wait_remove()
 * are the only functions that change job->waiting; they keep the counters of the state, the queue
 * and the user equal to it. Caveat: an id must be greater than every earlier id, because the job
 * table is sorted.
 */
#include "core/state/write.h"

#include "core/state/avoid.h"
#include "core/state/dependents.h"
#include "core/state/fold_shared.h"
#include "core/state/gang.h"
#include "core/state/queue_user.h"
#include "core/state/same_name_index.h"
#include "core/state/state.h"
#include "core/state/stored.h"
#include "util/steps.h"

#include <string.h>

/* The core sets timers only for jobs that the fold lists. */
static void note_deadline(struct fold *f, const struct job *j)
{
	if (j->spec->deadline_us)
		fold_check_later(f, j);
}

int fold_job_make(struct fold *f, const Armada__JobSubmitted *m, struct job **ret_job,
		  struct err *err)
{
	struct queue *q = m->spec ? queue_find(f->state, m->spec->queue) : NULL;
	struct job *j;

	if (!q)
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " names a queue that does not "
			       "exist",
			       m->id);
	if (m->id < f->state->next_job)
		return err_set(err, -EINVAL, "job id %" PRIu64 " is used twice", m->id);
	j = job_insert(f->state, m->id);
	f->state->next_job = m->id + 1;
	j->spec = spec_obtain(f->state, m->spec);
	j->user = user_obtain(f->state, m);
	j->queue = q;
	q->jobs++;
	queue_user_join(f->state, j);
	stored_join(f->state, j);
	gang_join(f->state, j);
	same_name_join(f->state, j);
	job_set_join(f->state, j);
	note_deadline(f, j);
	*ret_job = j;
	return 0;
}

void fold_wait_add(struct fold *f, struct job *j, uint32_t first, uint32_t last, uint32_t step)
{
	uint64_t before = j->waiting.total;

	steps_add(&j->waiting, first, last, step);
	f->state->waiting += j->waiting.total - before;
	j->queue->waiting += j->waiting.total - before;
	j->job_set->waiting += j->waiting.total - before;
	queue_user_waits(j, (int64_t)(j->waiting.total - before));
}

void fold_wait_remove(struct fold *f, struct job *j, uint32_t first, uint32_t last)
{
	uint64_t n = rangeset_remove(&j->waiting, first, last);

	f->state->waiting -= n;
	j->queue->waiting -= n;
	j->job_set->waiting -= n;
	queue_user_waits(j, -(int64_t)n);
}

int fold_job_submitted(struct fold *f, const Armada__JobSubmitted *m, struct err *err)
{
	struct job *j;
	int rc;

	job_sets_forget(f->state, m->uid, m->forget_own_sets, m->forget_oldest_sets);
	rc = fold_job_make(f, m, &j, err);
	if (rc < 0)
		return rc;
	j->submit_us = f->now_us;
	j->submit_clock_us = f->clock_us;
	job_hold(j, m->spec->hold, ARMADA__HOLDER__HOLDER_OWNER);
	for (size_t i = 0; i < m->spec->n_array; i++)
		fold_wait_add(f, j, m->spec->array[i]->first, m->spec->array[i]->last,
			      m->spec->array[i]->step);
	if (!m->spec->n_array)
		fold_wait_add(f, j, 0, 0, 1);
	if (m->waits)
		dependents_add(f, j, m->waits);
	if (!m->key.len)
		return 0;
	submit_keys_forget(f->state, m->uid, m->forget_own_keys, m->forget_oldest_keys);
	submit_key_add(f->state, m->uid, &m->key, &m->key_content, m->id, m->key_jobs,
		       m->key_until_us);
	return 0;
}

int fold_job_held(struct fold *f, const Armada__JobHeld *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j)
		return err_set(err, -EINVAL, "job %" PRIu64 " is held, but does not exist", m->job);
	if (j->held && !m->held)
		j->eligible_us = f->clock_us;
	job_hold(j, m->held, m->by);
	return 0;
}

int fold_job_avoids(struct fold *f, const Armada__JobAvoids *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j)
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " avoids nodes, but does not "
			       "exist",
			       m->job);
	avoids_drop(j);
	for (size_t i = 0; i < m->n_nodes; i++)
		avoid_add(f->state, j, m->nodes[i]->node, m->nodes[i]->until_us);
	return 0;
}

static void change_queue(struct state *state, struct job *j, const char *name)
{
	struct queue *to = queue_find(state, name);

	if (!to || to == j->queue)
		return;
	j->queue->jobs--;
	j->queue->waiting -= j->waiting.total;
	queue_user_waits(j, -(int64_t)j->waiting.total);
	j->job_set->waiting -= j->waiting.total;
	job_set_leave(state, j);
	to->jobs++;
	to->waiting += j->waiting.total;
	j->queue = to;
	job_set_join(state, j);
	j->job_set->waiting += j->waiting.total;
	queue_user_move(state, j);
	queue_user_waits(j, (int64_t)j->waiting.total);
}

int fold_job_restarting(struct fold *f, const Armada__JobRestarting *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);

	if (!j || j->next || !m->spec || !running_elements(j))
		return err_set(err, -EINVAL,
			       "the restart of job %" PRIu64 " does not fit its state", m->job);
	stored_leave(f->state, j);
	j->next = spec_obtain(f->state, m->spec);
	stored_join(f->state, j);
	return 0;
}

/* What the elements depend on now takes the place of their pauses. */
static void withhold(struct fold *f, struct job *j, const Armada__JobWaits *waits)
{
	for (size_t i = 0; i < j->element_count; i++)
		element_pause(f->state, j->elements[i], 0);
	dependents_add(f, j, waits);
}

int fold_job_updated(struct fold *f, const Armada__JobUpdated *m, struct err *err)
{
	struct job *j = job_find(f->state, m->job);
	struct spec *old;

	if (!j || !m->spec || !queue_find(f->state, m->spec->queue))
		return err_set(err, -EINVAL,
			       "job %" PRIu64 " is updated, but does not "
			       "exist",
			       m->job);
	stored_leave(f->state, j);
	old = j->spec;
	j->spec = spec_obtain(f->state, m->spec);
	spec_release(f->state, j->next);
	j->next = NULL;
	stored_join(f->state, j);
	change_queue(f->state, j, m->spec->queue);
	if (strcmp(old->account, j->spec->account) != 0)
		queue_user_change_account(f->state, j);
	if (strcmp(old->name, j->spec->name) != 0) {
		same_name_leave(f->state, j);
		same_name_join(f->state, j);
	}
	spec_release(f->state, old);
	note_deadline(f, j);
	if (m->set_waits) {
		dependents_drop(j);
		if (m->waits && j->waiting.total)
			withhold(f, j, m->waits);
	}
	if (m->settings) {
		j->settings_seq = f->seq;
		j->limit_first_s = m->limit_first_s;
		for (size_t i = 0; i < j->element_count; i++)
			j->elements[i]->limit_s = 0; /* the new limit is that of all elements */
	}
	j->excess = UINT32_MAX;
	note_excess(j);
	return 0;
}
