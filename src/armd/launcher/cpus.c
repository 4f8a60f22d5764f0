#define LOG_AREA LOG_AREA_NODE
#include "armd/launcher/cpus.h"

#include "armd/launcher/network_out.h"
#include "util/clock.h"
#include "util/log.h"

#include <stdio.h>
#include <string.h>

enum { CHECK_AGAIN_US = 10000000 };

void launcher_cpus_init(struct launcher *l)
{
	struct err err;

	l->cpus.fd = -1;
	l->cpus.alone = true;
	if (!l->config->cpu_lock || !l->config->machine)
		return;
	l->cpus.fd = cpus_lock(l->config->cpu_lock, &err);
	l->cpus.alone = l->cpus.fd >= 0;
	if (l->cpus.fd < 0)
		log_warn("cpu_lock: %s: tasks are not bound to cpus, because another armd may use "
			 "them",
			 err.text);
	launcher_cpus_check(l);
}

void launcher_cpus_send(struct launcher *l)
{
	if (l->cpus.text[0])
		launcher_send_cpus(l, l->cpus.text);
}

void launcher_cpus_check(struct launcher *l)
{
	char text[CPUS_TEXT];

	if (l->cpus.fd >= 0)
		l->cpus.alone = cpus_alone(l->cpus.fd);
	if (!l->config->machine)
		return;
	cpus_describe(l->config->cpus, l->config->machine, l->cpus.alone, l->config->no_cpu_time,
		      text);
	if (strcmp(text, l->cpus.text) == 0)
		return;
	snprintf(l->cpus.text, sizeof(l->cpus.text), "%s", text);
	log_notice("cpus of tasks: %s", text);
	launcher_cpus_send(l);
}

void launcher_cpus_tick(struct launcher *l)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);

	if (l->cpus.fd < 0 || now_us < l->cpus.next_us)
		return;
	l->cpus.next_us = now_us + CHECK_AGAIN_US;
	launcher_cpus_check(l);
}
