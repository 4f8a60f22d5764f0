/*
 * Forks a shepherd and detaches it from the launcher (shepherd.h). Input: an attempt with its lock,
 * its socket and its order. Output: the pid of the shepherd.
 *
 * The hand-over: the shepherd inherits the lock of the attempt's file and keeps it until it exits,
 * so the lock is never free between launcher and shepherd. It closes all descriptors except the
 * attempt's file, the control socket, the two directories and the lease, so that it does not hold
 * the spool's lock or the pipe of the network process. It starts its own session and becomes a
 * child subreaper. After that it needs no launcher: orders come through the socket, and results go
 * to the file. So armd may be restarted: the next launcher adopts each attempt whose lock is held,
 * and reads the end of the others from their files (launcher/load.c).
 */
#include "armd/shepherd/end.h"
#include "armd/shepherd/setup.h"
#include "armd/shepherd/watch.h"
#include "armd/task/oom_score.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <time.h>
#include <unistd.h>

enum { OOM_SCORE = -500 };

static int compare_fds(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

/* Close all descriptors of the launcher: its pipe, its log, the lock of the spool. */
static int close_others(const struct shepherd_task *t)
{
	int keep[] = {t->attempt_fd, t->control_fd, t->spool->tasks, t->spool->scripts,
		      t->spool->lease};
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	int from = 3;

	if (null < 0)
		return -errno;
	for (int fd = 0; fd < 3; fd++)
		if (dup2(null, fd) < 0)
			return -errno;
	qsort(keep, ARRAY_SIZE(keep), sizeof(keep[0]), compare_fds);
	for (size_t i = 0; i < ARRAY_SIZE(keep); i++) {
		if (keep[i] > from && close_range((unsigned)from, (unsigned)keep[i] - 1, 0) < 0)
			return -errno;
		from = keep[i] + 1;
	}
	return close_range((unsigned)from, ~0U, 0) < 0 ? -errno : 0;
}

static int take_signals(void)
{
	static const int ignored[] = {SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGUSR2};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, def = {.sa_handler = SIG_DFL};
	sigset_t mask;
	int fd;

	for (size_t i = 0; i < ARRAY_SIZE(ignored); i++)
		sigaction(ignored[i], &ignore, NULL);
	sigaction(SIGCHLD, &def, NULL);
	sigaction(SIGTERM, &def, NULL);
	sigemptyset(&mask);
	sigaddset(&mask, SIGCHLD);
	sigaddset(&mask, SIGTERM);
	sigprocmask(SIG_SETMASK, &mask, NULL);
	fd = signalfd(-1, &mask, SFD_NONBLOCK | SFD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int become_shepherd(struct shepherd *s)
{
	int rc = close_others(s->task);

	if (rc < 0)
		return err_sys(&s->why, rc, "the shepherd cannot close the launcher's files");
	if (setsid() < 0 || prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return err_sys(&s->why, -errno, "the shepherd cannot detach from the launcher");
	prctl(PR_SET_NAME, "armd-shepherd", 0, 0, 0);
	if (geteuid() == 0)
		oom_score_set(OOM_SCORE);
	s->signals = take_signals();
	if (s->signals < 0)
		return err_sys(&s->why, s->signals, "signalfd");
	return 0;
}

static _Noreturn void run(const struct shepherd_task *task)
{
	struct shepherd s = {.task = task,
			     .blame_node = true,
			     .arena = arena_new(0),
			     .signals = -1,
			     .timer = -1,
			     .report = -1,
			     .gate = -1};

	if (become_shepherd(&s) == 0 && shepherd_setup(&s) == 0)
		shepherd_watch(&s);
	shepherd_end(&s);
	_exit(0);
}

pid_t shepherd_start(const struct shepherd_task *task, struct err *err)
{
	pid_t pid = fork();

	if (pid < 0)
		return err_sys(err, -errno, "cannot fork a shepherd");
	if (pid == 0)
		run(task);
	return pid;
}
