#include "tap/tap.h"
#include "util/reap.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t signals;

static void count(int sig)
{
	(void)sig;
	signals++;
}

/* Asks to be traced by its parent; each signal stops it then. */
static _Noreturn void traced(void)
{
	struct sigaction act = {.sa_handler = count};

	sigaction(SIGUSR1, &act, NULL);
	if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) < 0)
		_exit(1);
	raise(SIGUSR1);
	raise(SIGUSR1);
	_exit(signals == 2 ? 5 : 2);
}

static _Noreturn void traced_exec(void)
{
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	execl("/bin/sh", "sh", "-c", "exit 6", (char *)NULL);
	_exit(1);
}

static void ends_with(void (*child)(void), int code, const char *what)
{
	pid_t pid = fork(), got = 0;
	int status = 0;

	if (pid == 0)
		child();
	for (int i = 0; i < 2000 && (got = reap_ended(&status)) == 0; i++)
		poll(NULL, 0, 5);
	is_int(got, pid, "%s: its end is reaped", what);
	ok(WIFEXITED(status), "%s: not a stop", what);
	is_int(WEXITSTATUS(status), code, "%s: with its exit code", what);
	if (got <= 0)
		kill(pid, SIGKILL);
}

int main(void)
{
	int status;

	ends_with(traced, 5, "a child that is traced by its parent");
	ends_with(traced_exec, 6, "a traced child that runs a program");
	is_int(reap_ended(&status), -1, "no child is left");
	is_int(errno, ECHILD, "with the errno of waitpid");
	return done();
}
