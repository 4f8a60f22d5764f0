/*
 * One controller among several (replica.h). Input: the operations of the engine. Output: records, and the
 * lead, on the loop.
 *
 * The follower hands records over in a list of bounded size. It tries to take the lead only when the
 * announcer has found that no other controller has this name. From the moment of the lead on the
 * announcer renews the lease, also while the follower still reads. Caveat: the follower ends with the
 * lead, because the engine allows no follow while records are appended.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/replica.h"

#include "armctld/copy_change.h"
#include "armctld/peer_marks.h"
#include "armctld/replica_facts.h"
#include "util/buf.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"
#include "util/units.h"
#include "wire/loop_notify.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <time.h>

enum {
	FOLLOW_MS = 250,
	AGAIN_US = 200000,       /* the pause after a call that did not reach the store */
	TRY_LEAD_US = 300000,    /* the longest and ... */
	TRY_LEAD_MIN_US = 20000, /* ... the shortest pause between tries to lead */
	ANNOUNCE_US = 1000000,
	LOOK_AGAIN_US = 5000000,
	RENEWALS = 8, /* in the time of a lease: a failover of the store may take most of it */
	RENEW_AGAIN_US = 100000,
	QUEUE_BYTES = 32 << 20,
	TURN = 4096, /* records folded in one iteration of the loop */
};

struct queued {
	STAILQ_ENTRY(queued) entry;
	uint64_t seq;
	size_t len;
	uint8_t data[];
};

STAILQ_HEAD(queue, queued);

struct replica {
	const struct armada_replica_ops *engine;
	void *handle;
	const struct replica_ops *ops;
	void *arg;
	struct armada_replica_controller self; /* of the announcer */
	const void *facts;
	size_t facts_len;
	struct buf told; /* the facts, and what the history lacks */

	pthread_t follower, announcer;
	pthread_mutex_t lock;
	pthread_cond_t change;
	struct loop_notify *notify;
	/* under lock: */
	bool stopping;
	bool named;     /* no other controller has this name */
	bool holds;     /* lead has succeeded, and ... */
	bool caught_up; /* ... all its records are given to the loop */
	bool acts;      /* its first record is durable */
	uint64_t led;   /* the epoch */
	int64_t lease_us;
	uint64_t seq, epoch; /* folded */
	uint64_t given;      /* to the loop */
	int64_t current_us;  /* when the follower last knew that it had all acknowledged records */
	struct queue queue;
	size_t queued; /* bytes */
	struct replica_view view;
	int64_t viewed_us;
	enum { CHANGE_NONE, CHANGE_ASKED, CHANGE_MADE } change_is;
	struct copy_change copy_change;
	char history[REPLICA_HISTORY + 1];
	bool refuses; /* the store lacks records: this standby stays, and tells others what it knows */
	struct err full; /* the store has no memory for what the lead needs; "": it has */
	/* of the loop: */
	bool leading;
};

static int64_t now_us(void)
{
	return clock_us(CLOCK_BOOTTIME);
}

/* Locked. Until something changes, at most so long. False: the process ends. */
static bool wait_us(struct replica *r, int64_t us)
{
	struct timespec until;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += us / 1000000;
	until.tv_nsec += us % 1000000 * 1000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	while (!r->stopping &&
	       pthread_cond_clockwait(&r->change, &r->lock, CLOCK_MONOTONIC, &until) == 0)
		;
	return !r->stopping;
}

/* ---- the follower ---- */

static int take_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct replica *r = arg;
	struct queued *q = xmalloc(sizeof(*q) + len);

	q->seq = seq;
	q->len = len;
	memcpy(q->data, data, len);
	pthread_mutex_lock(&r->lock);
	while (!r->stopping && r->queued > QUEUE_BYTES)
		pthread_cond_wait(&r->change, &r->lock);
	STAILQ_INSERT_TAIL(&r->queue, q, entry);
	r->queued += len + sizeof(*q);
	r->given = seq;
	pthread_mutex_unlock(&r->lock);
	loop_notify_ring(r->notify);
	return 0;
}

/*
 * An error that does not pass. A copy that is just being filled looks like one that has lost records, so a
 * standby, which has written nothing, looks again after some seconds. Meanwhile it does not lead, and tells
 * controllers that want to lead what it knows.
 */
static void fail(struct replica *r, int code, const char *sentence)
{
	pthread_mutex_lock(&r->lock);
	if (code != -EUCLEAN || r->holds) {
		pthread_mutex_unlock(&r->lock);
		r->ops->failed(r->arg, false, sentence);
	}
	if (!r->refuses)
		log_error("this controller does not lead, and follows no more: %s", sentence);
	r->refuses = true;
	wait_us(r, LOOK_AGAIN_US);
	pthread_mutex_unlock(&r->lock);
}

