/*
 * The threads of a controller (controller_task.h). What they do with each result of the plugin is what
 * src/armctld/replica.c and commit.c do.
 */
#include "asim/replicated/controller_task.h"
#include "asim/replicated/task.h"
#include "asim/replicated/users.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
	BATCH = 8,
	FOLLOW_MS = 200,
	AGAIN_US = 100 * MS,
	ANNOUNCE_US = SECOND,
	TRY_US = SECOND,
	LOOK_AGAIN_US = 5 * SECOND,
	RENEWALS = 3,
	SNAPSHOT_RECORDS = 150,
	HISTORY_RECORDS = 40,
};

static bool goes_on(const struct controller *c)
{
	return !c->ends && !c->stopping;
}

static void rest(struct controller *c, int64_t us)
{
	task_wait(c->world->now_us + controller_span_us(c, us));
}

/* A standby that misses records stays, without the lead, and looks again. */
static void refuse(struct controller *c, const char *why)
{
	if (!c->refuses)
		truth_stop(c->world, c, why);
	c->refuses = true;
	rest(c, LOOK_AGAIN_US);
}

/* An error that does not pass. */
static void fail(struct controller *c, int rc, const char *why)
{
	if (c->ends || rc == -EINTR)
		return;
	if (rc == -EUCLEAN && c->answers_us && !c->holds) {
		refuse(c, why);
		return;
	}
	if (rc == -EUCLEAN)
		truth_stop(c->world, c, why);
	controller_end(c, LOOK_AGAIN_US, why);
}

static int on_record(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct controller *c = arg;
	struct record r = {0};

	memcpy(&r, data, len < sizeof(r) ? len : sizeof(r));
	if (seq >= SEQ_MAX || r.key >= KEYS_MAX)
		return -E2BIG;
	if (!c->ends)
		truth_give(c->world, c, seq, &r);
	c->fold.seq = seq;
	c->fold.epoch = r.epoch;
	c->records[seq] = r;
	if (!c->given_from)
		c->given_from = seq;
	if (r.key)
		c->fold.of_key[r.key] = seq;
	return 0;
}

static int on_chunk(void *arg, uint64_t seq, const void *data, size_t len)
{
	struct controller *c = arg;

	if (len == sizeof(c->fold))
		memcpy(&c->fold, data, len);
	c->snapshot_seq = seq;
	return 0;
}

/* ---- standby ---- */

/* The first controller makes the state before the faults begin. */
static bool make_state(struct controller *c)
{
	static const uint8_t cluster_id[16] = "storm";
	struct armada_error err = {""};

	while (c->number && !c->world->made && goes_on(c))
		rest(c, AGAIN_US);
	if (!c->world->made && goes_on(c)) {
		if (c->ops->init(c->dir, cluster_id, c->values, &err))
			world_violate(c->world, "the state is not made: %s", err.text);
		c->world->made = true;
	}
	return goes_on(c);
}

static bool open_state(struct controller *c)
{
	struct armada_state_info info;
	struct armada_error err = {""};
	int rc = c->ops->open(&c->handle, c->dir, c->values, NULL, &info, &err);

	if (rc == 0)
		do {
			rc = c->ops->replay(c->handle, on_chunk, on_record, c, &err);
			if (rc == -EAGAIN)
				rest(c, AGAIN_US);
		} while (rc == -EAGAIN && goes_on(c));
	if (rc < 0 && rc != -EAGAIN)
		fail(c, rc, err.text);
	else if (rc < 0)
		controller_end(c, SECOND, err.text);
	return rc == 0;
}

static int follow(struct controller *c)
{
	struct armada_error err = {""};
	uint64_t seq = 0, acked = 0;
	int rc = c->ops->replica->follow(c->handle, c->fold.seq, FOLLOW_MS, on_record, c, &seq,
					 &acked, &err);

	if (rc == 0)
		truth_know(c->world, c);
	if (rc == -EAGAIN)
		rest(c, AGAIN_US);
	else if (rc == -ESTALE)
		controller_end(c, 100 * MS, "the log has changed behind the state");
	else if (rc < 0)
		fail(c, rc, err.text);
	else if (c->refuses)
		controller_end(c, 100 * MS, "the store has all records again");
	if (rc == 0 && c->fold.seq >= c->history_seq + HISTORY_RECORDS &&
	    c->ops->history_put(c->handle, c->fold.seq, NULL, 0, NULL, 0, &err) == 0)
		c->history_seq = c->fold.seq;
	return rc;
}

