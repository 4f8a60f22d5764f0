#include "armd/launcher/live.h"

#include "armd/launcher/health.h"
#include "util/clock.h"
#include "util/mem.h"

#include <stdio.h>
#include <stdlib.h>

struct live_task *launcher_live_find(const struct launcher *l, const struct task_key *key)
{
	for (size_t i = 0; i < l->live_count; i++)
		if (task_key_equal(&l->live[i].key, key))
			return &l->live[i];
	return NULL;
}

struct live_task *launcher_live_add(struct launcher *l, const struct task_key *key, pid_t pid)
{
	GROW(l->live, l->live_cap, l->live_count + 1);
	l->live[l->live_count] = (struct live_task){.key = *key, .pid = pid};
	return &l->live[l->live_count++];
}

/*
 * An unkillable task still holds its resources. The node is unhealthy until the task has ended, or
 * an administrator has repaired the machine.
 */
void launcher_live_report_stuck(struct launcher *l)
{
	char key[64], text[192] = "";

	for (size_t i = 0; i < l->live_count && !text[0]; i++) {
		if (!l->live[i].stuck)
			continue;
		task_key_format(&l->live[i].key, key);
		snprintf(
			text, sizeof(text),
			"task %s cannot be killed: SIGKILL does not end it, and the machine may have "
			"to be rebooted",
			key);
	}
	launcher_health_stuck(l, text);
}

void launcher_live_remove(struct launcher *l, struct live_task *v)
{
	bool stuck = v->stuck;

	free(v->kill_text);
	*v = l->live[--l->live_count];
	if (stuck)
		launcher_live_report_stuck(l);
}

void launcher_tick_within(struct launcher *l, int64_t us)
{
	int64_t at_us = clock_us(CLOCK_BOOTTIME) + us;

	if (l->next_tick_us == 0 || at_us < l->next_tick_us)
		l->next_tick_us = at_us;
}
