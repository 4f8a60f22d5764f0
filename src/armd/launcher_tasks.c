/* The launcher's shepherds: started, killed, heard, missed. */
#include "armd/attempt.h"
#include "armd/launcher_body.h"
#include "armd/lease.h"
#include "armd/orphans.h"
#include "armd/shepherd.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TICK_US = 1000000, HURRY_US = 50000, STEPS_WAIT_MAX = 256 };

static struct live *find_live(struct launcher *l, const struct task_key *key)
{
	for (size_t i = 0; i < l->live_count; i++)
		if (task_key_equal(&l->live[i].key, key))
			return &l->live[i];
	return NULL;
}

struct live *launcher_add_live(struct launcher *l, const struct task_key *key, pid_t pid)
{
	GROW(l->live, l->live_cap, l->live_count + 1);
	l->live[l->live_count] = (struct live){.key = *key, .pid = pid};
	return &l->live[l->live_count++];
}

/*
 * Who cannot be killed is not dead, and nobody may think so: the room stays taken, and the node is not well
 * until the task has ended after all or somebody has seen to the machine.
 */
static void look_at_stuck(struct launcher *l)
{
	char key[64], text[192] = "";

	for (size_t i = 0; i < l->live_count && !text[0]; i++) {
		if (!l->live[i].stuck)
			continue;
		task_key_format(&l->live[i].key, key);
		snprintf(
			text, sizeof(text),
			"task %s cannot be killed: SIGKILL does not end it, and the machine may have "
			"to be rebooted",
			key);
	}
	launcher_health_stuck(l, text);
}

static void remove_live(struct launcher *l, struct live *v)
{
	bool stuck = v->stuck;

	*v = l->live[--l->live_count];
	if (stuck)
		look_at_stuck(l);
}

void launcher_end_task(struct launcher *l, const struct task_key *key, uint32_t cause,
		       const char *why)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	end.cause = (Armada__EndCause)cause;
	end.text = (char *)(uintptr_t)why;
	ledger_ended(l->ledger, key, &end, true, &l->effects);
}

static int fork_shepherd(struct launcher *l, int fd, const struct attempt *a, struct err *err)
{
	struct place place = {.each_milli = 0};
	struct shepherd_task task = {.spool = &l->spool,
				     .attempt_fd = fd,
				     .machine = l->config->machine,
				     .place = &place,
				     .node_name = l->config->node_name,
				     .hooks = l->config->hooks,
				     .body = a->body,
				     .body_len = a->body_len,
				     .stub = l->config->stub,
				     .groups_of_controller = l->config->groups_of_controller,
				     .contain = l->contain,
				     .contain_values = l->config->contain->values};
	CLEANUP_CLOSE int control = -1;
	pid_t pid;
	int rc;

	if (!a->has_order || !order_decode(a->order, &task.order))
		return err_set(err, -EBADMSG, "its order in the spool is damaged");
	/* taken by an armd before this one, whose armada.conf may have said otherwise */
	if (!launcher_allows(l, &task.order, err))
		return -EACCES;
	task.known = known_find(l->known, task.order.uid, boottime_us());
	rc = launcher_place(l, fd, a, &place, err);
	if (rc < 0)
		return rc;
	control = control_bind(&l->spool, &a->key, err);
	if (control < 0)
		return control;
	task.control_fd = control;
	pid = shepherd_start(&task, err);
	if (pid < 0)
		return pid;
	launcher_add_live(l, &a->key, pid)->place = place;
	return 0;
}

void launcher_start_task(struct launcher *l, const struct task_key *key)
{
	struct attempt a = {.key = *key};
	CLEANUP_CLOSE int fd = -1;
	struct err err;
	int rc = attempt_open(&l->spool, key, &fd, &err);

	if (rc == 0 && !attempt_lock(fd))
		return; /* somebody runs it already */
	if (rc == 0)
		rc = attempt_read(&l->spool, fd, l->arena, &a, &err);
	if (rc == 0 && !a.forked)
		rc = fork_shepherd(l, fd, &a, &err);
	if (rc < 0)
		launcher_end_task(l, key,
				  rc == -EACCES ? ARMADA__END_CAUSE__END_ACCOUNT
						: ARMADA__END_CAUSE__END_NODE,
				  err.text);
}

static void tick_within(struct launcher *l, int64_t us)
{
	int64_t at_us = boottime_us() + us;

	if (l->next_tick_us == 0 || at_us < l->next_tick_us)
		l->next_tick_us = at_us;
}

static void send_kill(struct launcher *l, struct live *v)
{
	int rc = control_send(&l->spool, &v->key, &v->kill, -1);

	/* Not there any more: it has ended, and its record is on its way to us. */
	v->kill_pending = rc == -EAGAIN;
	if (v->kill_pending)
		tick_within(l, HURRY_US);
}

void launcher_kill_task(struct launcher *l, const struct task_key *key, uint32_t cause,
			int64_t grace_ms)
{
	struct live *v = find_live(l, key);

	if (!v || v->ended || v->gone)
		return;
	v->kill =
		(struct control_order){.kind = CONTROL_KILL, .cause = cause, .grace_ms = grace_ms};
	send_kill(l, v);
}

/* Once, or not at all: what cannot be sent now is not what was wanted then. */
void launcher_signal_task(struct launcher *l, const struct task_key *key, uint32_t wish)
{
	const struct control_order o = {.kind = CONTROL_SIGNAL, .cause = wish};
	struct live *v = find_live(l, key);
	char text[64];

	if (!v || v->ended || v->gone || control_send(&l->spool, key, &o, -1) == 0)
		return;
	task_key_format(key, text);
	log_warn("a signal for %s is lost: its shepherd does not listen", text);
}

