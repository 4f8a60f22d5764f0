#include "util/reap.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

/* The SIGTRAP of a traced exec is not a signal for the program. */
static void release(pid_t pid, int status)
{
	intptr_t sig = WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);

	ptrace(PTRACE_DETACH, pid, NULL, (void *)sig);
}

pid_t reap_ended_usage(int *ret_status, struct rusage *ret_usage)
{
	pid_t pid;

	while ((pid = wait4(-1, ret_status, WNOHANG, ret_usage)) > 0 && WIFSTOPPED(*ret_status))
		release(pid, *ret_status);
	return pid;
}

pid_t reap_ended(int *ret_status)
{
	struct rusage ignored;

	return reap_ended_usage(ret_status, &ignored);
}