/* 0, or it ends: the mark of another controller. */
static bool check_mark(struct controller *c, const struct armada_replica_mark *mark)
{
	struct armada_error err = {""};
	int rc;

	for (;;) {
		rc = c->ops->replica->check_mark(c->handle, mark, &err);
		if (rc != -EAGAIN || !goes_on(c) || !controller_leads(c))
			break;
		rest(c, AGAIN_US);
	}
	if (rc == -EAGAIN || rc == -ESTALE) {
		controller_end(c, 100 * MS, "the lead is lost before it knows what others know");
	} else if (rc < 0) {
		c->world->count.told++;
		truth_learn(c->world, c, mark->seq);
		fail(c, rc, err.text);
	}
	return rc == 0 && goes_on(c);
}

/* The copies may have lost records that this controller never saw. */
static bool check_marks(struct controller *c)
{
	peer_marks_ask(c);
	for (int i = 0; i < CONTROLLERS; i++)
		if (c->marks.said[i] && !check_mark(c, &c->marks.marks[i]))
			return false;
	return goes_on(c);
}

/* True: it has the lead, and all records. */
static bool try_lead(struct controller *c, int64_t *try_us)
{
	struct armada_replica_lead lead = {0};
	struct armada_error err = {""};
	int rc = c->ops->replica->lead(c->handle, c->fold.epoch + 1, &lead, &err);
	int64_t pause_us = rc == -EBUSY && lead.wait_us < TRY_US ? lead.wait_us : TRY_US;

	*try_us = c->world->now_us + (pause_us > 20 * MS ? pause_us : 20 * MS);
	if (rc == -EBUSY || rc == -EAGAIN || rc == -EINTR)
		return false;
	if (rc < 0) {
		fail(c, rc, err.text);
		return false;
	}
	c->holds = true;
	c->held_us = c->world->now_us;
	truth_hold(c->world, c);
	c->led = lead.epoch;
	c->lease_us = lead.lease_us;
	world_trace(c->world,
		    "controller %d has epoch %" PRIu64 ", the log ends at record %" PRIu64,
		    c->number, lead.epoch, lead.last_seq);
	while (goes_on(c) && c->fold.seq < lead.last_seq) {
		if (!controller_leads(c))
			controller_end(c, 100 * MS, "the lease ended before the log was read");
		follow(c);
	}
	if (goes_on(c) && c->fold.epoch >= lead.epoch)
		return try_lead(c, try_us);
	return goes_on(c) && check_marks(c);
}

/* ---- leader ---- */

static bool append(struct controller *c, const struct record *records, size_t count)
{
	struct armada_state_record list[BATCH];
	struct armada_error err = {""};
	int rc;

	for (size_t i = 0; i < count; i++)
		list[i] = (struct armada_state_record){c->fold.seq + 1 + i, &records[i],
						       sizeof(records[i])};
	for (;;) {
		rc = c->ops->append(c->handle, list, count, &err);
		if (rc == 0 || !goes_on(c))
			break;
		if (rc != -EAGAIN && rc != -ENOSPC) {
			if (rc == -ESTALE)
				controller_end(c, 100 * MS, "the lead is lost");
			else
				fail(c, rc, err.text);
			break;
		}
		rest(c, rc == -EAGAIN ? AGAIN_US : SECOND);
	}
	for (size_t i = 0; rc == 0 && i < count; i++) {
		c->fold.seq++;
		c->records[c->fold.seq] = records[i];
		c->fold.epoch = records[i].epoch;
		if (!c->given_from)
			c->given_from = c->fold.seq;
		if (records[i].key)
			c->fold.of_key[records[i].key] = c->fold.seq;
		truth_acknowledge(c->world, c, c->fold.seq, &records[i]);
	}
	return rc == 0;
}

/* Records that it has read as a leader are acknowledged with its first one. */
static void acknowledge_read(struct controller *c, uint64_t last)
{
	for (uint64_t seq = c->given_from; seq && seq <= last; seq++)
		truth_acknowledge(c->world, c, seq, &c->records[seq]);
}

static bool begin(struct controller *c)
{
	const struct record r = {.epoch = c->led};
	uint64_t last = c->fold.seq;

	if (!append(c, &r, 1))
		return false;
	acknowledge_read(c, last);
	if (!controller_leads(c)) {
		controller_end(c, 100 * MS,
			       "the lease has ended before the first record was on all copies");
		return false;
	}
	c->acts = true;
	c->world->count.leads++;
	world_trace(c->world, "controller %d leads with epoch %" PRIu64 ", at record %" PRIu64,
		    c->number, c->led, c->fold.seq);
	truth_begin(c->world, c);
	return true;
}

