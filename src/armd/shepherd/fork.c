/*
 * Forks the children of a shepherd: the first process of the task, and the steps that run in it
 * later. Input: the shepherd's state, with containment prepared. Output: s->pid, the report pipe,
 * and the gate of a gated task.
 *
 * The child is forked into the control group of the task if the kernel can do that (clone3), and
 * runs task_exec(). The report pipe closes with the exec; before that, it carries a failure as
 * text. A gated task reads one byte from the gate before its exec.
 */
#include "armd/shepherd/fork.h"

#include "armd/pipe/body.h"
#include "armd/task/body.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The members that are equal for all children of the task. */
static struct task child_of(const struct shepherd *s, struct arena *arena)
{
	return (struct task){
		.body = s->body,
		.privileged = shepherd_privileged(),
		.envp = task_body_environment(s->body, arena),
		.contain = s->task->contain,
		.contain_handle = s->contain,
		.shepherd = getpid(),
		.cpus = s->is_bound ? s->bound : NULL,
		.report = -1,
		.gate = -1,
		.payload = -1,
	};
}

static char **stub_argv(const struct shepherd *s, struct arena *arena)
{
	char **argv = arena_zalloc(arena, 3, sizeof(*argv));

	argv[0] = (char *)(uintptr_t)s->task->stub;
	argv[1] = (char *)(uintptr_t)s->task->plugin_dir;
	return argv;
}

static int choose_program(struct shepherd *s, struct task *t)
{
	if (!s->body->interactive) {
		t->script = s->script;
		t->argv = task_body_argv(s->body, s->script, s->arena);
		return 0;
	}
	t->argv = stub_argv(s, s->arena);
	t->payload = pipe_body_new(s->body->script.data, s->body->script.len, &s->why);
	return t->payload < 0 ? t->payload : 0;
}

static int make_pipes(struct shepherd *s, struct task *t)
{
	int report[2], gate[2] = {-1, -1};

	if (pipe2(report, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_sys(&s->why, -errno, "pipe");
	s->report = report[0];
	t->report = report[1];
	if (!shepherd_is_gated(s))
		return 0;
	if (pipe2(gate, O_CLOEXEC) < 0)
		return err_sys(&s->why, -errno, "pipe");
	t->gate = gate[0];
	s->gate = gate[1];
	return 0;
}

/*
 * Like fork(), but into the control group of the task if the kernel supports it: this costs
 * nothing, while moving a process later waits for every processor. It is safe because the shepherd
 * has one thread, and the child does little more than system calls before its exec.
 */
static pid_t fork_contained(const struct shepherd *s, struct task *t)
{
	const struct armada_contain_ops *contain = s->task->contain;
	int group = contain->cgroup_fd ? contain->cgroup_fd(s->contain) : -1;
	struct clone_args args = {.flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD};
	pid_t pid;

	t->contained = false;
	if (group < 0)
		return fork();
	args.cgroup = (uint64_t)group;
	t->contained = true;
	pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid >= 0)
		return pid;
	t->contained = false; /* a kernel before 5.7, or a seccomp filter that blocks clone3 */
	return fork();
}

static int fork_first(struct shepherd *s, struct task *t)
{
	struct armada_error text = {{0}};

	if (!shepherd_is_gated(s))
		s->begun_us = clock_us(CLOCK_BOOTTIME);
	s->pid = fork_contained(s, t);
	if (s->pid == 0)
		task_exec(t);
	if (s->pid < 0)
		return err_sys(&s->why, -errno, "cannot fork the task");
	if (!shepherd_is_gated(s))
		s->start_us = clock_us(CLOCK_REALTIME);
	if (s->task->contain->started(s->contain, s->pid, &text) < 0)
		kill(s->pid, SIGKILL);
	if (text.text[0])
		err_set(&s->why, -EIO, "%s", text.text);
	return 0;
}

int shepherd_fork(struct shepherd *s)
{
	struct task t = child_of(s, s->arena);
	int rc = choose_program(s, &t);

	t.stdio = true;
	t.append = s->body->open_append || s->task->order.key.attempt > 1;
	if (rc == 0)
		rc = make_pipes(s, &t);
	if (rc == 0)
		rc = fork_first(s, &t);
	close_fd(&t.payload);
	close_fd(&t.report);
	close_fd(&t.gate);
	return rc;
}

/* The environment of the task, and the number of the step in it. */
static char **step_environment(char *const *envp, uint32_t number, struct arena *arena)
{
	size_t count = 0;
	char **all;

	while (envp[count])
		count++;
	all = arena_zalloc(arena, count + 2, sizeof(*all));
	memcpy(all, envp, count * sizeof(*all));
	all[count] = arena_printf(arena, "ARMADA_STEP_ID=%u", number);
	return all;
}

/*
 * A step that cannot be forked is dropped: its arun never gets a connection from the stub. A task may run
 * very many steps, so nothing of one stays in the arena of the shepherd.
 */
pid_t shepherd_fork_step(const struct shepherd *s, int payload_fd, const uint32_t *number)
{
	CLEANUP_ARENA struct arena *arena = arena_new(0);
	struct task t = child_of(s, arena);
	pid_t pid;

	t.argv = stub_argv(s, arena);
	t.payload = payload_fd;
	if (number)
		t.envp = step_environment(t.envp, *number, arena);
	pid = fork_contained(s, &t);
	if (pid == 0)
		task_exec(&t);
	return pid;
}
