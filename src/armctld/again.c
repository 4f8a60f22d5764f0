/*
 * Input: the arguments that main got. Output: the program, from its beginning. All threads end with execve,
 * no open file survives it, and the process keeps its id, so that a service manager sees no end.
 */
#include "armctld/again.h"

#include "util/log.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static char **arguments;

void again_keep(char **argv)
{
	arguments = argv;
}

void again_now(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	execv("/proc/self/exe", arguments);
	log_error("armctld cannot be executed again: %s", strerror(errno));
	_exit(1);
}