/* The call may be repeated, and another one may succeed. */
static bool passes(int code)
{
	return code == -EAGAIN || code == -EINTR || code == -ENOSPC;
}

/* A store without memory refuses the lease, too, so that no controller leads: administrators see why. */
static void note_full(struct replica *r, int code, const char *sentence)
{
	bool before;

	pthread_mutex_lock(&r->lock);
	before = r->full.text[0] != '\0';
	snprintf(r->full.text, sizeof(r->full.text), "%s", code == -ENOSPC ? sentence : "");
	pthread_mutex_unlock(&r->lock);
	if (code == -ENOSPC && !before)
		log_error("%s: no controller can lead until it has memory", sentence);
}

/* Once. 0: it may go on, also after an error that can pass. */
static int follow(struct replica *r, int timeout_ms, bool *ret_all)
{
	struct armada_error err = {""};
	uint64_t seq = r->given, acked = 0;
	int64_t begin_us = now_us();
	int rc = r->engine->follow(r->handle, r->given, timeout_ms, take_record, r, &seq, &acked,
				   &err);

	*ret_all = rc == 0 && seq >= acked;
	pthread_mutex_lock(&r->lock);
	if (*ret_all)
		r->current_us = begin_us;
	if (rc == -EAGAIN && r->view.problem.text[0] == '\0')
		log_warn("the log cannot be followed now: %s", err.text);
	r->view.problem.text[0] = '\0';
	if (rc == -EAGAIN || rc == -EUCLEAN)
		snprintf(r->view.problem.text, sizeof(r->view.problem.text), "%s", err.text);
	if (rc == -EAGAIN)
		wait_us(r, AGAIN_US);
	pthread_mutex_unlock(&r->lock);
	if (rc == -ESTALE)
		r->ops->failed(r->arg, true,
			       "the log has changed behind the state, which is read again");
	if (rc < 0 && rc != -EAGAIN && rc != -EINTR)
		fail(r, rc, err.text);
	if (rc == 0 && r->refuses)
		r->ops->failed(r->arg, true, "the store has all records again");
	return rc;
}

/* The loop has folded all that it got. Returns the epoch; 0: the process ends. */
static uint64_t wait_folded(struct replica *r)
{
	uint64_t epoch;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping && r->seq < r->given)
		pthread_cond_wait(&r->change, &r->lock);
	epoch = r->stopping ? 0 : r->epoch + 1;
	pthread_mutex_unlock(&r->lock);
	return epoch;
}

static bool lease_holds(struct replica *r)
{
	return now_us() < r->engine->lease_until(r->handle);
}

static bool stops(struct replica *r)
{
	bool stopping;

	pthread_mutex_lock(&r->lock);
	stopping = r->stopping;
	pthread_mutex_unlock(&r->lock);
	return stopping;
}

/* Read up to the end of the log. */
static void catch_up(struct replica *r, uint64_t last_seq)
{
	bool all;

	while (!stops(r) && r->given < last_seq) {
		if (!lease_holds(r))
			r->ops->failed(r->arg, true, "the lease ended before the log was read");
		follow(r, FOLLOW_MS, &all);
	}
}

/* The mark of another controller; 0, or the lead was lost. A log that lacks its record ends the process. */
static int check_mark(struct replica *r, const struct peer_mark *peer)
{
	struct armada_error err = {""};
	CLEANUP_FREE char *text = NULL;
	int rc;

	for (;;) {
		rc = r->engine->check_mark(r->handle, &peer->mark, &err);
		if (rc != -EAGAIN || stops(r) || !lease_holds(r))
			break;
		pthread_mutex_lock(&r->lock);
		wait_us(r, AGAIN_US);
		pthread_mutex_unlock(&r->lock);
	}
	if (rc == 0 || stops(r))
		return rc;
	if (rc == -EAGAIN || rc == -ESTALE)
		r->ops->failed(r->arg, true, err.text);
	text = xasprintf("controller %s knows more than the store has: %s", peer->name, err.text);
	r->ops->failed(r->arg, false, text);
}

static bool has_marks(const struct replica *r)
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
	size_t count = has_marks(r) ? r->ops->ask_marks(r->arg, list) : 0;

	for (size_t i = 0; i < count && !stops(r); i++) {
		if (list[i].why.text[0])
			log_notice(
				"controller %s does not say which records it knows: this one leads "
				"without it: %s",
				list[i].name, list[i].why.text);
		else if (check_mark(r, &list[i]) < 0)
			return false;
	}
	return !stops(r);
}

