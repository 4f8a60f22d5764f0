/* Writes the exit record, runs the epilogs, and removes everything that was made for the task. */
#include "armd/shepherd/end.h"

#include "armd/shepherd/contain.h"
#include "armd/shepherd/control.h"
#include "armd/shepherd/hooks.h"
#include "armd/shepherd/last_line.h"
#include "armd/spool/host_files.h"
#include "util/clock.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static Armada__EndCause cause_of(const struct shepherd *s, bool oom)
{
	if (s->cause)
		return (Armada__EndCause)s->cause;
	if (s->why.text[0])
		return s->blame_node ? ARMADA__END_CAUSE__END_NODE
				     : ARMADA__END_CAUSE__END_LAUNCH_FAILED;
	if (!s->reaped)
		return ARMADA__END_CAUSE__END_LOST;
	if (oom)
		return ARMADA__END_CAUSE__END_OUT_OF_MEMORY;
	if (!s->start_us)
		/*
		 * killed at the gate; the user's own processes can do that, so the node is not
		 * blamed
		 */
		return ARMADA__END_CAUSE__END_LOST;
	if (WIFSIGNALED(s->status))
		return ARMADA__END_CAUSE__END_SIGNALED;
	return ARMADA__END_CAUSE__END_EXITED;
}

static bool read_usage(struct shepherd *s, Armada__Usage *usage)
{
	struct armada_contain_usage u = {0};
	struct armada_error ignored;

	if (!s->contain || s->task->contain->usage(s->contain, &u, &ignored) < 0)
		return false;
	usage->cpu_us = u.cpu_us;
	usage->max_rss_bytes = u.max_rss_bytes;
	usage->read_bytes = u.read_bytes;
	usage->written_bytes = u.written_bytes;
	usage->group_peak_bytes = u.group_peak_bytes;
	usage->user_us = u.user_us;
	usage->system_us = u.system_us;
	return u.oom;
}

static void write_record(struct shepherd *s)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;
	Armada__Usage usage = ARMADA__USAGE__INIT;
	bool oom = read_usage(s, &usage);
	bool ran = s->start_us && !s->why.text[0];

	end.cause = cause_of(s, oom);
	end.text = (char *)(uintptr_t)(s->text && !s->why.text[0] ? s->text : s->why.text);
	if (end.cause == ARMADA__END_CAUSE__END_OUT_OF_MEMORY)
		end.text = (char *)(uintptr_t)shepherd_oom_text(
			s, usage.group_peak_bytes ? usage.group_peak_bytes : usage.max_rss_bytes);
	if (end.cause == ARMADA__END_CAUSE__END_LOST && s->reaped && !s->why.text[0])
		end.text = (char *)"its process was killed while it waited to be released";
	if (!s->told)
		s->told = shepherd_told_by_end(s, end.cause, end.text);
	if (s->end_us == 0)
		s->end_us = clock_us(CLOCK_REALTIME);
	end.end_us = s->end_us;
	end.node_problem = (char *)(uintptr_t)(s->node_problem ? s->node_problem : "");
	if (ran)
		end.start_us = s->start_us;
	if (ran && s->reaped) {
		end.usage = &usage;
		end.exit_code = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : 0;
		end.signal = WIFSIGNALED(s->status) ? WTERMSIG(s->status) : 0;
	}
	/*
	 * Without a record the launcher finds no shepherd and reports the attempt as lost, which is
	 * true.
	 */
	if (attempt_write_end(s->task->attempt_fd, &end, NULL) < 0)
		_exit(1);
}

void shepherd_end(struct shepherd *s)
{
	char name[ATTEMPT_NAME + 8];

	write_record(s);
	shepherd_last_line(s);
	shepherd_task_epilog(s);
	/* The record is durable from here on; the launcher is notified only after the epilogs. */
	if (shepherd_epilog(s))
		write_record(s);
	attempt_name(&s->task->order.key, name);
	if (s->script)
		unlinkat(s->task->spool->scripts, name, 0);
	host_files_remove(s->task->spool, &s->task->order.key);
	if (s->contain)
		s->task->contain->finish(s->contain);
	/* Remove the socket last: while it exists, the cleanup is not complete. */
	control_unlink(s->task->spool, &s->task->order.key);
	control_notify(s->task->spool, &s->task->order.key, CONTROL_ENDED);
}
