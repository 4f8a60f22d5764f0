/* ORDER_REBOOT: the site's program does it, which this machine's own armada.conf names. */
#include "armd/launcher/reboot.h"

#include "util/log.h"
#include "util/program.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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
		program_exec(l->config->reboot_program, l->config->node_name, -1);
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
