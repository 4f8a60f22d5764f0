/*
 * The lease of a task in its shepherd: it is renewed and extended, ends the task, and refuses late
 * orders.
 */
#include "unit/armd/shepherd_rig.h"

#include "armd/spool/lease.h"
#include "tap/tap.h"
#include "util/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static void test_lease_renewed(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 62, "sleep", "7", NULL);
	pid_t pid;

	body->lease_ms = 6000;
	pid = begin(body);
	while (waitpid(pid, NULL, WNOHANG) == 0) {
		lease_renew(rig.box.spool.lease, clock_us(CLOCK_BOOTTIME));
		poll(NULL, 0, 100);
	}
	is_end(end_of(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a task whose lease is renewed");
}

/* A task is not started after the end of its lease, because the controller may have requeued it. */
static void test_late_order(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 63, "true", NULL);

	body->lease_ms = 60000;
	rig.ordered_ago_us = 61000000;
	lease_renew(rig.box.spool.lease, clock_us(CLOCK_BOOTTIME));
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, 0,
	       "a task ordered longer ago than its lease");
	ok(!end_of(body)->start_us, "it has not started");
	body = box_body(&rig.box, 64, "true", NULL);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0,
	       "an order without a lease is never late");
	rig.ordered_ago_us = 0;
}

/* A prolog that takes longer than the lease: the task may run elsewhere by then. */
static void test_lease_over_in_prolog(void)
{
	static const char *const argv[] = {"/bin/sleep", "1"};
	static const struct hooks slow = {.task_prolog = {"task_prolog", argv, 2, 10000000}};
	Armada__TaskBody *body = box_body(&rig.box, 95, "/bin/sh", "-c", "echo ran", NULL);

	unlink(body->output);
	body->lease_ms = 500;
	rig.hooks = &slow;
	is_end(run(body), ARMADA__END_CAUSE__END_LEASE, 0, 0,
	       "a lease that ends during the prolog");
	rig.hooks = NULL;
	is_int(access(body->output, F_OK), -1, "the task has not started");
}

static void test_lease_bounds_grace(void)
{
	Armada__TaskBody *body =
		box_body(&rig.box, 65, "/bin/sh", "-c",
			 "trap '' TERM; echo up; while :; do sleep 100; done", NULL);
	int64_t from_us = box_now_us();
	pid_t pid;

	body->lease_ms = 8000;
	pid = begin(body);
	box_wait_file(body->output);
	kill_task(body, ARMADA__END_CAUSE__END_PREEMPTED, 60000);
	waitpid(pid, NULL, 0);
	is_end(end_of(body), ARMADA__END_CAUSE__END_PREEMPTED, 0, SIGKILL,
	       "a grace period beyond the lease");
	ok(box_now_us() - from_us < 50000000, "the grace period ends with the lease");
}

/* Leases hold until the time of an extension, also without contact to the controller. */
static void test_lease_extended(void)
{
	Armada__TaskBody *body = box_body(&rig.box, 66, "sleep", "1", NULL);

	body->lease_ms = 300;
	lease_extend(rig.box.spool.lease, clock_us(CLOCK_BOOTTIME) + 60000000);
	is_end(run(body), ARMADA__END_CAUSE__END_EXITED, 0, 0, "a task whose lease is extended");
}

int main(int argc, char **argv)
{
	rig_open(argc, argv);
	test_lease_renewed();
	test_late_order();
	test_lease_over_in_prolog();
	test_lease_bounds_grace();
	test_lease_extended();
	rig_close();
	return done();
}
