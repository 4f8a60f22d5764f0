/*
 * Settings of a running task (settings.h). Input: a sealed memfd from the launcher, which has checked
 * the controller's signature. Output: the members of the body that the deadlines use, a frozen or
 * thawed task, and a notice with the number of the settings in effect.
 *
 * The number only grows, so a copy of an old order changes nothing. It is confirmed all the same,
 * because the controller repeats an order until it is. The number is in memory alone: a shepherd
 * lives as long as its task.
 */
#include "armd/shepherd/settings.h"

#include "armd/pipe/body.h"
#include "armd/shepherd/control.h"
#include "armd/shepherd/hosts.h"
#include "armd/shepherd/signal.h"
#include "util/mem.h"

#include <string.h>

void shepherd_freeze(struct shepherd *s, bool frozen)
{
	const struct armada_contain_ops *contain = s->task->contain;
	struct armada_error err = {0};

	if (!contain->freeze || !s->contain || (!frozen && !s->suspended))
		return;
	if (contain->freeze(s->contain, frozen, &err) < 0)
		control_send_log(s->task->spool, &s->task->order.key, err.text);
	s->suspended = frozen;
}

/* Other tasks joined or left: the file is new before the signal says so. */
static void take_hosts(struct shepherd *s, const Armada__TaskSettings *m, bool alive)
{
	int rc = 0;

	if (!shepherd_hosts_changed(s, &m->hosts, &rc))
		return;
	if (rc < 0)
		control_send_log(s->task->spool, &s->task->order.key,
				 "cannot write the list of hosts to the spool");
	else if (alive && m->hosts_signal)
		shepherd_send(s, m->hosts_signal, true); /* its children may not know it */
}

static void obey(struct shepherd *s, const Armada__TaskSettings *m, bool alive)
{
	s->settings = m->number;
	if (m->time_limit_ms > s->body->time_limit_ms || m->time_limit_ms == 0)
		s->warned = false; /* the signal before the limit comes again */
	s->body->time_limit_ms = m->time_limit_ms;
	if (strcmp(m->time_limit_text, s->body->time_limit_text) != 0)
		s->body->time_limit_text = arena_strdup(s->arena, m->time_limit_text);
	take_hosts(s, m, alive);
	if (alive && m->suspended != s->suspended)
		shepherd_freeze(s, m->suspended);
}

void shepherd_take_settings(struct shepherd *s, int fd, bool alive)
{
	/* not that of the shepherd: there is an order for each task that joins or leaves */
	struct arena *arena CLEANUP_ARENA = arena_new(0);
	CLEANUP_FREE uint8_t *packed = NULL;
	const Armada__TaskSettings *m = NULL;
	struct err err;
	size_t len;

	if (pipe_body_read(fd, &packed, &len, &err) == 0)
		m = msg_unpack_as(&armada__task_settings__descriptor, packed, len, arena, &err);
	if (!m) {
		control_send_log(s->task->spool, &s->task->order.key, err.text);
		return;
	}
	if (m->number > s->settings)
		obey(s, m, alive);
	control_settings_set(s->task->spool, &s->task->order.key, s->settings);
}
