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

enum { REPORT_FD = 3 };

static int step_session(const struct task *t, struct err *err)
{
	(void)t;
	return setsid() < 0 ? err_sys(err, -errno, "setsid") : 0;
}

static int step_contain(const struct task *t, struct err *err)
{
	struct armada_error text = {{0}};
	int rc = t->contain->enter(t->contain_handle, &text);

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

static int step_no_new_privileges(const struct task *t, struct err *err)
{
	(void)t;
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

static int step_close(const struct task *t, struct err *err)
{
	(void)t;
	return close_range(REPORT_FD + 1, ~0U, 0) < 0 ? err_sys(err, -errno, "close_range") : 0;
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

static int (*const steps[])(const struct task *t, struct err *err) = {
	step_session,
	step_contain,
	task_bind,
	step_oom_score,
	task_take_identity,
	task_check_identity,
	step_no_new_privileges,
	step_die_with_shepherd,
	step_close,
	step_umask,
	step_chdir,
	task_open_stdio,
	step_signals,
	task_run,
};

_Noreturn void task_exec(const struct task *t, int report_fd)
{
	struct err err = {{0}};
	ssize_t n;

	if (report_fd != REPORT_FD)
		dup3(report_fd, REPORT_FD, O_CLOEXEC);
	for (size_t i = 0; i < ARRAY_SIZE(steps); i++)
		if (steps[i](t, &err) < 0)
			break;
	n = write(REPORT_FD, err.text, strlen(err.text));
	(void)n;
	_exit(127);
}
