/*
 * The announcer (replica_announce.h). Input: the state of this controller. Output: announcements, renewals
 * and changes of the set in the store.
 */
#include "armctld/replica_announce.h"

#include "armctld/replica_facts.h"
#include "armctld/replica_follow.h"
#include "armctld/replica_internal.h"
#include "armctld/replica_result.h"
#include "wire/loop_notify.h"

#include <errno.h>

enum {
	ANNOUNCE_US = 1000000,
	RENEWALS = 8, /* in the time of a lease: a failover of the store may take most of it */
	RENEW_AGAIN_US = 100000,
};

static void announce(struct replica *r)
{
	struct armada_error err = {""};
	bool holds;
	int rc;

	pthread_mutex_lock(&r->lock);
	holds = r->holds;
	r->self.leads = r->acts;
	r->self.epoch = r->holds && r->led > r->epoch ? r->led : r->epoch;
	r->self.seq = r->seq;
	buf_clear(&r->told);
	buf_add(&r->told, r->facts, r->facts_len);
	replica_facts_add_history(&r->told, r->history);
	pthread_mutex_unlock(&r->lock);
	r->self.data = r->told.data;
	r->self.len = r->told.len;
	rc = r->engine->announce(r->handle, &r->self, &err);
	if (rc == -EUCLEAN && !holds) /* the follower finds it, too */
		return;
	if (rc < 0 && !replica_passes(rc))
		r->ops->failed(r->arg, false, err.text);
	replica_note_full(r, rc, err.text);
	if (rc < 0 && rc != -ENOSPC)
		return;
	pthread_mutex_lock(&r->lock);
	r->named = r->named || rc == 0;
	pthread_mutex_unlock(&r->lock);
	replica_view_read(r);
}

/* Returns when the lease is to be renewed next. */
static int64_t renew(struct replica *r)
{
	struct armada_error err = {""};
	int64_t begin_us = replica_now_us();
	int rc = r->engine->renew(r->handle, &err);

	if (rc == -ESTALE || (rc < 0 && !replica_lease_holds(r)))
		r->ops->failed(r->arg, true, err.text);
	if (rc < 0 && !replica_passes(rc))
		r->ops->failed(r->arg, false, err.text);
	return rc < 0 ? replica_now_us() + RENEW_AGAIN_US : begin_us + r->lease_us / RENEWALS;
}

/* Only this thread and, when nothing is asked, the loop write the change. */
static void change_copy(struct replica *r)
{
	copy_change_make(r->engine, r->handle, &r->copy_change);
	pthread_mutex_lock(&r->lock);
	if (r->copy_change.rc == 0)
		r->view.copies = r->copy_change.copies;
	r->change_is = CHANGE_MADE;
	pthread_mutex_unlock(&r->lock);
	loop_notify_ring(r->notify);
}

void *replica_announcer(void *arg)
{
	struct replica *r = arg;
	int64_t announce_us = 0, renew_us = 0, due_us;
	bool holds, change;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		holds = r->holds;
		change = r->change_is == CHANGE_ASKED;
		pthread_mutex_unlock(&r->lock);
		if (holds && replica_now_us() >= renew_us) {
			renew_us = renew(r);
		} else if (change) {
			change_copy(r);
		} else if (replica_now_us() >= announce_us) {
			announce_us = replica_now_us() + ANNOUNCE_US;
			announce(r);
		}
		due_us = r->holds && renew_us < announce_us ? renew_us : announce_us;
		pthread_mutex_lock(&r->lock);
		if (r->holds == holds && r->change_is != CHANGE_ASKED && due_us > replica_now_us())
			replica_wait_us(r, due_us - replica_now_us() < REPLICA_AGAIN_US
						   ? due_us - replica_now_us()
						   : REPLICA_AGAIN_US);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}
