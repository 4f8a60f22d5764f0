#include "util/program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <unistd.h>

int program_reset_signals(void)
{
	const struct sigaction def = {.sa_handler = SIG_DFL};
	sigset_t none;

	for (int sig = 1; sig <= SIGRTMAX; sig++)
		sigaction(sig, &def, NULL); /* SIGKILL and libc's own refuse */
	sigemptyset(&none);
	return sigprocmask(SIG_SETMASK, &none, NULL) < 0 ? -errno : 0;
}

static _Noreturn void run(const char *const *argv, int output_fd, int error_fd)
{
	const char *envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	int null = open("/dev/null", O_RDWR);

	program_reset_signals();
	setsid();
	if (null < 0 || dup2(null, 0) < 0 || dup2(output_fd < 0 ? null : output_fd, 1) < 0 ||
	    dup2(error_fd < 0 ? null : error_fd, 2) < 0 || close_range(3, ~0U, 0) < 0 ||
	    chdir("/") < 0)
		_exit(126);
	execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
	_exit(127);
}

void program_exec(const char *path, const char *argument, int error_fd)
{
	const char *const argv[] = {path, argument, NULL};

	run(argv, -1, error_fd);
}

void program_exec_output(const char *const *argv, int output_fd)
{
	run(argv, output_fd, -1);
}
