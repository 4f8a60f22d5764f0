/* ORDER_REBOOT: the site's program does it, which this machine's own armada.conf names. */
#include "armd/launcher/reboot.h"

#include "util/log.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Nothing of ours reaches it: no descriptor, no signal mask, an environment built from nothing (S2). */
static _Noreturn void run(const struct launcher *l)
{
	const char *argv[] = {l->config->reboot_program, l->config->node_name, NULL};
	const char *envp[] = {"PATH=/usr/sbin:/usr/bin:/sbin:/bin", NULL};
	int null = open("/dev/null", O_RDWR);
	sigset_t none;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	setsid();
	for (int fd = 0; fd < 3; fd++)
		if (null < 0 || dup2(null, fd) < 0)
			_exit(126);
	if (close_range(3, ~0U, 0) < 0 || chdir("/") < 0)
		_exit(126);
	execve(argv[0], (char *const *)(uintptr_t)argv, (char *const *)(uintptr_t)envp);
	_exit(127);
}

void launcher_reboot(struct launcher *l)
{
	const struct hook program = {"reboot_program", &l->config->reboot_program, 1, 0};
	struct err err;
	pid_t pid;

	if (l->reboot > 0)
		return; /* the order is repeated until the machine is gone */
	if (!l->config->reboot_program) {
		log_error("a reboot was ordered, and agents.reboot_program is not set here");
		return;
	}
	if (hook_check(&program, &err) < 0) {
		log_error("agents.%s: nothing is rebooted", err.text);
		return;
	}
	log_notice("rebooting by the controller's order: %s", l->config->reboot_program);
	pid = fork();
	if (pid == 0)
		run(l);
	if (pid < 0)
		log_error("%s cannot be started: %s", l->config->reboot_program, strerror(errno));
	else
		l->reboot = pid;
}

void launcher_reboot_ended(struct launcher *l, int status)
{
	l->reboot = 0;
	if (WIFSIGNALED(status))
		log_error("%s was killed by signal %d", l->config->reboot_program,
			  WTERMSIG(status));
	else if (WEXITSTATUS(status) == 127)
		log_error("%s cannot be run", l->config->reboot_program);
	else if (WEXITSTATUS(status) != 0)
		log_error("%s ended with status %d", l->config->reboot_program,
			  WEXITSTATUS(status));
}
