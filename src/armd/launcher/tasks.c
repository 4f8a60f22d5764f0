/* The launcher's shepherds: heard, missed, reaped. */
#include "armd/launcher/tasks.h"

#include "armd/hooks/orphans.h"
#include "armd/launcher/live.h"
#include "armd/launcher/reclaim.h"
#include "armd/launcher/shepherd_out.h"
#include "armd/launcher/shutdown.h"
#include "armd/launcher/start.h"
#include "armd/spool/attempt.h"
#include "util/clock.h"
#include "util/log.h"
#include "util/mem.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TICK_US = 1000000, HURRY_US = 50000 };

/* How far it has got since we looked last. */
static void look_for_start(struct launcher *l, struct live *v)
{
	CLEANUP_CLOSE int fd = -1;
	struct attempt_start start;

	if (v->started || attempt_open(&l->spool, &v->key, &fd, NULL) < 0)
		return;
	attempt_read_start(fd, &start);
	if (start.ready && !v->ready) {
		v->ready = true;
		ledger_ready(l->ledger, &v->key, &l->effects);
	}
	if (!start.start_us)
		return;
	v->started = true;
	ledger_started(l->ledger, &v->key, start.start_us, &l->effects);
}

static void look_for_end(struct launcher *l, struct live *v)
{
	const Armada__TaskEnd *end;
	CLEANUP_CLOSE int fd = -1;

	if (v->ended || attempt_open(&l->spool, &v->key, &fd, NULL) < 0)
		return;
	end = attempt_read_end(fd, l->arena);
	if (!end)
		return;
	v->ended = true;
	ledger_ended(l->ledger, &v->key, end, false, &l->effects);
}

/* A child of the launcher that is neither a shepherd nor one of these was a task's. */
static size_t kill_orphans(struct launcher *l)
{
	const pid_t own[] = {l->network, l->credential.fd >= 0 ? l->credential.pid : 0,
			     l->health.run.pid, l->sweep.pid, l->reboot};
	pid_t *known = arena_alloc(l->arena, sizeof(own) + l->live_count * sizeof(*known));

	memcpy(known, own, sizeof(own));
	for (size_t i = 0; i < l->live_count; i++)
		known[ARRAY_SIZE(own) + i] = l->live[i].pid;
	return orphans_kill(known, ARRAY_SIZE(own) + l->live_count);
}

/*
 * Dead, without a word: nothing of the task may be left when that is said. Or dead after its record was
 * written, while it cleaned up: then that is done for it, and its record is what holds.
 */
static bool reap_lost(struct launcher *l, struct live *v)
{
	if (kill_orphans(l) > 0 || !launcher_reclaim(l, v)) {
		launcher_tick_within(l, HURRY_US);
		return false;
	}
	l->sweep_us = clock_us(CLOCK_BOOTTIME);
	launcher_end_task(l, &v->key, ARMADA__END_CAUSE__END_LOST,
			  v->away ? "its shepherd died while armd was away" : "its shepherd died");
	return true;
}

void launcher_lose_task(struct launcher *l, const struct task_key *key)
{
	struct live *v = launcher_live_add(l, key, 0);

	v->gone = v->away = true;
	if (reap_lost(l, v))
		launcher_live_remove(l, v);
}

static void shepherd_died(struct launcher *l, struct live *v)
{
	v->pid = 0;
	look_for_end(l, v);
	v->gone = !v->ended || control_exists(&l->spool, &v->key);
	if (!v->gone || reap_lost(l, v))
		launcher_live_remove(l, v);
}

void launcher_child_died(struct launcher *l, pid_t pid)
{
	for (size_t i = 0; i < l->live_count; i++) {
		if (l->live[i].pid != pid)
			continue;
		shepherd_died(l, &l->live[i]);
		return;
	}
}

/* Of each task of a user the same would be said: the log has it once, or again after many others. */
static void say_once(struct launcher *l, const char *text)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a */

	for (const char *p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 1099511628211U;
	for (size_t i = 0; i < ARRAY_SIZE(l->said); i++)
		if (l->said[i] == hash)
			return;
	l->said[l->said_count++ % ARRAY_SIZE(l->said)] = hash;
	log_notice("%s", text);
}

static void keep_known(struct launcher *l, const struct control_notice *n)
{
	struct cached_user u;

	memcpy(&u, n->text, sizeof(u));
	user_cache_keep(l->known, &u);
}

void launcher_hear_shepherds(struct launcher *l)
{
	struct control_notice n;

	while (control_receive_notice(l->notify, &n)) {
		struct live *v = launcher_live_find(l, &n.key);

		if (n.news == CONTROL_SHUTDOWN)
			launcher_shutdown(l);
		if (n.news == CONTROL_SAID)
			say_once(l, n.text);
		if (n.news == CONTROL_CACHE_USER)
			keep_known(l, &n);
		if (!v || n.news == CONTROL_SAID || n.news == CONTROL_CACHE_USER)
			continue;
		if (n.news == CONTROL_STUCK && !v->stuck) {
			v->stuck = true;
			launcher_live_stuck(l);
		}
		look_for_start(l, v);
		if (n.news == CONTROL_ENDED)
			look_for_end(l, v);
		if (v->ended && v->pid == 0)
			launcher_live_remove(l, v);
	}
}

/* A shepherd that is not our child is dead when no process holds its lock. */
static bool adopted_died(struct launcher *l, const struct live *v)
{
	CLEANUP_CLOSE int fd = -1;

	return attempt_open(&l->spool, &v->key, &fd, NULL) < 0 || spool_lock_file(fd);
}

/* Returns true when v is gone from the list. */
static bool tick_one(struct launcher *l, struct live *v)
{
	launcher_send_again(l, v);
	if (!v->started && !v->gone)
		look_for_start(l, v);
	if (v->gone) {
		if (!reap_lost(l, v))
			return false;
		launcher_live_remove(l, v);
		return true;
	}
	if (v->pid == 0 && adopted_died(l, v)) {
		shepherd_died(l, v);
		return true;
	}
	return false;
}

void launcher_tick(struct launcher *l)
{
	bool more = false;

	if (l->live_count > 0 && l->next_tick_us == 0)
		launcher_tick_within(l, TICK_US);
	if (l->next_tick_us == 0 || clock_us(CLOCK_BOOTTIME) < l->next_tick_us)
		return;
	l->next_tick_us = 0;
	launcher_send_steps(l);
	for (size_t i = 0; i < l->live_count;)
		i += tick_one(l, &l->live[i]) ? 0 : 1;
	for (size_t i = 0; i < l->live_count; i++)
		more |= l->live[i].pid == 0 || !l->live[i].started;
	if (more)
		launcher_tick_within(l, TICK_US);
}
