/*
 * Input: the arguments that main got. Output: the program, from its beginning. All threads end with execve,
 * no open file survives it, and the process keeps its id, so that a service manager sees no end.
 *
 * The program is executed by its path: where another release was installed meanwhile, that one begins,
 * because the plugins are of that release, too. Without the file, the program of this process is executed.
 */
#include "armctld/again.h"

#include "util/log.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static const char self[] = "/proc/self/exe";
static char **arguments;
static char program[PATH_MAX];

void again_keep(char **argv)
{
	ssize_t n = readlink(self, program, sizeof(program) - 1);

	program[n < 0 ? 0 : n] = '\0';
	arguments = argv;
}

void again_now(void)
{
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
	if (program[0])
		execv(program, arguments);
	execv(self, arguments);
	log_error("armctld cannot be executed again: %s", strerror(errno));
	_exit(1);
}
