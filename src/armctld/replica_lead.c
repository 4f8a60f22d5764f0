/*
 * Takes the lead (replica_lead.h). Input: the epoch from the engine, and the marks of other controllers.
 * Output: the lead, or the time of the next try. A log that lacks what another controller knows ends the
 * process.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica_lead.h"

#include "armctld/peer_marks.h"
#include "armctld/replica_follow.h"
#include "armctld/replica_internal.h"
#include "armctld/replica_result.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <inttypes.h>

enum {
	TRY_LEAD_US = 300000,    /* the longest and ... */
	TRY_LEAD_MIN_US = 20000, /* ... the shortest pause between tries to lead */
};

/* Read up to the end of the log. */
static void catch_up(struct replica *r, uint64_t last_seq)
{
	bool all;

	while (!replica_stops(r) && r->given < last_seq) {
		if (!replica_lease_holds(r))
			r->ops->failed(r->arg, true, "the lease ended before the log was read");
		replica_follow(r, REPLICA_FOLLOW_MS, &all);
	}
}

/* The mark of another controller; 0, or the lead was lost. A log that lacks its record ends the process. */
static int check_mark(struct replica *r, struct peer_mark *peer)
{
	struct armada_error err = {""};
	CLEANUP_FREE char *text = NULL;
	int rc;

	for (;;) {
		rc = r->engine->check_mark(r->handle, &peer->mark, &err);
		if (rc != -EAGAIN || replica_stops(r) || !replica_lease_holds(r))
			break;
		pthread_mutex_lock(&r->lock);
		replica_wait_us(r, REPLICA_AGAIN_US);
		pthread_mutex_unlock(&r->lock);
	}
	if (rc == 0 || replica_stops(r))
		return rc;
	if (rc == -EBADMSG)
		return err_set(&peer->why, 0, "%s", err.text);
	if (rc == -EAGAIN || rc == -ESTALE)
		r->ops->failed(r->arg, true, err.text);
	if (rc != -EUCLEAN)
		r->ops->failed(r->arg, false, err.text);
	text = xasprintf("controller %s knows more than the store has: %s", peer->name, err.text);
	r->ops->failed(r->arg, false, text);
}

bool replica_has_marks(const struct replica *r)
{
	return r->engine->size >= sizeof(*r->engine) && r->engine->mark && r->engine->check_mark;
}

/*
 * The copies may have lost records that this controller never saw. One that cannot be asked does not prevent
 * the lead: a controller that is gone for ever would prevent it for ever.
 */
static bool check_marks(struct replica *r)
{
	struct peer_mark list[PEER_MARKS];
	size_t count = replica_has_marks(r) ? r->ops->ask_marks(r->arg, list) : 0;

	for (size_t i = 0; i < count && !replica_stops(r); i++) {
		if (!list[i].why.text[0] && check_mark(r, &list[i]) < 0)
			return false;
		if (list[i].why.text[0])
			log_notice(
				"controller %s does not say which records it knows: this one leads "
				"without it: %s",
				list[i].name, list[i].why.text);
	}
	return !replica_stops(r);
}

bool replica_try_lead(struct replica *r, int64_t *try_us)
{
	struct armada_replica_lead lead = {0};
	struct armada_error err = {""};
	uint64_t least = replica_wait_folded(r);
	int64_t pause_us = TRY_LEAD_US;
	int rc;

	if (!least)
		return false;
	rc = r->engine->lead(r->handle, least, &lead, &err);
	if (rc == -EBUSY && lead.wait_us < pause_us)
		pause_us = lead.wait_us > TRY_LEAD_MIN_US ? lead.wait_us : TRY_LEAD_MIN_US;
	*try_us = replica_now_us() + pause_us;
	replica_note_full(r, rc, err.text);
	if (rc == -EBUSY || replica_passes(rc))
		return false;
	if (rc < 0) {
		replica_fail(r, rc, err.text);
		return false;
	}
	pthread_mutex_lock(&r->lock);
	r->holds = true;
	r->led = lead.epoch;
	r->lease_us = lead.lease_us;
	pthread_cond_broadcast(&r->change);
	pthread_mutex_unlock(&r->lock);
	log_notice("epoch %" PRIu64 " is ours; the log ends at record %" PRIu64 ", %" PRIu64
		   " are read",
		   lead.epoch, lead.last_seq, r->given);
	catch_up(r, lead.last_seq);
	least = replica_wait_folded(r);
	if (least > lead.epoch) /* the records have a higher one: take it again */
		return replica_try_lead(r, try_us);
	return least != 0 && check_marks(r);
}
