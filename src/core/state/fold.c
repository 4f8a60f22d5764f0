/*
 * The fold of the cluster and its queues, and the dispatch from an event to its fold.
 *
 * Input: the events of one record in order, between fold_begin() and fold_end(). Output: the
 * changed state, and two marks in struct fold: the job whose last element has ended, and the jobs
 * whose dependencies must be checked again. EVENT_TABLE (proto/event_table.h) maps each kind of
 * event to the function fold_MEMBER; fold_events.h declares these functions.
 *
 * The fold must be deterministic: the same events always give the same bytes of state, now and in a
 * replay by a later release. So a fold uses only the state, the event, and the sequence and wall
 * time of the record. It reads no configuration and no clock. An event contains the result of a
 * decision, and the fold stores that result without computing it again. Caveats: an event that does
 * not fit the state is damage. Its fold returns -EINVAL and may have applied a part of the event,
 * so the caller must not use the state any more. If a job is marked as ended (f->over), the caller
 * must call fold_remove_job before the next event.
 */
#include "core/state/write.h"

#include "core/state/fold.h"

#include "core/state/fold_events.h"
#include "core/state/share_note.h"
#include "core/state/state.h"
#include "core/state/stored.h"
#include "proto/event_table.h"
#include "util/mem.h"

#include <assert.h>
#include <string.h>

int fold_cluster_made(struct fold *f, const Armada__ClusterMade *m, struct err *err)
{
	if (m->cluster_id.len != sizeof(f->state->cluster_id))
		return err_set(err, -EINVAL, "a cluster id of %zu bytes", m->cluster_id.len);
	memcpy(f->state->cluster_id, m->cluster_id.data, sizeof(f->state->cluster_id));
	free(f->state->cluster);
	f->state->cluster = xstrdup(m->name);
	return 0;
}

int fold_epoch_began(struct fold *f, const Armada__EpochBegan *m, struct err *err)
{
	if (m->epoch <= f->state->epoch)
		return err_set(err, -EINVAL, "epoch %" PRIu64 " after %" PRIu64, m->epoch,
			       f->state->epoch);
	f->state->epoch = m->epoch;
	f->state->class_defaults = m->class_defaults;
	for (struct node *n = f->state->nodes; n; n = n->hh.next)
		n->linked = false;
	for (struct queue *q = f->state->queues; q; q = q->hh.next)
		queue_use_epoch(q, f->before_us, f->now_us);
	return 0;
}

int fold_queue_set(struct fold *f, const Armada__QueueSet *m, struct err *err)
{
	if (!m->spec)
		return err_set(err, -EINVAL, "a queue event without a queue");
	queue_set(f->state, m->spec, f->clock_us, m->by);
	return 0;
}

int fold_queue_deleted(struct fold *f, const Armada__QueueDeleted *m, struct err *err)
{
	struct queue *q = queue_find(f->state, m->name);

	if (!q || q->jobs)
		return err_set(err, -EINVAL,
			       "queue %s is deleted, but does not exist or is in "
			       "use",
			       m->name);
	job_sets_forget_queue(f->state, q);
	queue_drop(f->state, q);
	return 0;
}

int fold_blob_stored(struct fold *f, const Armada__BlobStored *m, struct err *err)
{
	if (m->hash.len != HASH_SIZE)
		return err_set(err, -EINVAL, "a blob hash of %zu bytes", m->hash.len);
	blob_add(f->state, m->hash.data, m->data.data, m->data.len);
	return 0;
}

int fold_shares_noted(struct fold *f, const Armada__SharesNoted *m, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < m->n_queues; i++) {
		const Armada__ShareSample *s = m->queues[i];
		struct queue *q = queue_find(f->state, s->queue);

		share_note(f->state, q, s, m->fairness);
		if (q && s->unknown_after)
			queue_use_noted_before(q);
		else if (q)
			queue_use_noted(q, f->now_us);
	}
	return 0;
}

/* A name that is no longer configured is forgotten. */
int fold_floating_set(struct fold *f, const Armada__FloatingSet *m, struct err *err)
{
	int r = resource_index(m->name);

	(void)err;
	if (r < 0 || !resource_is_floating((size_t)r))
		return 0;
	f->state->floating_total.amount[r] = m->total;
	f->state->floating_configured.amount[r] = m->configured;
	f->state->floating_outside.amount[r] = m->outside;
	return 0;
}

