/*
 * Starts the program of a stub, with pipes or on a terminal, and signals it (child.h). Input: a
 * plan. Output: the program runs and the stub has its ends of the pipes; or an error with the exit
 * code that a shell would give.
 *
 * The child reports a failure before its exec through a pipe, which the exec closes. Signals are
 * blocked around the fork, so that none reaches the child before it has reset its handlers.
 */
#include "stub/child.h"

#include "util/mem.h"
#include "util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

/* Both ends of the program's input and output. They are opened before the fork. */
struct ends {
	int ours[3], theirs[3];
};

static void close_all(int fds[3])
{
	for (int i = 0; i < 3; i++)
		if (fds[i] >= 0 && (i == 0 || fds[i] != fds[0]))
			close_fd(&fds[i]);
}

static int open_pipes(struct ends *e, struct err *err)
{
	for (int i = 0; i < 3; i++) {
		int fds[2];

		if (pipe2(fds, O_CLOEXEC) < 0)
			return err_sys(err, -errno, "pipe");
		e->ours[i] = fds[i == 0];
		e->theirs[i] = fds[i != 0];
		fcntl(e->ours[i], F_SETFL, O_NONBLOCK);
	}
	return 0;
}

static int open_terminal(struct ends *e, const struct winsize *size, struct err *err)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), slave = -1;
	char name[128];

	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0 ||
	    ptsname_r(master, name, sizeof(name)) != 0)
		return err_sys(err, -errno, "cannot open a terminal");
	e->ours[0] = master;
	slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
	e->ours[1] = fcntl(master, F_DUPFD_CLOEXEC, 3);
	if (slave < 0 || e->ours[1] < 0)
		return err_sys(err, -errno, "cannot open the terminal %s", name);
	fcntl(master, F_SETFL, O_NONBLOCK);
	ioctl(slave, TIOCSWINSZ, size);
	for (int i = 0; i < 3; i++)
		e->theirs[i] = slave;
	return 0;
}

/* Both ends are above 2 or were moved there; all are close-on-exec. */
static bool take_ends(const struct ends *e)
{
	for (int i = 0; i < 3; i++)
		if (dup2(e->theirs[i], i) < 0)
			return false;
	return true;
}

/* In the child: becomes the program. A failure goes to report as text. */
static _Noreturn void become(const struct child_plan *plan, const struct ends *e, int report)
{
	char text[512] = "";
	int code, rc;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (setsid() < 0 || (plan->pty && ioctl(e->theirs[0], TIOCSCTTY, 0) < 0) || !take_ends(e)) {
		code = errno;
		snprintf(text, sizeof(text), "cannot set up its input and output: %s",
			 strerror(code));
	} else if (plan->chdir && chdir(plan->chdir) < 0) {
		code = errno;
		snprintf(text, sizeof(text), "cannot change to directory %s: %s", plan->chdir,
			 strerror(code));
	} else {
		program_reset_signals();
		if (plan->inherited >= 0)
			fcntl(plan->inherited, F_SETFD, 0);
		environ = (char **)plan->envp;
		execvp(plan->argv[0], plan->argv);
		code = errno;
		snprintf(text, sizeof(text), "cannot run %s: %s", plan->argv[0], strerror(code));
	}
	rc = code == ENOENT ? 127 : 126;
	n = write(report, text, strlen(text));
	(void)n;
	_exit(rc);
}

/*
 * Read the child's report. An empty report means that the program runs, because the exec closed the
 * pipe.
 */
static int receive_report(pid_t pid, int report, int *ret_exit_code, struct err *err)
{
	char text[512];
	size_t len = 0;
	ssize_t n;
	int status;

	while ((n = read(report, text + len, sizeof(text) - 1 - len)) > 0 ||
	       (n < 0 && errno == EINTR))
		len += n > 0 ? (size_t)n : 0;
	if (len == 0)
		return 0;
	text[len] = '\0';
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	*ret_exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 126;
	return err_set(err, -ENOEXEC, "%s", text);
}

int child_start(const struct child_plan *plan, struct child *ret_child, int *ret_exit_code,
		struct err *err)
{
	struct ends e = {{-1, -1, -1}, {-1, -1, -1}};
	int report[2], rc;
	sigset_t all, old;
	pid_t pid = -1;

	*ret_exit_code = 126;
	rc = plan->pty ? open_terminal(&e, &plan->size, err) : open_pipes(&e, err);
	if (rc == 0 && pipe2(report, O_CLOEXEC) < 0)
		rc = err_sys(err, -errno, "pipe");
	if (rc == 0) {
		/* a blocked signal stays pending until the child can handle it */
		sigfillset(&all);
		sigprocmask(SIG_BLOCK, &all, &old);
		pid = fork();
		if (pid == 0)
			become(plan, &e, report[1]);
		sigprocmask(SIG_SETMASK, &old, NULL);
		close(report[1]);
		rc = pid < 0 ? err_sys(err, -errno, "fork")
			     : receive_report(pid, report[0], ret_exit_code, err);
		close(report[0]);
	}
	close_all(e.theirs);
	if (rc < 0) {
		close_all(e.ours);
		return rc;
	}
	*ret_child = (struct child){pid, plan->pty, e.ours[0], e.ours[1], e.ours[2]};
	return 0;
}

void child_signal(const struct child *c, int sig)
{
	pid_t front = c->pty && c->out >= 0 ? tcgetpgrp(c->out) : -1;

	if (front > 0 && front != c->pid && sig != SIGHUP)
		kill(-front, sig);
	else
		kill(-c->pid, sig);
}

void child_resize(const struct child *c, const struct winsize *size)
{
	if (c->pty && c->out >= 0)
		ioctl(c->out, TIOCSWINSZ, size);
}

bool child_any_left(void)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		;
	return pid == 0;
}

/*
 * Signal the children of a process recursively, children first. New children are found by the next
 * call.
 */
static void signal_below(pid_t pid, int sig, int depth)
{
	char path[64];
	CLEANUP_FILE FILE *f = NULL;
	int child;

	snprintf(path, sizeof(path), "/proc/%d/task/%d/children", (int)pid, (int)pid);
	f = depth < 64 ? fopen(path, "re") : NULL;
	while (f && fscanf(f, "%d", &child) == 1) {
		signal_below(child, sig, depth + 1);
		kill(child, sig);
	}
}

void child_signal_left(int sig)
{
	signal_below(getpid(), sig, 0);
}
