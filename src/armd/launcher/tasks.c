/*
 * The live tasks of the launcher. Input: notices of shepherds, deaths of children, time. Output:
 * inputs of the ledger (ready, started, ended).
 *
 * A notice is only a hint: the facts are in the attempt's file, which is read when a notice arrives
 * and once a second. A shepherd that is not a child of this launcher (an earlier one forked it) is
 * dead when no process holds the lock of its file. Before the end LOST is reported, all processes
 * of the task must be dead: children that no entry explains are killed (hooks/orphans.h), and the
 * containment is emptied (reclaim.h).
 */
#define LOG_AREA LOG_AREA_JOB
#include "armd/launcher/tasks.h"

#include "armd/hooks/orphans.h"
#include "armd/launcher/live.h"
#include "armd/launcher/network_out.h"
#include "armd/launcher/reclaim.h"
#include "armd/launcher/shepherd_out.h"
#include "armd/launcher/shutdown.h"
#include "armd/launcher/start.h"
#include "armd/spool/attempt.h"
#include "util/clock.h"
#include "util/log_peer.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TICK_US = 1000000, RETRY_US = 50000 };

/* Read from the attempt's file whether the task is ready or has started. */
static void check_start(struct launcher *l, struct live_task *v)
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

static void check_end(struct launcher *l, struct live_task *v)
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

/* A child of the launcher that is neither a shepherd nor in this list was a process of a task. */
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
 * The shepherd is dead. Either it left no record: then no process of the task may remain when LOST
 * is reported. Or it died after it wrote the record, while it cleaned up: then the launcher cleans
 * up, and the record counts.
 */
static bool reap_lost(struct launcher *l, struct live_task *v)
{
	if (kill_orphans(l) > 0 || !launcher_reclaim(l, v)) {
		launcher_tick_within(l, RETRY_US);
		return false;
	}
	l->sweep_us = clock_us(CLOCK_BOOTTIME);
	launcher_end_task(l, &v->key, ARMADA__END_CAUSE__END_LOST,
			  v->died_unattended ? "its shepherd died while armd was not running"
					     : "its shepherd died");
	return true;
}

void launcher_task_lost(struct launcher *l, const struct task_key *key)
{
	struct live_task *v = launcher_live_add(l, key, 0);

	v->shepherd_dead = v->died_unattended = true;
	if (reap_lost(l, v))
		launcher_live_remove(l, v);
}

static void shepherd_died(struct launcher *l, struct live_task *v)
{
	v->pid = 0;
	check_end(l, v);
	v->shepherd_dead = !v->ended || control_exists(&l->spool, &v->key);
	if (!v->shepherd_dead || reap_lost(l, v))
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

/*
 * Log a sentence once. Each task of a user would cause the same sentence; it is logged again only
 * after many different ones.
 */
static void log_once(struct launcher *l, const char *text)
{
	uint64_t hash = 14695981039346656037U; /* FNV-1a */

	for (const char *p = text; *p; p++)
		hash = (hash ^ (uint8_t)*p) * 1099511628211U;
	for (size_t i = 0; i < ARRAY_SIZE(l->logged); i++)
		if (l->logged[i] == hash)
			return;
	l->logged[l->logged_count++ % ARRAY_SIZE(l->logged)] = hash;
	log_peer(LOG_USERS, "tasks", LOG_NOTICE, "%s", text);
}

static void cache_user(struct launcher *l, const struct control_notice *n)
{
	struct cached_user u;

	memcpy(&u, n->text, sizeof(u));
	user_cache_keep(l->users, &u);
}

static void pass_usage(struct launcher *l, const struct control_notice *n)
{
	struct task_usage u;

	memcpy(&u, n->text, sizeof(u));
	launcher_send_usage(l, &n->key, &u);
}

static void pass_step(struct launcher *l, const struct control_notice *n)
{
	struct step_state state;

	memcpy(&state, n->text, sizeof(state));
	launcher_send_step(l, &n->key, &state);
}

void launcher_receive_notices(struct launcher *l)
{
	struct control_notice n;

	while (control_receive_notice(l->notify, &n)) {
		struct live_task *v = launcher_live_find(l, &n.key);

		if (n.event == CONTROL_SHUTDOWN)
			launcher_shutdown(l);
		if (n.event == CONTROL_LOG)
			log_once(l, n.text);
		if (n.event == CONTROL_CACHE_USER)
			cache_user(l, &n);
		if (!v || n.event == CONTROL_LOG || n.event == CONTROL_CACHE_USER)
			continue;
		if (n.event == CONTROL_STUCK && !v->stuck) {
			v->stuck = true;
			launcher_live_report_stuck(l);
		}
		check_start(l, v);
		if (n.event == CONTROL_SETTINGS_SET)
			ledger_settings(l->ledger, &v->key, strtoull(n.text, NULL, 10),
					&l->effects);
		if (n.event == CONTROL_USAGE)
			pass_usage(l, &n);
		if (n.event == CONTROL_STEP_STATE)
			pass_step(l, &n);
		if (n.event == CONTROL_ENDED)
			check_end(l, v);
		if (v->ended && v->pid == 0)
			launcher_live_remove(l, v);
	}
}

/* A shepherd that is not a child is dead when no process holds its lock. */
static bool adopted_died(struct launcher *l, const struct live_task *v)
{
	CLEANUP_CLOSE int fd = -1;

	return attempt_open(&l->spool, &v->key, &fd, NULL) < 0 || spool_lock_file(fd);
}

/* Returns true if v was removed from the list. */
static bool tick_one(struct launcher *l, struct live_task *v)
{
	launcher_send_again(l, v);
	if (!v->started && !v->shepherd_dead)
		check_start(l, v);
	if (v->shepherd_dead) {
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
