/*
 * Kills the processes of the task and detects that it ran out of memory, with the contain plugin.
 */
#include "armd/shepherd/contain.h"

#include "armd/task/body.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/units.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OOM_PAUSE_US = 5000, OOM_PAUSE_MAX_US = 1000000, OOM_LOOK_US = 60000000 };
enum { SIZE_TEXT = 32, NEARLY_PERCENT = 95 };

/*
 * Kill the children of the shepherd. A process can leave the groups of the task (root's can), but
 * it remains a descendant of the shepherd. A child cannot be replaced before it is reaped, so it
 * can be signalled by number; its children become children of the shepherd.
 */
static void kill_children(void)
{
	char path[64];
	CLEANUP_FILE FILE *file = NULL;
	int pid;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	file = fopen(path, "re");
	while (file && fscanf(file, "%d", &pid) == 1)
		kill(pid, SIGKILL);
}

void shepherd_kill_all(struct shepherd *s)
{
	struct armada_error ignored;

	if (s->task->contain->kill(s->contain, &ignored) <= 0)
		kill_children();
}

int shepherd_watch_fd(const struct shepherd *s)
{
	const struct armada_contain_ops *contain = s->task->contain;

	return contain->watch && s->contain ? contain->watch(s->contain) : -1;
}

/*
 * The kernel notifies when it begins to look for a victim, and counts the killed process later: a moment
 * later, or seconds on a machine that is overloaded. So the count is checked for OOM_LOOK_US, with pauses
 * that grow from 5 ms to a second.
 */
bool shepherd_check_oom(struct shepherd *s, bool notified)
{
	int64_t now_us = clock_us(CLOCK_BOOTTIME);
	struct armada_contain_usage u = {0};
	struct armada_error ignored;

	if (notified)
		s->oom = (struct oom_look){.until_us = now_us + OOM_LOOK_US};
	if (s->oom.until_us == 0 || now_us < s->oom.next_us)
		return false;
	s->oom.pause_us = s->oom.pause_us == 0                 ? OOM_PAUSE_US
			  : s->oom.pause_us < OOM_PAUSE_MAX_US ? s->oom.pause_us * 5 / 4
							       : OOM_PAUSE_MAX_US;
	s->oom.next_us = now_us + s->oom.pause_us;
	if (s->task->contain->usage(s->contain, &u, &ignored) < 0)
		u.oom = false;
	if (u.oom || now_us > s->oom.until_us)
		s->oom = (struct oom_look){0};
	return u.oom;
}

const char *shepherd_oom_text(const struct shepherd *s, int64_t used_bytes)
{
	uint32_t tasks = s->node_tasks ? s->node_tasks : 1;
	int64_t limit = task_body_amount(s->body, "memory") * tasks;
	const char *whose =
		tasks > 1 ? arena_printf(s->arena, "the memory of %u tasks", tasks) : "its memory";
	char used[SIZE_TEXT], of[SIZE_TEXT];

	format_size(used_bytes, used, sizeof(used));
	format_size(limit, of, sizeof(of));
	if (limit <= 0)
		return arena_printf(s->arena, "oom: used %s, and its node ran out of memory", used);
	if (strcmp(used, of) == 0)
		return arena_printf(s->arena, "oom: used %s, the limit of %s", used, whose);
	if (used_bytes >= limit / 100 * NEARLY_PERCENT)
		return arena_printf(s->arena, "oom: used %s, and the limit of %s is %s", used,
				    whose, of);
	if (s->body->n_node_ranks > 1)
		return arena_printf(
			s->arena,
			"oom: used %s, and the job's tasks on the node or the node ran out of memory",
			used);
	return arena_printf(s->arena, "oom: used %s of its %s, and its node ran out of memory",
			    used, of);
}