/* 1: this controller leads, with all records. Else the time of the next try is set. */
static bool try_lead(struct replica *r, int64_t *try_us)
{
	struct armada_replica_lead lead = {0};
	struct armada_error err = {""};
	uint64_t least = wait_folded(r);
	int64_t pause_us = TRY_LEAD_US;
	int rc;

	if (!least)
		return false;
	rc = r->engine->lead(r->handle, least, &lead, &err);
	if (rc == -EBUSY && lead.wait_us < pause_us)
		pause_us = lead.wait_us > TRY_LEAD_MIN_US ? lead.wait_us : TRY_LEAD_MIN_US;
	*try_us = now_us() + pause_us;
	note_full(r, rc, err.text);
	if (rc == -EBUSY || passes(rc))
		return false;
	if (rc < 0)
		fail(r, rc, err.text);
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
	least = wait_folded(r);
	if (least > lead.epoch) /* the records have a higher one: take it again */
		return try_lead(r, try_us);
	return least != 0 && check_marks(r);
}

static void *follower_thread(void *arg)
{
	struct replica *r = arg;
	int64_t try_us = 0;
	bool all, named;

	while (!stops(r)) {
		follow(r, FOLLOW_MS, &all);
		pthread_mutex_lock(&r->lock);
		named = r->named;
		pthread_mutex_unlock(&r->lock);
		if (!named || r->refuses || now_us() < try_us || !try_lead(r, &try_us))
			continue;
		pthread_mutex_lock(&r->lock);
		r->caught_up = true;
		pthread_mutex_unlock(&r->lock);
		loop_notify_ring(r->notify);
		break;
	}
	return NULL;
}

/* ---- the announcer ---- */

static int add_peer(void *arg, const struct armada_replica_controller *c)
{
	struct replica_view *v = arg;
	struct replica_peer *p = &v->peers[v->peer_count];

	if (v->peer_count == REPLICA_CONTROLLERS)
		return 0;
	snprintf(p->name, sizeof(p->name), "%s", c->name);
	snprintf(p->address, sizeof(p->address), "%s", c->address);
	p->leads = c->leads;
	p->epoch = c->epoch;
	p->seq = c->seq;
	p->age_us = c->age_us;
	v->peer_count++;
	return 0;
}

struct looking {
	struct replica *replica;
	struct replica_view *view;
};

static int on_controller(void *arg, const struct armada_replica_controller *c)
{
	struct looking *l = arg;
	struct replica *r = l->replica;
	size_t before = l->view->peer_count;

	add_peer(l->view, c);
	if (l->view->peer_count > before && strcmp(c->name, r->self.name) != 0)
		r->ops->compare(r->arg, c, &l->view->peers[before].difference,
				l->view->peers[before].history);
	return 0;
}

/* Says once what a controller has different. */
static void note_difference(const struct replica_view *before, const struct replica_peer *p)
{
	for (size_t i = 0; i < before->peer_count; i++)
		if (strcmp(before->peers[i].name, p->name) == 0 &&
		    strcmp(before->peers[i].difference.text, p->difference.text) == 0)
			return;
	if (p->difference.text[0])
		log_warn("controller %s: %s", p->name, p->difference.text);
}

static void note_copy(const struct replica_view *before, const struct armada_replica_copy *now)
{
	const struct armada_replica_copies *c = &before->copies;

	for (size_t i = 0; i < c->count; i++) {
		if (strcmp(c->copies[i].name, now->name) != 0 ||
		    (c->copies[i].state == now->state && c->copies[i].member == now->member &&
		     c->copies[i].primary == now->primary))
			continue;
		log_notice("copy %s of the store: %s%s%s%s%s", now->name,
			   now->state == ARMADA_REPLICA_IN_SYNC    ? "in sync"
			   : now->state == ARMADA_REPLICA_CATCHING ? "catching up"
								   : "away",
			   now->member ? ", in the set" : ", not in the set",
			   now->primary ? ", primary" : "", now->why[0] ? ": " : "", now->why);
	}
}

