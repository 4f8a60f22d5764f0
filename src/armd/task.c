#include "armd/task.h"

#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

/* Where they are once nothing else of the shepherd is open. */
enum { PAYLOAD_FD = 3, REPORT_FD = 4, GATE_FD = 5, PAST_FD = 6 };

static int step_session(const struct task *t, struct err *err)
{
	(void)t;
	return setsid() < 0 ? err_sys(err, -errno, "setsid") : 0;
}

static int step_contain(const struct task *t, struct err *err)
{
	struct armada_error text = {{0}};
	int rc = t->contained ? 0 : t->contain->enter(t->contain_handle, &text);

	return rc < 0 ? err_set(err, rc, "%s", text.text) : 0;
}

/* Nothing of the protection that armd and the shepherd have is the task's. */
static int step_oom_score(const struct task *t, struct err *err)
{
	(void)err;
	if (t->privileged)
		oom_score_set(0);
	return 0;
}

/*
 * Until its exec it has a copy of armd's memory: its user may not look at it, whatever
 * fs.suid_dumpable says. Who waits at the gate or stands by does so for long.
 */
static int step_no_new_privileges(const struct task *t, struct err *err)
{
	if (t->privileged && prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return err_sys(err, -errno, "cannot hide the memory of armd");
	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0
		       ? err_sys(err, -errno, "cannot give up new privileges")
		       : 0;
}

/* After the identity, whose change would undo it. */
static int step_die_with_shepherd(const struct task *t, struct err *err)
{
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(err, -errno, "cannot bind the task to its shepherd");
	if (getppid() != t->shepherd)
		return err_set(err, -ESRCH, "the shepherd is gone");
	return 0;
}

/*
 * Only now, for containment has descriptors of its own: out of each other's way first, then each to
 * its place, and everything else closed.
 */
static int arrange(const struct task *t, struct err *err)
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

static int step_umask(const struct task *t, struct err *err)
{
	(void)err;
	umask((mode_t)(t->body->umask & 0777));
	return 0;
}

static int step_chdir(const struct task *t, struct err *err)
{
	const char *dir = t->body->chdir && *t->body->chdir ? t->body->chdir : "/";

	return chdir(dir) < 0 ? err_sys(err, -errno, "cannot change to directory %s", dir) : 0;
}

static int step_signals(const struct task *t, struct err *err)
{
	struct sigaction def = {.sa_handler = SIG_DFL};
	sigset_t none;

	(void)t;
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		sigaction(sig, &def, NULL); /* SIGKILL and libc's own refuse */
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? err_sys(err, -errno, "sigprocmask") : 0;
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

/*
 * Everything that could fail has been done but the exec. Who stands by never gets further: signals
 * are not for him, the shut gate ends him.
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
		return err_sys(err, -errno, "cannot tell the shepherd");
	do
		n = read(GATE_FD, &go, sizeof(go));
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(go))
		_exit(0);
	return 0;
}

int task_become(const struct task *t, struct err *err)
{
	static int (*const parts[])(const struct task *t, struct err *err) = {
		step_contain,       task_bind,           step_oom_score,
		task_take_identity, task_check_identity, step_no_new_privileges,
	};

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		int rc = parts[i](t, err);

		if (rc < 0)
			return rc;
	}
	return 0;
}

typedef int step_fn(const struct task *t, struct err *err);

static step_fn *const with_privilege[] = {
	step_session,           step_contain,           task_bind,
	step_oom_score,         task_take_identity,     task_check_identity,
	step_no_new_privileges, step_die_with_shepherd, arrange,
};

static step_fn *const as_the_user[] = {
	step_umask, step_chdir, step_stdio, step_signals, step_gate, task_run,
};

static int take_steps(step_fn *const *steps, size_t count, const struct task *t, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < count; i++)
		rc = steps[i](t, err);
	return rc;
}

_Noreturn void task_exec(const struct task *t)
{
	struct err err = {{0}};
	int report = t->report;
	ssize_t n;

	if (take_steps(with_privilege, ARRAY_SIZE(with_privilege), t, &err) == 0) {
		report = t->report < 0 ? -1 : REPORT_FD;
		take_steps(as_the_user, ARRAY_SIZE(as_the_user), t, &err);
	} else {
		err_prefix(&err, -EIO, "%c", TASK_BLAMES_NODE); /* it would go well elsewhere */
	}
	n = write(report, err.text, strlen(err.text));
	(void)n;
	_exit(127);
}
