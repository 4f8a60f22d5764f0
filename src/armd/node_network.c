/* Forks the network process and drops the launcher's privileges in it. */
#include "armd/node_network.h"

#include "armd/identity.h"
#include "armd/node_discover.h"
#include "armd/pipe/io.h"
#include "util/log.h"
#include "util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <unistd.h>

enum { PIPE_FD = 3 };

/* Close all descriptors of the launcher except the log and this end of the pipe. */
static int keep_only(int pipe_fd, struct err *err)
{
	if (pipe_fd != PIPE_FD && dup3(pipe_fd, PIPE_FD, O_CLOEXEC) < 0)
		return err_sys(err, -errno, "cannot keep the pipe");
	if (close_range(PIPE_FD + 1, ~0U, 0) < 0)
		return err_sys(err, -errno, "cannot close the launcher's files");
	return 0;
}

static int become_network(const struct node *n, int pipe_fd, pid_t launcher, struct err *err)
{
	int rc;

	program_reset_signals();
	rc = keep_only(pipe_fd, err);
	if (rc == 0)
		rc = identity_become(n->agent_uid, n->agent_gid, err);
	if (rc < 0)
		return rc;
	/*
	 * Set after the change of uid, which clears it. The end of the pipe would end the process
	 * too, only later.
	 */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0)
		return err_sys(err, -errno, "cannot set the parent-death signal");
	if (getppid() != launcher)
		return err_set(err, -ECHILD, "the launcher has died");
	return 0;
}

/* Not the first one: anode refresh ends the network process, and this one takes its place. */
static void refresh(struct node *n)
{
	struct err err;

	program_reset_signals();
	if (n->network_began && node_discover(n, &err) < 0)
		log_warn("the resources of this node are those found when armd started: %s",
			 err.text);
}

static _Noreturn void child(struct node *n, int pipe_fd, pid_t launcher)
{
	struct err err;

	refresh(n);
	if (become_network(n, pipe_fd, launcher, &err) < 0) {
		log_error("network process: %s", err.text);
		_exit(1);
	}
	_exit(network_main(&n->network, PIPE_FD));
}

pid_t node_start_network(void *arg, int *ret_fd, struct err *err)
{
	struct node *n = arg;
	pid_t launcher = getpid(), pid;
	int fds[2], rc;

	rc = pipe_pair(fds, err);
	if (rc < 0)
		return rc;
	pid = fork();
	if (pid == 0)
		child(n, fds[1], launcher);
	rc = -errno;
	close(fds[1]);
	n->network_began = true;
	if (pid < 0) {
		close(fds[0]);
		return err_sys(err, rc, "fork");
	}
	*ret_fd = fds[0];
	return pid;
}
