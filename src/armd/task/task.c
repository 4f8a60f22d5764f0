/*
 * From the shepherd's fork to the task's program: the table of steps, and the functions that take
 * them. Input: struct task. Output: the program runs; or one sentence on the report pipe and exit
 * code 127.
 *
 * The order of the table is the security of the task: containment and identity first, then
 * steps as the user. Steps with STEP_HOOK apply also to programs of the site that run as the user.
 * A gated task waits in the last step before the program, when everything but the exec has
 * succeeded.
 */
#include "armd/task/task.h"

#include "armd/task/bind.h"
#include "armd/task/identity.h"
#include "armd/task/limits.h"
#include "armd/task/privilege.h"
#include "armd/task/run.h"
#include "armd/task/stdio.h"
#include "util/mem.h"
#include "util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

/* The descriptors after step_descriptors. */
enum { PAYLOAD_FD = 3, REPORT_FD = 4, GATE_FD = 5, PAST_FD = 6 };

static int step_session(const struct task *t, struct err *err)
{
	(void)t;
	return setsid() < 0 ? err_sys(err, -errno, "setsid") : 0;
}

/* A new session has no terminal. */
static int check_session(const struct task *t, struct err *err)
{
	(void)t;
	return getsid(0) == getpid() && getpgrp() == getpid()
		       ? 0
		       : err_set(err, -EPERM, "did not get a session of its own");
}

/* The plugin verifies it. */
static int step_contain(const struct task *t, struct err *err)
{
	struct armada_error text = {{0}};
	int rc = t->contained ? 0 : t->contain->enter(t->contain_handle, &text);

	return rc < 0 ? err_set(err, rc, "%s", text.text) : 0;
}

/* After the change of uid, which clears it. */
static int step_die_with_shepherd(const struct task *t, struct err *err)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(err, -errno, "cannot set the parent-death signal");
	if (getppid() != t->shepherd)
		return err_set(err, -ESRCH, "the shepherd has died");
	return 0;
}

static int check_die_with_shepherd(const struct task *t, struct err *err)
{
	int sig = 0;

	(void)t;
	return prctl(PR_GET_PDEATHSIG, &sig) == 0 && sig == SIGKILL
		       ? 0
		       : err_set(err, -EPERM, "the parent-death signal is not set");
}

/*
 * Containment uses descriptors of its own, so this comes after it. Descriptors are duplicated to
 * high numbers first, so that they do not collide, then to their places; all others are closed.
 */
static int step_descriptors(const struct task *t, struct err *err)
{
	const struct {
		int from, to, flags;
	} all[] = {{t->payload, PAYLOAD_FD, 0},
		   {t->report, REPORT_FD, O_CLOEXEC},
		   {t->gate, GATE_FD, O_CLOEXEC}};
	int high[ARRAY_SIZE(all)];

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		high[i] = all[i].from < 0 ? -1 : fcntl(all[i].from, F_DUPFD_CLOEXEC, PAST_FD);
		if (all[i].from >= 0 && high[i] < 0)
			return err_sys(err, -errno, "cannot arrange descriptors");
	}
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (high[i] < 0)
			close(all[i].to);
		else if (dup3(high[i], all[i].to, all[i].flags) < 0)
			return err_sys(err, -errno, "cannot arrange descriptors");
	}
	if (t->payload >= 0 && lseek(PAYLOAD_FD, 0, SEEK_SET) < 0)
		return err_sys(err, -errno, "cannot read the payload");
	return close_range(PAST_FD, ~0U, 0) < 0 ? err_sys(err, -errno, "close_range") : 0;
}

enum { FDS_LOOKED_AT = 1024 };

/* poll() reports POLLNVAL for a closed descriptor. */
static int check_descriptors(const struct task *t, struct err *err)
{
	struct pollfd fds[FDS_LOOKED_AT];
	struct rlimit limit;
	nfds_t count = FDS_LOOKED_AT;

	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return err_sys(err, -errno, "cannot read back descriptors");
	count = limit.rlim_cur < count ? limit.rlim_cur : count;
	for (nfds_t i = 0; i < count; i++)
		fds[i] = (struct pollfd){.fd = PAYLOAD_FD + (int)i};
	if (poll(fds, count, 0) < 0)
		return err_sys(err, -errno, "cannot read back descriptors");
	for (nfds_t i = 0; i < count; i++) {
		int fd = fds[i].fd;
		bool ours = (fd == PAYLOAD_FD && t->payload >= 0) ||
			    (fd == REPORT_FD && t->report >= 0) || (fd == GATE_FD && t->gate >= 0);

		if (!(fds[i].revents & POLLNVAL) && !ours)
			return err_set(err, -EPERM, "descriptor %d is still open", fd);
	}
	return 0;
}

