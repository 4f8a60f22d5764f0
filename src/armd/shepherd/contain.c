/*
 * Kills the processes of the task and detects that it ran out of memory, with the contain plugin.
 */
#include "armd/shepherd/contain.h"

#include "armd/task/body.h"
#include "util/mem.h"
#include "util/units.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OOM_CHECKS = 20, SIZE_TEXT = 32, NEARLY_PERCENT = 95 };

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
 * The kernel notifies when it begins to look for a victim, and counts the killed process a moment
 * later. So the count is checked several times.
 */
bool shepherd_check_oom(struct shepherd *s, bool notified)
{
	struct armada_contain_usage u = {0};
	struct armada_error ignored;

	if (notified)
		s->oom_checks = OOM_CHECKS;
	if (s->oom_checks == 0)
		return false;
	s->oom_checks--;
	if (s->task->contain->usage(s->contain, &u, &ignored) < 0 || !u.oom)
		return false;
	s->oom_checks = 0;
	return true;
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