static void join_names(char *const *names, size_t count, char **to)
{
	CLEANUP_BUF struct buf text = {0};

	for (size_t i = 0; i < count; i++)
		buf_addf(&text, "%s%s", i ? ", " : "", names[i]);
	free(*to);
	*to = xstrdup(text.len ? (char *)text.data : "");
}

int fold_copies_set(struct fold *f, const Armada__CopiesSet *m, struct err *err)
{
	(void)err;
	f->state->copies_version = m->version;
	f->state->copies_us = m->at_us;
	join_names(m->members, m->n_members, &f->state->copies_members);
	join_names(m->removed, m->n_removed, &f->state->copies_removed);
	free(f->state->copies_by);
	f->state->copies_by = xstrdup(m->by);
	return 0;
}

int fold_token_made(struct fold *f, const Armada__TokenMade *m, struct err *err)
{
	if (!m->number || token_find(f->state, m->number) || m->digest.len != TOKEN_DIGEST)
		return err_set(err, -EINVAL, "token %" PRIu64 " does not fit", m->number);
	token_add(f->state, m);
	return 0;
}

int fold_token_revoked(struct fold *f, const Armada__TokenRevoked *m, struct err *err)
{
	struct token *t = token_find(f->state, m->number);

	if (!t)
		return err_set(err, -EINVAL, "token %" PRIu64 " is not known", m->number);
	token_drop(f->state, t);
	return 0;
}

/* ---- the events ---- */

struct fold *fold_new(void)
{
	struct fold *f = xcalloc(1, sizeof(*f));

	f->state = state_new();
	return f;
}

void fold_free(struct fold *f)
{
	if (!f)
		return;
	state_free(f->state);
	free(f->to_check);
	free(f);
}

void fold_begin(struct fold *f, uint64_t seq, int64_t now_us, int64_t clock_us)
{
	f->seq = seq;
	f->now_us = now_us;
	f->clock_us = clock_us;
	f->before_us = f->state->last_wall_us;
	f->state->last_wall_us = now_us; /* queue_use.c reads it */
	submit_keys_expire(f->state, now_us);
}

static int apply(struct fold *f, const Armada__Event *ev, struct err *err)
{
	switch (ev->kind_case) {
#define FOLD(KIND, member, wakes, job)                                                             \
	case ARMADA__EVENT__KIND_##KIND:                                                           \
		return ev->member ? fold_##member(f, ev->member, err) : -EINVAL;
		EVENT_TABLE(FOLD)
#undef FOLD
	default:
		return err_set(err, -EINVAL, "event kind %d is not known to this release",
			       (int)ev->kind_case);
	}
}

/* Advance the numbers of job events: of the set that the job was in, then of the one that it is in. */
static void number_events(struct fold *f, struct job_set *was, const struct job *j)
{
	assert(was || !f->events_before);
	assert(j || !f->events_after);
	if (was) {
		f->first_before = was->next_event;
		was->next_event += f->events_before;
	}
	if (j) {
		f->first_after = j->job_set->next_event;
		j->job_set->next_event += f->events_after;
	}
}

int fold_event(struct fold *f, const Armada__Event *ev, struct err *err)
{
	struct job *j = job_find(f->state, event_job(ev));
	struct job_set *was = j ? j->job_set : NULL;
	int rc;

	assert(!f->over);
	rc = apply(f, ev, err);
	if (rc < 0)
		return rc;
	j = job_find(f->state, event_job(ev));
	number_events(f, was, j);
	if (j)
		stored_note(f->state, j);
	return 0;
}

void fold_remove_job(struct fold *f)
{
	struct job *j = f->over;

	assert(j && job_over(j));
	f->over = NULL;
	j->queue->jobs--;
	job_drop(f->state, j);
}

void fold_end(struct fold *f)
{
	f->state->seq = f->seq;
}

void fold_set_cluster(struct fold *f, const uint8_t cluster_id[16])
{
	assert(!f->state->seq);
	memcpy(f->state->cluster_id, cluster_id, sizeof(f->state->cluster_id));
}

void fold_set_epoch(struct fold *f, uint64_t epoch)
{
	f->state->epoch = epoch;
}
