/* The loop of the controller (loop.h): ticks, signals, and the end. */
#include "armctld/loop.h"

#include "armctld/reload.h"
#include "armctld/standby.h"
#include "armctld/startup.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/notify.h"

#include <event2/event.h>
#include <signal.h>
#include <time.h>

enum { MEMORY_PAUSE_US = 10000000 };

/* Memory and log shrink after jobs have left. */
static void give_back(struct ctld *c)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	if (now_us - c->memory_us >= MEMORY_PAUSE_US) {
		memory_use_look(&c->memory);
		c->memory_us = now_us;
	}
	if (c->disk.known && c->disk.space.snapshot_seq < c->snapshots.seq &&
	    commit_idle(c->commit))
		snapshots_failed(&c->snapshots);
	if (!commit_writes_snapshot(c->commit) &&
	    snapshots_due(&c->snapshots, core_seq(c->core), c->memory.used, now_us))
		ctld_snapshot(c);
}

static void on_tick(evutil_socket_t fd, short what, void *arg)
{
	struct ctld *c = arg;
	struct input in = {.kind = INPUT_TICK, .text = c->disk.text};
	struct history_backlog backlog;
	bool starved = c->disk.starved;

	(void)fd, (void)what;
	log_peer_tick();
	disk_look(&c->disk, c->state, c->state_handle, c->conf->state_dir);
	standby_tick(c);
	if (!c->commit)
		return;
	history_backlog(c->history, &backlog);
	disk_look_commit(&c->disk, c->commit);
	disk_look_history(&c->disk, &backlog, c->conf->limits.history_backlog);
	if (c->rounds && starved && !c->disk.starved)
		rounds_wanted(c->rounds);
	ctld_input(c, &in);
	if (c->stopping)
		return;
	sessions_check_tokens(c->sessions);
	for (size_t i = 0; i < c->conf->floating_count; i++)
		floating_sources_poll(c->sources, &c->conf->floating[i], core_state(c->core));
	give_back(c);
}

static void on_signal(evutil_socket_t number, short what, void *arg)
{
	struct ctld *c = arg;

	(void)what;
	if (number == SIGHUP && !c->commit)
		startup_failed(c, true, "SIGHUP: armada.conf is read again");
	if (number == SIGHUP)
		reload_begin(c, 0, 0, false);
	else
		ctld_stop(c, number == SIGTERM ? "SIGTERM" : "SIGINT");
}

void loop_run(struct ctld *c)
{
	static const int numbers[SIGNALS] = {SIGTERM, SIGINT, SIGHUP};
	struct timeval second = {1, 0};

	for (size_t i = 0; i < SIGNALS; i++) {
		c->signals[i] = evsignal_new(c->base, numbers[i], on_signal, c);
		event_add(c->signals[i], NULL);
	}
	log_levels_signals();
	c->tick = event_new(c->base, -1, EV_PERSIST, on_tick, c);
	event_add(c->tick, &second);
	c->again = evtimer_new(c->base, on_tick, c);
	event_add(c->again, &(struct timeval){0, 0}); /* work may be left from before the restart */
	notify_systemd("READY=1");
	event_base_dispatch(c->base);
}
