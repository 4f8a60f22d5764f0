/*
 * One controller among several (replica.h). Input: the operations of the engine. Output: records, and the
 * lead, on the loop.
 *
 * The follower hands records over (replica_follow.h). It tries to take the lead (replica_lead.h) only when
 * the announcer (replica_announce.h) has found that no other controller has this name. From the moment of
 * the lead on the announcer renews the lease, also while the follower still reads. Caveat: the follower ends
 * with the lead, because the engine allows no follow while records are appended.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica.h"

#include "armctld/replica_announce.h"
#include "armctld/replica_follow.h"
#include "armctld/replica_internal.h"
#include "armctld/replica_lead.h"
#include "armctld/replica_result.h"
#include "util/log.h"
#include "util/mem.h"
#include "wire/loop_notify.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TURN = 4096 }; /* records folded in one iteration of the loop */

static void *follower_thread(void *arg)
{
	struct replica *r = arg;
	int64_t try_us = 0;
	bool all, named;

	while (!replica_stops(r)) {
		replica_follow(r, REPLICA_FOLLOW_MS, &all);
		pthread_mutex_lock(&r->lock);
		named = r->named;
		pthread_mutex_unlock(&r->lock);
		if (!named || r->refuses || replica_now_us() < try_us ||
		    !replica_try_lead(r, &try_us))
			continue;
		pthread_mutex_lock(&r->lock);
		r->caught_up = true;
		pthread_mutex_unlock(&r->lock);
		loop_notify_ring(r->notify);
		break;
	}
	return NULL;
}

static void fold(struct replica *r, struct replica_record *q)
{
	struct err err;
	int rc = r->ops->record(r->arg, q->seq, q->data, q->len, &err);

	if (rc < 0)
		r->ops->failed(r->arg, false, err.text);
	pthread_mutex_lock(&r->lock);
	r->seq = q->seq;
	r->epoch = r->ops->epoch(r->arg);
	r->queued -= q->len + sizeof(*q);
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	free(q);
}

static struct replica_record *next_record(struct replica *r)
{
	struct replica_record *q;

	pthread_mutex_lock(&r->lock);
	q = STAILQ_FIRST(&r->queue);
	if (q)
		STAILQ_REMOVE_HEAD(&r->queue, entry);
	pthread_mutex_unlock(&r->lock);
	return q;
}

static void take_change(struct replica *r)
{
	bool made;

	pthread_mutex_lock(&r->lock);
	made = r->change_is == CHANGE_MADE;
	pthread_mutex_unlock(&r->lock);
	if (!made)
		return;
	r->ops->copy_changed(r->arg, &r->copy_change);
	pthread_mutex_lock(&r->lock);
	r->change_is = CHANGE_NONE;
	pthread_mutex_unlock(&r->lock);
}

static void on_ring(void *arg)
{
	struct replica *r = arg;
	struct replica_record *q;
	bool begins;

	for (int i = 0; i < TURN && (q = next_record(r)); i++)
		fold(r, q);
	pthread_mutex_lock(&r->lock);
	begins = r->caught_up && STAILQ_EMPTY(&r->queue) && !r->leading && !r->stopping;
	r->leading = r->leading || begins;
	if (!STAILQ_EMPTY(&r->queue))
		loop_notify_ring(r->notify);
	pthread_mutex_unlock(&r->lock);
	if (begins)
		r->ops->lead(r->arg, r->led);
	take_change(r);
}

bool replica_leads(const struct replica *r)
{
	return r->leading && replica_now_us() < r->engine->lease_until(r->handle);
}

bool replica_mark(const struct replica *r, struct armada_replica_mark *ret_mark)
{
	if (!replica_has_marks(r))
		return false;
	r->engine->mark(r->handle, ret_mark);
	return true;
}

int64_t replica_lag_us(struct replica *r)
{
	int64_t current_us;

	pthread_mutex_lock(&r->lock);
	current_us = r->current_us;
	pthread_mutex_unlock(&r->lock);
	return replica_now_us() - current_us;
}

void replica_note_history(struct replica *r, const char *text)
{
	pthread_mutex_lock(&r->lock);
	snprintf(r->history, sizeof(r->history), "%s", text);
	pthread_mutex_unlock(&r->lock);
}

void replica_history(struct replica *r, char ret_text[REPLICA_HISTORY + 1])
{
	pthread_mutex_lock(&r->lock);
	memcpy(ret_text, r->history, sizeof(r->history));
	pthread_mutex_unlock(&r->lock);
}

bool replica_change_copy(struct replica *r, const struct copy_change *x)
{
	bool free;

	pthread_mutex_lock(&r->lock);
	free = r->change_is == CHANGE_NONE;
	if (free) {
		r->copy_change = *x;
		r->change_is = CHANGE_ASKED;
		pthread_cond_broadcast(&r->change);
	}
	pthread_mutex_unlock(&r->lock);
	return free;
}

void replica_appended(struct replica *r, uint64_t seq, uint64_t epoch)
{
	pthread_mutex_lock(&r->lock);
	r->acts = true;
	r->seq = seq;
	r->epoch = epoch;
	pthread_mutex_unlock(&r->lock);
}

struct replica *replica_new(struct event_base *base, const struct replica_config *config)
{
	struct replica *r = xcalloc(1, sizeof(*r));

	r->engine = config->state->replica;
	r->handle = config->handle;
	r->ops = config->ops;
	r->arg = config->arg;
	r->seq = r->given = config->seq;
	r->epoch = config->epoch;
	r->current_us = replica_now_us();
	r->facts = config->facts;
	r->facts_len = config->facts_len;
	snprintf(r->self.name, sizeof(r->self.name), "%s", config->name);
	snprintf(r->self.address, sizeof(r->self.address), "%s", config->address);
	STAILQ_INIT(&r->queue);
	r->notify = loop_notify_new(base, on_ring, r);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	if (pthread_create(&r->follower, NULL, follower_thread, r) ||
	    pthread_create(&r->announcer, NULL, replica_announcer, r))
		abort();
	return r;
}

void replica_free(struct replica *r, const char *heir)
{
	struct armada_error err = {""};

	if (!r)
		return;
	pthread_mutex_lock(&r->lock);
	r->stopping = true;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	r->engine->interrupt(r->handle, true);
	pthread_join(r->follower, NULL);
	pthread_join(r->announcer, NULL);
	r->engine->interrupt(r->handle, false);
	if (r->holds && r->engine->resign(r->handle, heir, &err) < 0)
		log_warn("the lead could not be given up, others wait for the end of its lease: %s",
			 err.text);
	for (struct replica_record *q; (q = next_record(r));)
		free(q);
	loop_notify_free(r->notify);
	buf_done(&r->told);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
