/*
 * The table of steps that prepare a task as root, up to and including its fork. Input: the verified
 * order and its body. Output: 0 when the task is forked; otherwise an error with why, and cause
 * where one is known.
 *
 * Each row tells whether a failure is the node's: then the job runs elsewhere, and the node counts
 * the failure. Caveat: after note_fork the task may have run, so an attempt without a shepherd is
 * lost from there on; before it, the next launcher starts the attempt again.
 */
#include "armd/shepherd/setup.h"

#include "armd/shepherd/deadlines.h"
#include "armd/shepherd/fork.h"
#include "armd/shepherd/hooks.h"
#include "armd/shepherd/hosts.h"
#include "armd/shepherd/limits.h"
#include "armd/shepherd/node_tasks.h"
#include "armd/shepherd/place.h"
#include "armd/shepherd/user.h"
#include "agent/lease.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_body(struct shepherd *s)
{
	const struct order *o = &s->task->order;
	const Armada__TaskKey *k;

	s->body = msg_unpack_as(&armada__task_body__descriptor, s->task->body, s->task->body_len,
				s->arena, &s->why);
	if (!s->body)
		return err_prefix(&s->why, -EBADMSG, "the order's body");
	k = s->body->key;
	if (!k || k->job != o->key.job || k->element != o->key.element || k->rank != o->key.rank ||
	    k->attempt != o->key.attempt || s->body->uid != o->uid || s->body->gid != o->gid)
		return err_set(&s->why, -EBADMSG, "the order's body is for another task");
	return 0;
}

/*
 * The order may have been delayed so long that the controller has given it up. Or an earlier armd
 * accepted it long ago and died before it started the task.
 */
static int check_lease(struct shepherd *s)
{
	int64_t lease_us = s->body->lease_ms * 1000;

	if (lease_may_start(clock_us(CLOCK_BOOTTIME), stamp_time_us(s->task->order.stamp),
			    lease_us))
		return 0;
	s->cause = ARMADA__END_CAUSE__END_LEASE;
	return err_set(&s->why, -ESTALE, "its lease ended before it could start");
}

static int write_script(struct shepherd *s, int fd)
{
	const Armada__TaskBody *b = s->body;

	for (size_t done = 0; done < b->script.len;) {
		ssize_t n = write(fd, b->script.data + done, b->script.len - done);

		if (n < 0)
			return -errno;
		done += (size_t)n;
	}
	if (shepherd_privileged() && fchown(fd, b->uid, b->gid) < 0)
		return -errno;
	return fchmod(fd, 0500) < 0 ? -errno : 0;
}

/*
 * A copy of the script for this task alone, in a directory that users can enter but not list.
 * Interpreters open it by name, after all descriptors of the shepherd are closed.
 */
static int make_script(struct shepherd *s)
{
	char name[ATTEMPT_NAME];
	CLEANUP_CLOSE int fd = -1;
	int rc;

	if (s->body->n_argv > 0 || s->body->standby || s->body->interactive)
		return 0;
	attempt_name(&s->task->order.key, name);
	s->script = arena_printf(s->arena, "%s/scripts/%s", s->task->spool->path, name);
	unlinkat(s->task->spool->scripts, name, 0);
	fd = openat(s->task->spool->scripts, name,
		    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	rc = fd < 0 ? -errno : write_script(s, fd);
	return rc < 0 ? err_sys(&s->why, rc, "cannot write the script to the spool") : 0;
}

static int prepare_contain(struct shepherd *s)
{
	struct armada_contain_limits limits = {.cpu_milli = 0};
	struct armada_error text = {{0}};
	char name[ATTEMPT_CONTAIN_NAME];
	int rc;

	shepherd_place_limits(s, s->task->place, &limits);
	limits.group = shepherd_node_tasks_group(s);
	attempt_contain_name(s->task->spool, &s->task->order.key, name);
	rc = s->task->contain->prepare(&s->contain, name, &limits, s->task->contain_values, &text);
	return rc < 0 ? err_set(&s->why, rc, "%s", text.text) : 0;
}

/* Prologs may have taken long; the lease was not checked meanwhile. */
static int check_lease_again(struct shepherd *s)
{
	int64_t grace = 0, at_us = shepherd_lease_stop_us(s, &grace);

	s->lease_end_us = at_us ? at_us + grace : 0;
	if (!at_us || clock_us(CLOCK_BOOTTIME) < at_us)
		return 0;
	s->cause = ARMADA__END_CAUSE__END_LEASE;
	return err_set(&s->why, -ESTALE, "its lease ended before it could start");
}

/*
 * From here on a task may have run. Without this mark no task has run, and the attempt may be
 * started again.
 */
static int note_fork(struct shepherd *s)
{
	struct attempt_start start = {.forked = true};
	int rc = attempt_note_start(s->task->attempt_fd, &start);

	return rc < 0 ? err_sys(&s->why, rc, "cannot write to the spool") : 0;
}

int shepherd_setup(struct shepherd *s)
{
	static const struct {
		int (*run)(struct shepherd *s);
		bool of_node; /* a failure is the node's */
	} steps[] = {
		{check_body, false},
		{check_lease, false},
		{shepherd_user, true},
		{shepherd_hosts, true},
		{shepherd_node_tasks_name, true},
		{shepherd_place, true},
		{shepherd_limits, true},
		{shepherd_prolog, true},
		{make_script, true},
		{prepare_contain, true},
		{note_fork, true},
		{shepherd_task_prolog, false},
		{check_lease_again, false},
		{shepherd_fork, true},
	};

	for (size_t i = 0; i < ARRAY_SIZE(steps); i++) {
		int rc = steps[i].run(s);

		s->blame_node = steps[i].of_node && s->why.text[0];
		if (rc < 0)
			return rc;
	}
	return 0;
}
