#define LOG_AREA LOG_AREA_STATE
#include "armctld/ctld.h"
#include "armctld/snapshot_child.h"
#include "armctld/standby.h"
#include "util/clock.h"
#include "util/notify.h"
#include "util/log.h"
#include "util/units.h"

#include <event2/event.h>
#include <time.h>

/* The time limit for sending the last answers. */
enum { STOP_S = 30, DRAIN_MS = 10 };

void ctld_input(struct ctld *c, struct input *in)
{
	struct output out = {0};

	if (c->stopping)
		return;
	standby_check_lease(c);
	in->wall_us = clock_us(CLOCK_REALTIME);
	in->steady_us = clock_us(CLOCK_BOOTTIME);
	in->log_jobs = log_level_of_area(LOG_AREA_JOB);
	core_input(c->core, in, &out);
	snapshots_record(&c->snapshots, out.record_len);
	if (c->rounds && out.record)
		rounds_record(c->rounds, out.record, out.record_len);
	if (c->rounds && out.wants_round && !c->disk.starved)
		rounds_wanted(c->rounds);
	if (out.unfinished && c->again)
		event_add(c->again, &(struct timeval){0, 0});
	/* last, because effects that are sent at once may cause further inputs */
	commit_output(c->commit, in->conn, &out);
}

/* Gives the snapshot, which was begun at start_us, to the commit. */
static void give_snapshot(struct ctld *c, struct snapshot *s, int64_t start_us)
{
	snapshots_taken(&c->snapshots, s->seq, s->bytes, start_us);
	log_info("snapshot at record %llu: %llu KiB, taken in %s", (unsigned long long)s->seq,
		 (unsigned long long)s->bytes >> 10,
		 duration_words(clock_us(CLOCK_BOOTTIME) - start_us).text);
	commit_snapshot(c->commit, s);
}

static void snapshot_here(struct ctld *c)
{
	struct snapshot *s = snapshot_new(core_seq(c->core));
	int64_t start_us = clock_us(CLOCK_BOOTTIME);

	snapshots_begun(&c->snapshots);
	snapshot_take(s, c->core);
	give_snapshot(c, s, start_us);
}

static void on_snapshot(void *arg, struct snapshot *s)
{
	struct ctld *c = arg;

	snapshot_child_free(c->snapshot_child);
	c->snapshot_child = NULL;
	if (s)
		give_snapshot(c, s, c->snapshot_us);
	else
		snapshot_here(c);
}

void ctld_snapshot(struct ctld *c)
{
	if (c->snapshot_child)
		return;
	c->snapshot_us = clock_us(CLOCK_BOOTTIME);
	snapshots_begun(&c->snapshots);
	c->snapshot_child = snapshot_child_new(c->base, c->core, on_snapshot, c);
	if (!c->snapshot_child)
		snapshot_here(c);
}

/* Leave the loop when everything is durable, written and sent. */
static void on_drain(evutil_socket_t fd, short what, void *arg)
{
	struct ctld *c = arg;
	bool late = clock_us(CLOCK_BOOTTIME) >= c->stop_by_us;

	(void)fd, (void)what;
	if (!late && (!commit_idle(c->commit) || sessions_pending(c->sessions)))
		return;
	if (late)
		log_warn("some messages could not be sent before the end of the process");
	event_base_loopbreak(c->base);
}

void ctld_stop(struct ctld *c, const char *why)
{
	struct timeval pause = {0, DRAIN_MS * 1000};

	if (c->stopping)
		return;
	log_notice("stopping: %s", why);
	notify_systemd("STOPPING=1");
	c->stopping = true;
	sessions_stop_listening(c->sessions);
	if (!c->commit) { /* a standby owes nothing */
		event_base_loopbreak(c->base);
		return;
	}
	rounds_free(c->rounds);
	c->rounds = NULL;
	snapshot_child_free(c->snapshot_child);
	c->snapshot_child = NULL;
	/* with replicas the lead is given up next: others have the state, and would wait for a snapshot */
	if (core_seq(c->core) > c->snapshots.seq && !c->replica)
		snapshot_here(c);
	c->stop_by_us = clock_us(CLOCK_BOOTTIME) + STOP_S * INT64_C(1000000);
	c->drain = event_new(c->base, -1, EV_PERSIST, on_drain, c);
	event_add(c->drain, &pause);
}
