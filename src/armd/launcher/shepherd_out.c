/*
 * Sends orders of the launcher to shepherds: kill, release, signal, settings, step. Input: effects of the
 * ledger. Output: datagrams to the socket of the shepherd.
 *
 * If the socket is full, a kill and a release are sent again at the next tick, and a step waits in
 * a queue. A signal is sent once, because a late signal could reach the task at a wrong time.
 * Settings are sent once, because the controller repeats them. If the socket does not exist, the
 * shepherd has ended, and the end is in its record.
 */
#define LOG_AREA LOG_AREA_JOB
#include "armd/launcher/shepherd_out.h"

#include "armd/launcher/live.h"
#include "armd/pipe/body.h"
#include "util/log_peer.h"
#include "util/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RETRY_US = 50000, QUEUED_STEPS_MAX = 256 };

static void send_kill(struct launcher *l, struct live_task *v)
{
	CLEANUP_CLOSE int text = -1;
	struct err ignored;
	int rc;

	if (v->kill_text)
		text = pipe_body_new(v->kill_text, strlen(v->kill_text), &ignored);
	rc = control_send(&l->spool, &v->key, &v->kill, text);
	/* Another error means that the shepherd has ended: its record will be read. */
	v->kill_pending = rc == -EAGAIN;
	if (v->kill_pending)
		launcher_tick_within(l, RETRY_US);
}

void launcher_kill_task(struct launcher *l, const struct ledger_effect *e, const char *text)
{
	struct live_task *v = launcher_live_find(l, &e->key);

	if (!v || v->ended || v->shepherd_dead)
		return;
	v->kill = (struct control_order){
		.kind = CONTROL_KILL, .cause = e->cause, .grace_ms = e->grace_ms};
	free(v->kill_text);
	v->kill_text = text ? xstrdup(text) : NULL;
	send_kill(l, v);
}

/* Sent once: a signal that cannot be sent now is dropped. */
void launcher_signal_task(struct launcher *l, const struct task_key *key, uint32_t wish,
			  uint64_t step)
{
	const struct control_order o = {.kind = step ? CONTROL_SIGNAL_STEP : CONTROL_SIGNAL,
					.cause = wish,
					.grace_ms = (int64_t)step};
	struct live_task *v = launcher_live_find(l, key);
	char text[64];

	if (!v || v->ended || v->shepherd_dead || control_send(&l->spool, key, &o, -1) == 0)
		return;
	task_key_format(key, text);
	log_peer(LOG_USERS, "tasks that get signals", LOG_WARN,
		 "a signal for %s was dropped: its shepherd does not receive messages", text);
}

/* Sent once: the controller repeats settings that no shepherd confirms. */
void launcher_settings_task(struct launcher *l, const struct task_key *key, const uint8_t *body,
			    size_t len)
{
	const struct control_order o = {.kind = CONTROL_SETTINGS};
	struct live_task *v = launcher_live_find(l, key);
	CLEANUP_CLOSE int fd = -1;
	struct err err;

	if (!v || v->ended || v->shepherd_dead)
		return;
	fd = pipe_body_new(body, len, &err);
	if (fd < 0)
		log_peer(LOG_USERS, "settings", LOG_ERROR, "settings of a task were dropped: %s",
			 err.text);
	else
		control_send(&l->spool, key, &o, fd);
}

static void send_release(struct launcher *l, struct live_task *v)
{
	const struct control_order o = {.kind = CONTROL_RELEASE};
	int rc = control_send(&l->spool, &v->key, &o, -1);

	v->release_pending = rc == -EAGAIN;
	if (v->release_pending)
		launcher_tick_within(l, RETRY_US);
}

void launcher_release_task(struct launcher *l, const struct task_key *key)
{
	struct live_task *v = launcher_live_find(l, key);

	if (v && !v->ended && !v->shepherd_dead)
		send_release(l, v);
}

static void keep_step(struct launcher *l, const struct task_key *key, const struct control_order *o,
		      int fd)
{
	if (l->step_count == QUEUED_STEPS_MAX) {
		log_peer(LOG_USERS, "steps", LOG_WARN,
			 "a step was dropped: %d steps already wait for their shepherds",
			 QUEUED_STEPS_MAX);
		close(fd);
		return;
	}
	GROW(l->steps, l->step_cap, l->step_count + 1);
	l->steps[l->step_count++] = (struct waiting_step){*key, *o, fd};
	launcher_tick_within(l, RETRY_US);
}

void launcher_step_task(struct launcher *l, const struct task_key *key, uint64_t number,
			const uint8_t *payload, size_t len)
{
	/* order_step_number(): the number plus 1, and the layer above it */
	const struct control_order o = {.kind = CONTROL_STEP,
					.cause = (uint32_t)number,
					.grace_ms = (int64_t)(number >> 32)};
	struct err err;
	int fd = pipe_body_new(payload, len, &err);

	if (fd < 0) {
		log_peer(LOG_USERS, "steps", LOG_ERROR, "a step was dropped: %s", err.text);
		return;
	}
	if (control_send(&l->spool, key, &o, fd) == -EAGAIN)
		keep_step(l, key, &o, fd);
	else
		close(fd);
}

void launcher_send_steps(struct launcher *l)
{
	size_t left = 0;

	for (size_t i = 0; i < l->step_count; i++) {
		struct waiting_step s = l->steps[i];

		if (control_send(&l->spool, &s.key, &s.order, s.fd) == -EAGAIN)
			l->steps[left++] = s;
		else
			close(s.fd);
	}
	l->step_count = left;
	if (left)
		launcher_tick_within(l, RETRY_US);
}

/* A shepherd whose socket is full is busy with steps, and tells of these later. */
void launcher_ask_steps(struct launcher *l)
{
	const struct control_order o = {.kind = CONTROL_TELL_STEPS};

	for (size_t i = 0; i < l->live_count; i++)
		if (!l->live[i].ended && !l->live[i].shepherd_dead)
			control_send(&l->spool, &l->live[i].key, &o, -1);
}

void launcher_send_again(struct launcher *l, struct live_task *v)
{
	if (v->kill_pending)
		send_kill(l, v);
	if (v->release_pending)
		send_release(l, v);
}