static void look(struct replica *r)
{
	struct replica_view v = {.peer_count = 0}, before;
	struct looking l = {r, &v};
	struct armada_error err = {""};
	int rc = r->engine->controllers(r->handle, on_controller, &l, &err);

	if (rc == 0)
		rc = r->engine->copies(r->handle, &v.copies, &err);
	pthread_mutex_lock(&r->lock);
	before = r->view;
	if (rc == 0) {
		v.problem = before.problem;
		r->view = v;
		r->viewed_us = now_us();
	}
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; rc == 0 && i < v.peer_count; i++)
		note_difference(&before, &v.peers[i]);
	for (size_t i = 0; rc == 0 && i < v.copies.count; i++)
		note_copy(&before, &v.copies.copies[i]);
}

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
	if (rc < 0 && !passes(rc))
		r->ops->failed(r->arg, false, err.text);
	note_full(r, rc, err.text);
	if (rc < 0 && rc != -ENOSPC)
		return;
	pthread_mutex_lock(&r->lock);
	r->named = r->named || rc == 0;
	pthread_mutex_unlock(&r->lock);
	look(r);
}

/* Returns when the lease is to be renewed next. */
static int64_t renew(struct replica *r)
{
	struct armada_error err = {""};
	int64_t begin_us = now_us();
	int rc = r->engine->renew(r->handle, &err);

	if (rc == -ESTALE || (rc < 0 && !lease_holds(r)))
		r->ops->failed(r->arg, true, err.text);
	if (rc < 0 && !passes(rc))
		r->ops->failed(r->arg, false, err.text);
	return rc < 0 ? now_us() + RENEW_AGAIN_US : begin_us + r->lease_us / RENEWALS;
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

static void *announcer_thread(void *arg)
{
	struct replica *r = arg;
	int64_t announce_us = 0, renew_us = 0, due_us;
	bool holds, change;

	pthread_mutex_lock(&r->lock);
	while (!r->stopping) {
		holds = r->holds;
		change = r->change_is == CHANGE_ASKED;
		pthread_mutex_unlock(&r->lock);
		if (holds && now_us() >= renew_us) {
			renew_us = renew(r);
		} else if (change) {
			change_copy(r);
		} else if (now_us() >= announce_us) {
			announce_us = now_us() + ANNOUNCE_US;
			announce(r);
		}
		due_us = r->holds && renew_us < announce_us ? renew_us : announce_us;
		pthread_mutex_lock(&r->lock);
		if (r->holds == holds && r->change_is != CHANGE_ASKED && due_us > now_us())
			wait_us(r, due_us - now_us() < AGAIN_US ? due_us - now_us() : AGAIN_US);
	}
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/* ---- the loop ---- */

static void fold(struct replica *r, struct queued *q)
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

static struct queued *next_record(struct replica *r)
{
	struct queued *q;

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
	struct queued *q;
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
	return r->leading && now_us() < r->engine->lease_until(r->handle);
}

bool replica_mark(const struct replica *r, struct armada_replica_mark *ret_mark)
{
	if (!has_marks(r))
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
	return now_us() - current_us;
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

void replica_look(struct replica *r, struct replica_view *ret_view)
{
	int64_t older_us;

	pthread_mutex_lock(&r->lock);
	*ret_view = r->view;
	if (!ret_view->problem.text[0])
		ret_view->problem = r->full;
	older_us = r->viewed_us ? now_us() - r->viewed_us : 0;
	pthread_mutex_unlock(&r->lock);
	for (size_t i = 0; i < ret_view->peer_count; i++)
		if (ret_view->peers[i].age_us >= 0)
			ret_view->peers[i].age_us += older_us;
}

bool replica_leader(struct replica *r, char ret_address[ARMADA_REPLICA_ADDRESS_MAX + 1])
{
	struct replica_view v;

	replica_look(r, &v);
	for (size_t i = 0; i < v.peer_count; i++) {
		const struct replica_peer *p = &v.peers[i];

		if (!p->leads || p->age_us < 0 || p->age_us > REPLICA_AWAY_US)
			continue;
		memcpy(ret_address, p->address, sizeof(p->address));
		return true;
	}
	ret_address[0] = '\0';
	return false;
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
	r->current_us = now_us();
	r->facts = config->facts;
	r->facts_len = config->facts_len;
	snprintf(r->self.name, sizeof(r->self.name), "%s", config->name);
	snprintf(r->self.address, sizeof(r->self.address), "%s", config->address);
	STAILQ_INIT(&r->queue);
	r->notify = loop_notify_new(base, on_ring, r);
	pthread_mutex_init(&r->lock, NULL);
	pthread_cond_init(&r->change, NULL);
	if (pthread_create(&r->follower, NULL, follower_thread, r) ||
	    pthread_create(&r->announcer, NULL, announcer_thread, r))
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
	for (struct queued *q; (q = next_record(r));)
		free(q);
	loop_notify_free(r->notify);
	buf_done(&r->told);
	pthread_cond_destroy(&r->change);
	pthread_mutex_destroy(&r->lock);
	free(r);
}
