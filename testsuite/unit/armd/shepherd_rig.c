/*
 * Forks shepherds as the launcher does, sends them kill orders, and reads the end records that
 * they write to the spool.
 */
#include "unit/armd/shepherd_rig.h"

#include "armd/shepherd/control.h"
#include "tap/tap.h"
#include "agent/lease.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct shepherd_rig rig;
static const uint8_t stamp_key[STAMP_KEY];

pid_t begin(const Armada__TaskBody *body)
{
	struct task_key key = box_key(body);
	struct shepherd_task t = {.spool = &rig.box.spool,
				  .stub = rig.stub,
				  .stuck_ms = rig.stuck_ms,
				  .hooks = rig.hooks,
				  .find = rig.find,
				  .cached_user = rig.known,
				  .account_us = rig.account_us,
				  .groups_of_controller = rig.groups_of_controller,
				  .node_name = "n1",
				  .contain = rig.contain,
				  .contain_values = box_contain_values};
	CLEANUP_BUF struct buf packed = box_pack(body);
	uint8_t bytes[ORDER_SIZE] = {0};
	struct err err;
	pid_t pid;

	attempt_remove(&rig.box.spool, &key, NULL);
	t.order = (struct order){
		.kind = ORDER_LAUNCH, .key = key, .uid = body->uid, .gid = body->gid};
	stamp_make(stamp_key, clock_us(CLOCK_BOOTTIME) - rig.ordered_ago_us, t.order.stamp);
	t.body = packed.data;
	t.body_len = packed.len;
	if (attempt_create(&rig.box.spool, &key, 1, bytes, packed.data, packed.len, &err) < 0 ||
	    attempt_open(&rig.box.spool, &key, &t.attempt_fd, &err) < 0 ||
	    !spool_lock_file(t.attempt_fd))
		bail("%s", err.text);
	t.control_fd = control_bind(&rig.box.spool, &key, &err);
	pid = shepherd_start(&t, &err);
	if (pid < 0)
		bail("%s", err.text);
	close(t.attempt_fd);
	close(t.control_fd);
	return pid;
}

const Armada__TaskEnd *end_of(const Armada__TaskBody *body)
{
	static const Armada__TaskEnd none = ARMADA__TASK_END__INIT;
	struct task_key key = box_key(body);
	const Armada__TaskEnd *end;
	int fd;

	if (attempt_open(&rig.box.spool, &key, &fd, NULL) < 0)
		return &none;
	end = attempt_read_end(fd, rig.box.arena);
	close(fd);
	return end ? end : &none;
}

const Armada__TaskEnd *run(const Armada__TaskBody *body)
{
	pid_t pid = begin(body);

	waitpid(pid, NULL, 0);
	return end_of(body);
}

void is_end(const Armada__TaskEnd *end, Armada__EndCause cause, int code, int sig, const char *what)
{
	is_int(end->cause, cause, "%s: cause", what);
	is_int(end->exit_code, code, "%s: exit code", what);
	is_int(end->signal, sig, "%s: signal", what);
}

void kill_task(const Armada__TaskBody *body, Armada__EndCause cause, int64_t grace_ms)
{
	struct control_order k = {.kind = CONTROL_KILL, .cause = cause, .grace_ms = grace_ms};
	struct task_key key = box_key(body);

	is_int(control_send(&rig.box.spool, &key, &k, -1), 0, "a kill order is sent");
}

bool says(const Armada__TaskBody *body, const char *words)
{
	for (int i = 0; i < 2000; i++) {
		if (strstr(box_read(&rig.box, body->output), words))
			return true;
		poll(NULL, 0, 5);
	}
	return false;
}

bool gone(const char *pid_file)
{
	pid_t pid = atoi(box_read(&rig.box, pid_file));

	return pid > 0 && kill(pid, 0) < 0 && errno == ESRCH;
}

/* The stub of these tests runs its payload in a shell. */
static void make_stub(void)
{
	FILE *f;

	snprintf(rig.stub, sizeof(rig.stub), "%s/arun-io", rig.box.dir);
	f = fopen(rig.stub, "w");
	fputs("#!/bin/sh\nread -r line <&3\nexec 3<&-\neval \"$line\"\n", f);
	fchmod(fileno(f), 0755);
	fclose(f);
}

void rig_open(int argc, char **argv)
{
	box_be_probe(argc, argv);
	box_open(&rig.box);
	rig.contain = box_contain();
	make_stub();
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

void rig_close(void)
{
	box_close(&rig.box);
}