static int step_umask(const struct task *t, struct err *err)
{
	(void)err;
	umask((mode_t)(t->body->umask & 0777));
	return 0;
}

static int check_umask(const struct task *t, struct err *err)
{
	mode_t want = (mode_t)(t->body->umask & 0777);

	return umask(want) == want ? 0 : err_set(err, -EPERM, "the umask is not as it was set");
}

static int step_chdir(const struct task *t, struct err *err)
{
	const char *dir = t->body->chdir && *t->body->chdir ? t->body->chdir : "/";

	return chdir(dir) < 0 ? err_sys(err, -errno, "cannot change to directory %s", dir) : 0;
}

/* The working directory is the directory of that name. */
static int check_chdir(const struct task *t, struct err *err)
{
	const char *dir = t->body->chdir && *t->body->chdir ? t->body->chdir : "/";
	struct stat here, there;

	if (stat(".", &here) < 0 || stat(dir, &there) < 0)
		return err_sys(err, -errno, "cannot read back directory %s", dir);
	return here.st_dev == there.st_dev && here.st_ino == there.st_ino
		       ? 0
		       : err_set(err, -EPERM, "is not in directory %s", dir);
}

static int step_signals(const struct task *t, struct err *err)
{
	int rc = program_reset_signals();

	(void)t;
	return rc < 0 ? err_sys(err, rc, "sigprocmask") : 0;
}

static int check_signals(const struct task *t, struct err *err)
{
	struct sigaction is;
	sigset_t mask;

	(void)t;
	if (sigprocmask(SIG_SETMASK, NULL, &mask) < 0)
		return err_sys(err, -errno, "cannot read back the signal mask");
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		if (sigismember(&mask, sig) == 1 ||
		    (sigaction(sig, NULL, &is) == 0 && is.sa_handler != SIG_DFL))
			return err_set(err, -EPERM, "signal %d is not as a program expects it",
				       sig);
	return 0;
}

static int step_stdio(const struct task *t, struct err *err)
{
	return t->stdio ? task_open_stdio(t, err) : 0;
}

static void ignore_signals(void)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN};

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		sigaction(sig, &ignore, NULL);
}

/* Take NAME=value instead of the entry of that name. */
static void take_variable(const struct task *t, char *entry)
{
	size_t len = strcspn(entry, "=") + 1;

	for (char **at = (char **)(uintptr_t)t->envp; *at; at++)
		if (strncmp(*at, entry, len) == 0)
			*at = entry;
}

enum { LATE_ENV = 32 << 10 };

/* The shepherd sends the go and all variables at once, and then closes the gate. */
static void take_late_env(const struct task *t)
{
	static char text[LATE_ENV + 1];
	size_t len = 0;
	ssize_t n;

	while (len < LATE_ENV &&
	       ((n = read(GATE_FD, text + len, LATE_ENV - len)) > 0 || (n < 0 && errno == EINTR)))
		len += n > 0 ? (size_t)n : 0;
	for (size_t at = 0; at < len; at += strlen(text + at) + 1)
		take_variable(t, text + at);
}

/*
 * All steps but the exec have succeeded. A standby task stays here until the gate is closed; it
 * ignores signals.
 */
static int step_gate(const struct task *t, struct err *err)
{
	const uint8_t ready = TASK_READY;
	uint8_t go;
	ssize_t n;

	if (t->gate < 0)
		return 0;
	prctl(PR_SET_NAME, "armada-waits", 0, 0, 0);
	if (t->body->standby)
		ignore_signals();
	if (write(REPORT_FD, &ready, sizeof(ready)) != (ssize_t)sizeof(ready))
		return err_sys(err, -errno, "cannot notify the shepherd");
	do
		n = read(GATE_FD, &go, sizeof(go));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(go))
		_exit(0);
	take_late_env(t);
	return 0;
}