static void save(struct controller *c)
{
	const struct armada_state_chunk chunk = {&c->fold, sizeof(c->fold)};
	struct armada_error err = {""};
	int rc = c->ops->history_put(c->handle, c->fold.seq, NULL, 0, NULL, 0, &err);

	if (rc == 0)
		rc = c->ops->snapshot(c->handle, c->fold.seq, &chunk, 1, &err);
	c->snapshot_seq = c->fold.seq;
	if (rc == 0)
		world_trace(c->world, "controller %d has written a snapshot at record %" PRIu64,
			    c->number, c->fold.seq);
	while (goes_on(c) && rc == 0 && (rc = c->ops->tidy(c->handle, &err)) == 1)
		rc = 0;
	if (rc == -EUCLEAN)
		fail(c, rc, err.text);
	else if (rc == -ESTALE)
		controller_end(c, 100 * MS, "the lead is lost");
}

static void append_queue(struct controller *c)
{
	struct record records[BATCH];
	uint64_t first = c->fold.seq + 1;
	size_t count = c->queued < BATCH ? c->queued : BATCH;

	for (size_t i = 0; i < count; i++)
		records[i] = (struct record){c->led, c->queue[i]};
	c->queued -= count;
	memmove(c->queue, c->queue + count, c->queued * sizeof(c->queue[0]));
	if (!append(c, records, count))
		return;
	/* what depends on the records leaves only with the lease */
	if (!controller_leads(c)) {
		controller_end(c, 100 * MS, "the lease has ended before an answer");
		return;
	}
	for (size_t i = 0; i < count; i++) {
		truth_act(c->world, c);
		users_answer(c->world, records[i].key, first + i, true);
	}
}

static void lead(struct controller *c)
{
	if (!begin(c))
		return;
	while (goes_on(c)) {
		if (c->queued)
			append_queue(c);
		else if (c->fold.seq >= c->snapshot_seq + SNAPSHOT_RECORDS)
			save(c);
		else
			rest(c, SECOND);
	}
}

void controller_main(struct controller *c)
{
	struct armada_error err = {""};
	int64_t try_us = 0;
	char heir[24];

	if (!make_state(c) || !open_state(c))
		return;
	c->history_seq = c->fold.seq;
	c->answers_us = c->world->now_us;
	c->side = task_new(c->world, c, controller_side);
	while (goes_on(c) && !c->holds) {
		follow(c);
		if (goes_on(c) && c->named && !c->refuses && c->world->now_us >= try_us &&
		    try_lead(c, &try_us))
			lead(c);
	}
	while (!c->ends && !c->side_done)
		rest(c, 10 * MS);
	if (c->ends)
		return;
	c->interrupted = false;
	c->ops->replica->interrupt(c->handle, false);
	snprintf(heir, sizeof(heir), "armctld%d", c->heir);
	c->ops->replica->resign(c->handle, c->heir < 0 ? NULL : heir, &err);
}

/* ---- the announcer ---- */

static void renew(struct controller *c)
{
	struct armada_error err = {""};
	int rc = c->ops->replica->renew(c->handle, &err);

	if (rc == -ESTALE || (rc < 0 && rc != -EUCLEAN && !controller_leads(c)))
		controller_end(c, 100 * MS, "the lease was not renewed");
	else if (rc < 0 && rc != -EAGAIN)
		fail(c, rc, err.text);
}

static int on_controller(void *arg, const struct armada_replica_controller *other)
{
	(void)other;
	++*(int *)arg;
	return 0;
}

static void announce(struct controller *c)
{
	struct armada_replica_controller self = {
		.leads = c->acts, .epoch = c->holds ? c->led : c->fold.epoch, .seq = c->fold.seq};
	struct armada_replica_copies copies;
	struct armada_error err = {""};
	int others = 0, rc;

	snprintf(self.name, sizeof(self.name), "armctld%d", c->number);
	snprintf(self.address, sizeof(self.address), "c%d", c->number);
	rc = c->ops->replica->announce(c->handle, &self, &err);
	if (rc == -EUCLEAN && !c->holds) /* its other task finds that, too */
		return;
	if (rc < 0 && rc != -EAGAIN)
		fail(c, rc, err.text);
	c->named = c->named || rc == 0;
	if (rc == 0)
		rc = c->ops->replica->controllers(c->handle, on_controller, &others, &err);
	if (rc == 0)
		rc = c->ops->replica->copies(c->handle, &copies, &err);
	if (rc)
		return;
	if (c->set_version && copies.version > c->set_version && c->acts)
		c->world->count.shrunk++;
	c->set_version = copies.version;
}

void controller_side(struct controller *c)
{
	int64_t announce_us = 0, renew_us = 0;
	struct world *w = c->world;

	while (goes_on(c)) {
		if (c->holds && w->now_us >= renew_us) {
			renew_us = w->now_us + controller_span_us(c, c->lease_us / RENEWALS);
			renew(c);
		} else if (w->now_us >= announce_us) {
			announce_us = w->now_us + ANNOUNCE_US;
			announce(c);
		} else {
			rest(c, AGAIN_US);
		}
	}
	c->side_done = true;
}
