/*
 * Steps that reset properties of armd before a task runs: oom score, scheduling, session keyring,
 * bounding set, dumpable flag, capabilities. Input: the task. Output: 0, or an error with a
 * sentence. Each step has a check that reads the property back.
 */
#include "armd/task/privilege.h"

#include "armd/task/capability.h"
#include "armd/task/oom_score.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The task does not inherit the protection of armd and the shepherd. */
int task_oom_score(const struct task *t, struct err *err)
{
	(void)t;
	(void)err;
	oom_score_set(0);
	return 0;
}

/*
 * An armd that was started with a higher score and may not lower it, as in many containers, passes
 * it on.
 */
int task_check_oom_score(const struct task *t, struct err *err)
{
	int score = oom_score_get();

	(void)t;
	if (score == 0 || (score > 0 && !oom_score_set(0)))
		return 0;
	return err_set(err, -EPERM, "oom_score_adj is still %d", score);
}

enum { IOPRIO_WHO_SELF = 1, IOPRIO_OWN = 0 };

/* An armd that was started with a higher niceness and may not lower it passes it on. */
int task_scheduling(const struct task *t, struct err *err)
{
	const struct sched_param zero = {.sched_priority = 0};

	(void)t;
	if (sched_getscheduler(0) != SCHED_OTHER && sched_setscheduler(0, SCHED_OTHER, &zero) < 0)
		return err_sys(err, -errno, "cannot reset the scheduling policy");
	if (getpriority(PRIO_PROCESS, 0) != 0 && setpriority(PRIO_PROCESS, 0, 0) < 0 &&
	    getpriority(PRIO_PROCESS, 0) < 0)
		return err_sys(err, -errno, "cannot reset the niceness");
	if (syscall(SYS_ioprio_get, IOPRIO_WHO_SELF, 0) > IOPRIO_OWN)
		syscall(SYS_ioprio_set, IOPRIO_WHO_SELF, 0, IOPRIO_OWN);
	return 0;
}

int task_check_scheduling(const struct task *t, struct err *err)
{
	(void)t;
	if (sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) >= 0)
		return 0;
	return err_set(err, -EPERM, "still has the scheduling policy or niceness of armd");
}

/* If keyrings are not available, the task has none either. */
static bool no_keyrings(int code)
{
	return code == ENOSYS || code == EPERM || code == EOPNOTSUPP;
}

/*
 * A new session keyring. Without it, the task would possess the keys of the user who started armd,
 * and share its keys with other tasks. Root creates it, so that it does not count against the
 * user's quota.
 */
int task_keyring(const struct task *t, struct err *err)
{
	(void)t;
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) < 0 && !no_keyrings(errno))
		return err_sys(err, -errno, "cannot create a session keyring");
	return 0;
}

int task_check_keyring(const struct task *t, struct err *err)
{
	char key[sizeof(int32_t)];
	long len = syscall(SYS_keyctl, KEYCTL_READ, KEY_SPEC_SESSION_KEYRING, key, sizeof(key));

	(void)t;
	if (len == 0 || (len < 0 && no_keyrings(errno)))
		return 0;
	return err_set(err, -EPERM, "the session keyring is not a new one");
}

int task_clear_bounding_set(const struct task *t, struct err *err)
{
	(void)t;
	return capability_clear_bounding_set(err);
}

int task_check_bounding_set(const struct task *t, struct err *err)
{
	(void)t;
	return capability_bounding_set_is_empty(err);
}

/*
 * Before its exec the process has a copy of armd's memory, so its user must not be able to read it,
 * with any value of fs.suid_dumpable. A task at the start barrier and a standby task stay in this
 * state for long.
 */
int task_no_new_privileges(const struct task *t, struct err *err)
{
	if (t->privileged && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(err, -errno, "cannot make the process undumpable");
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		       ? err_sys(err, -errno, "cannot set no_new_privs")
		       : 0;
}

int task_check_no_new_privileges(const struct task *t, struct err *err)
{
	if (t->privileged && prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) != 0)
		return err_set(
			err, -EPERM,
			"the process is dumpable, so its user could read the memory of armd");
	if (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) != 1)
		return err_set(err, -EPERM, "no_new_privs is not set");
	return 0;
}

int task_drop_capabilities(const struct task *t, struct err *err)
{
	(void)t;
	return capability_drop(err);
}

int task_check_capabilities(const struct task *t, struct err *err)
{
	(void)t;
	return capability_is_dropped(err);
}