/* clang-format off */
static const struct task_step steps[] = {
	{"session",		STEP_TASK | STEP_READ | STEP_NODE,				step_session, check_session},
	{"containment",		STEP_BOTH | STEP_NODE,				step_contain, NULL},
	{"cpus",		STEP_BOTH | STEP_NODE,				task_bind, task_check_bind},
	{"oom score",		STEP_ALL | STEP_NODE | STEP_ROOT,		task_oom_score, task_check_oom_score},
	{"scheduling",		STEP_ALL | STEP_NODE | STEP_ROOT,		task_scheduling, task_check_scheduling},
	{"keyring",		STEP_ALL | STEP_NODE | STEP_ROOT,		task_keyring, task_check_keyring},
	{"bounding set",	STEP_ALL | STEP_NODE | STEP_ROOT | STEP_USER,	task_clear_bounding_set, task_check_bounding_set},
	{"groups",		STEP_ALL | STEP_NODE | STEP_ROOT,		task_take_groups, task_check_groups},
	{"group",		STEP_ALL | STEP_NODE | STEP_ROOT,		task_take_group, task_check_group},
	{"user",		STEP_ALL | STEP_NODE,				task_take_user, task_check_user},
	{"no new privileges",	STEP_ALL | STEP_NODE,				task_no_new_privileges,
										task_check_no_new_privileges},
	{"capabilities",	STEP_ALL | STEP_NODE | STEP_USER,		task_drop_capabilities,
										task_check_capabilities},
	{"shepherd",		STEP_TASK | STEP_READ | STEP_NODE,				step_die_with_shepherd,
										check_die_with_shepherd},
	{"descriptors",		STEP_TASK | STEP_READ | STEP_NODE,				step_descriptors, check_descriptors},
	{"umask",		STEP_TASK,					step_umask, check_umask},
	{"directory",		STEP_TASK | STEP_READ,					step_chdir, check_chdir},
	{"files",		STEP_TASK,					step_stdio, task_check_stdio},
	{"signals",		STEP_TASK | STEP_READ,					step_signals, check_signals},
	{"limits",		STEP_TASK,					task_set_limits, task_check_limits},
	{"gate",		STEP_TASK,					step_gate, NULL},
	{"program",		STEP_TASK,					task_run, NULL},
};
/* clang-format on */

const struct task_step *task_steps(size_t *ret_count)
{
	*ret_count = ARRAY_SIZE(steps);
	return steps;
}

static bool applies(const struct task_step *s, unsigned who, const struct task *t)
{
	return s->flags & who && (t->privileged || !(s->flags & STEP_ROOT)) &&
	       (t->body->uid != 0 || !(s->flags & STEP_USER));
}

static int take_step(const struct task_step *s, const struct task *t, struct err *err)
{
	int rc = s->take(t, err);

	if (rc == 0 && s->check)
		rc = s->check(t, err);
	/* failures of the user's steps explain themselves */
	return rc < 0 && s->flags & STEP_NODE ? err_prefix(err, rc, "step %s", s->name) : rc;
}

int task_take_steps(const struct task_step *list, size_t count, unsigned who, const struct task *t,
		    size_t *ret_at, struct err *err)
{
	int rc = 0;
	size_t at;

	for (at = 0; rc == 0 && at < count; at++)
		if (applies(&list[at], who, t))
			rc = take_step(&list[at], t, err);
	*ret_at = rc < 0 ? at - 1 : at;
	return rc;
}

int task_become(const struct task *t, struct err *err)
{
	size_t at;

	return task_take_steps(steps, ARRAY_SIZE(steps), STEP_HOOK, t, &at, err);
}

int task_become_reader(const struct task *t, struct err *err)
{
	size_t at;

	return task_take_steps(steps, ARRAY_SIZE(steps), STEP_READ, t, &at, err);
}

/* The report descriptor has its old number before step_descriptors, and REPORT_FD after it. */
static void send_failure(const struct task *t, const struct task_step *failed,
			 const struct err *err)
{
	bool in_place = !(failed->flags & STEP_NODE);
	size_t len = strlen(err->text);
	ssize_t n;

	if (t->report < 0)
		return;
	n = write(in_place ? REPORT_FD : t->report, err->text, len);
	if (n < 0 && failed->take == step_descriptors)
		n = write(REPORT_FD, err->text, len);
}

_Noreturn void task_exec_steps(const struct task_step *list, size_t count, const struct task *t)
{
	struct err err = {{0}};
	size_t at;

	/* the last step returns only on failure */
	if (task_take_steps(list, count, STEP_TASK, t, &at, &err) == 0)
		err_set(&err, -EIO, "the program was not run");
	else if (list[at].flags & STEP_NODE)
		err_prefix(&err, -EIO, "%c", TASK_BLAMES_NODE); /* a failure of the node */
	send_failure(t, &list[at < count ? at : count - 1], &err);
	_exit(127);
}

_Noreturn void task_exec(const struct task *t)
{
	task_exec_steps(steps, ARRAY_SIZE(steps), t);
}