static void send_release(struct launcher *l, struct live *v)
{
	const struct control_order o = {.kind = CONTROL_RELEASE};
	int rc = control_send(&l->spool, &v->key, &o, -1);

	v->release_pending = rc == -EAGAIN;
	if (v->release_pending)
		tick_within(l, HURRY_US);
}

void launcher_release_task(struct launcher *l, const struct task_key *key)
{
	struct live *v = find_live(l, key);

	if (v && !v->ended && !v->gone)
		send_release(l, v);
}

static void keep_step(struct launcher *l, const struct task_key *key, int fd)
{
	if (l->step_count == STEPS_WAIT_MAX) {
		log_warn("a step is given up: %d wait for their shepherds", STEPS_WAIT_MAX);
		close(fd);
		return;
	}
	GROW(l->steps, l->step_cap, l->step_count + 1);
	l->steps[l->step_count++] = (struct waiting_step){*key, fd};
	tick_within(l, HURRY_US);
}

void launcher_step_task(struct launcher *l, const struct task_key *key, const uint8_t *payload,
			size_t len)
{
	const struct control_order o = {.kind = CONTROL_STEP};
	struct err err;
	int fd = pipe_body_new(payload, len, &err);

	if (fd < 0) {
		log_error("a step is given up: %s", err.text);
		return;
	}
	if (control_send(&l->spool, key, &o, fd) == -EAGAIN)
		keep_step(l, key, fd);
	else
		close(fd);
}

static void send_steps(struct launcher *l)
{
	const struct control_order o = {.kind = CONTROL_STEP};
	size_t left = 0;

	for (size_t i = 0; i < l->step_count; i++) {
		struct waiting_step s = l->steps[i];

		if (control_send(&l->spool, &s.key, &o, s.fd) == -EAGAIN)
			l->steps[left++] = s;
		else
			close(s.fd);
	}
	l->step_count = left;
	if (left)
		tick_within(l, HURRY_US);
}

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

/*
 * Dead, without a word: nothing of the task may be left when that is said. Or dead after its record was
 * written, while it cleaned up: then that is done for it, and its record is what holds.
 */
static bool bury(struct launcher *l, struct live *v)
{
	pid_t known[] = {l->network, l->credential.fd >= 0 ? l->credential.pid : 0,
			 l->health.run.pid, l->sweep.pid, l->reboot};

	if (orphans_kill(known, ARRAY_SIZE(known), l->live, l->live_count) > 0 ||
	    !launcher_reclaim(l, v)) {
		tick_within(l, HURRY_US);
		return false;
	}
	l->sweep_us = boottime_us();
	launcher_end_task(l, &v->key, ARMADA__END_CAUSE__END_LOST,
			  v->away ? "its shepherd died while armd was away" : "its shepherd died");
	return true;
}

void launcher_lose_task(struct launcher *l, const struct task_key *key)
{
	struct live *v = launcher_add_live(l, key, 0);

	v->gone = v->away = true;
	if (bury(l, v))
		remove_live(l, v);
}

bool launcher_lives(const struct launcher *l, const struct task_key *key)
{
	for (size_t i = 0; i < l->live_count; i++)
		if (task_key_equal(&l->live[i].key, key))
			return true;
	return false;
}

static void shepherd_died(struct launcher *l, struct live *v)
{
	v->pid = 0;
	look_for_end(l, v);
	v->gone = !v->ended || control_exists(&l->spool, &v->key);
	if (!v->gone || bury(l, v))
		remove_live(l, v);
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
	struct known_user u;

	memcpy(&u, n->text, sizeof(u));
	known_keep(l->known, &u);
}

void launcher_hear_shepherds(struct launcher *l)
{
	struct control_notice n;

	while (control_receive_notice(l->notify, &n)) {
		struct live *v = find_live(l, &n.key);

		if (n.news == CONTROL_LEAVING)
			launcher_leave(l);
		if (n.news == CONTROL_SAID)
			say_once(l, n.text);
		if (n.news == CONTROL_KNOWN)
			keep_known(l, &n);
		if (!v || n.news == CONTROL_SAID || n.news == CONTROL_KNOWN)
			continue;
		if (n.news == CONTROL_STUCK && !v->stuck) {
			v->stuck = true;
			look_at_stuck(l);
		}
		look_for_start(l, v);
		if (n.news == CONTROL_ENDED)
			look_for_end(l, v);
		if (v->ended && v->pid == 0)
			remove_live(l, v);
	}
}

/* One that is no child of ours is dead when nobody holds its lock. */
static bool adopted_died(struct launcher *l, const struct live *v)
{
	CLEANUP_CLOSE int fd = -1;

	return attempt_open(&l->spool, &v->key, &fd, NULL) < 0 || attempt_lock(fd);
}

/* Returns true when v is gone from the list. */
static bool tick_one(struct launcher *l, struct live *v)
{
	if (v->kill_pending)
		send_kill(l, v);
	if (v->release_pending)
		send_release(l, v);
	if (!v->started && !v->gone)
		look_for_start(l, v);
	if (v->gone) {
		if (!bury(l, v))
			return false;
		remove_live(l, v);
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
		tick_within(l, TICK_US);
	if (l->next_tick_us == 0 || boottime_us() < l->next_tick_us)
		return;
	l->next_tick_us = 0;
	send_steps(l);
	for (size_t i = 0; i < l->live_count;)
		i += tick_one(l, &l->live[i]) ? 0 : 1;
	for (size_t i = 0; i < l->live_count; i++)
		more |= l->live[i].pid == 0 || !l->live[i].started;
	if (more)
		tick_within(l, TICK_US);
}
