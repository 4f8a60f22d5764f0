/* ORDER_REBOOT: runs agents.reboot_program of this node's own armada.conf. */
#define LOG_AREA LOG_AREA_NODE
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
		return; /* the controller repeats the order until the machine reboots */
	if (!l->config->reboot_program) {
		log_error(
			"a reboot was ordered, but agents.reboot_program is not set on this node");
		return;
	}
	if (hook_check(&program, &err) < 0) {
		log_error("agents.%s: not rebooting", err.text);
		return;
	}
	log_notice("rebooting as ordered by the controller: %s", l->config->reboot_program);
	pid = fork();
	if (pid == 0)
		program_exec(l->config->reboot_program, l->config->node_name, -1);
	if (pid < 0)
		log_error("cannot start %s: %s", l->config->reboot_program, strerror(errno));
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
		log_error("cannot run %s", l->config->reboot_program);
	else if (WEXITSTATUS(status) != 0)
		log_error("%s exited with status %d", l->config->reboot_program,
			  WEXITSTATUS(status));
}
