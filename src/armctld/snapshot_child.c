/*
 * A snapshot taken by a child process (snapshot_child.h).
 *
 * Caveats: the parent holds references to all blobs before the fork, because the file has their addresses.
 * The child keeps no other descriptor than the file, so that nobody takes it for the controller, and ends
 * with its parent. A child that takes too long, for example because the machine swaps, is killed.
 */
#define LOG_AREA LOG_AREA_STATE
#include "armctld/snapshot_child.h"

#include "armctld/snapshot.h"
#include "util/log.h"
#include "util/mem.h"

#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* The longest time of a child. */
enum { LATE_S = 1800 };

struct snapshot_child {
	snapshot_child_done_fn *done;
	void *arg;
	struct snapshot *snapshot;
	struct event *ended, *late;
	pid_t pid;
	int file, pidfd;
};

/* The kernel, when memory lacks, ends this process and not the controller. */
static void be_killed_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	if (fd >= 0 && dprintf(fd, "1000") > 0)
		close(fd);
}

static _Noreturn void child(struct snapshot *s, const struct core *core, int file, pid_t parent)
{
	static const int numbers[] = {SIGTERM, SIGINT, SIGHUP};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
		signal(numbers[i], SIG_DFL);
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent ||
	    dup2(file, STDERR_FILENO) < 0 || close_range(STDERR_FILENO + 1, ~0U, 0) < 0)
		_exit(1);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	be_killed_first();
	_exit(-snapshot_write(s, core, STDERR_FILENO));
}

static void on_ended(evutil_socket_t fd, short what, void *arg)
{
	struct snapshot_child *x = arg;
	struct snapshot *s = x->snapshot;
	int status = 0, rc = -ECHILD;

	(void)fd, (void)what;
	x->snapshot = NULL;
	waitpid(x->pid, &status, 0);
	x->pid = 0;
	if (WIFEXITED(status)) /* with an errno, or 0 */
		rc = WEXITSTATUS(status) ? -WEXITSTATUS(status) : snapshot_map(s, x->file);
	if (rc < 0) {
		log_warn("the process that takes a snapshot failed (%s): %s",
			 WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : strerror(-rc),
			 "the controller takes it itself, and answers nothing meanwhile");
		snapshot_free(s);
		s = NULL;
	}
	x->done(x->arg, s);
}

static void on_late(evutil_socket_t fd, short what, void *arg)
{
	struct snapshot_child *x = arg;

	(void)fd, (void)what;
	kill(x->pid, SIGKILL);
}

static int start(struct snapshot_child *x, const struct core *core)
{
	pid_t self = getpid();

	x->file = memfd_create("snapshot", MFD_CLOEXEC);
	if (x->file < 0)
		return -errno;
	x->pid = fork();
	if (x->pid == 0)
		child(x->snapshot, core, x->file, self);
	if (x->pid < 0) {
		x->pid = 0;
		return -errno;
	}
	x->pidfd = (int)syscall(SYS_pidfd_open, x->pid, 0);
	return x->pidfd < 0 ? -errno : 0;
}

struct snapshot_child *snapshot_child_new(struct event_base *base, const struct core *core,
					  snapshot_child_done_fn *done, void *arg)
{
	struct snapshot_child *x = xcalloc(1, sizeof(*x));
	struct timeval late = {LATE_S, 0};
	int rc;

	x->done = done;
	x->arg = arg;
	x->file = x->pidfd = -1;
	x->snapshot = snapshot_new(core_seq(core));
	core_hold_blobs(core, x->snapshot->arena);
	rc = start(x, core);
	if (rc < 0) {
		log_warn("no process can be started to take a snapshot: %s", strerror(-rc));
		snapshot_child_free(x);
		return NULL;
	}
	x->ended = event_new(base, x->pidfd, EV_READ, on_ended, x);
	event_add(x->ended, NULL);
	x->late = evtimer_new(base, on_late, x);
	event_add(x->late, &late);
	return x;
}

void snapshot_child_free(struct snapshot_child *x)
{
	if (!x)
		return;
	if (x->pid) {
		kill(x->pid, SIGKILL);
		waitpid(x->pid, NULL, 0);
	}
	if (x->ended)
		event_free(x->ended);
	if (x->late)
		event_free(x->late);
	if (x->pidfd >= 0)
		close(x->pidfd);
	if (x->file >= 0)
		close(x->file);
	snapshot_free(x->snapshot);
	free(x);
}
