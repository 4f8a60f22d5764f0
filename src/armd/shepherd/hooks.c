/*
 * Runs the site's programs around a task: prolog and epilog of its job on this node (hooks/job.h),
 * task prolog and task epilog as the user. Input: the shepherd's state. Output: 0, or an error with
 * why set; node_problem if the node is to be drained.
 */
#include "armd/shepherd/hooks.h"

#include "armd/shepherd/cancel.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static struct hook_env *job_env(const struct shepherd *s)
{
	const Armada__TaskBody *b = s->body;
	struct hook_env *e = hook_env_new();

	hook_env_set(e, "ARMADA_JOB_ID", "%llu", (unsigned long long)b->key->job);
	hook_env_set(e, "ARMADA_JOB_ELEMENT", "%u", b->key->element);
	hook_env_set(e, "ARMADA_ATTEMPT", "%u", b->key->attempt);
	hook_env_set(e, "ARMADA_JOB_NAME", "%s", b->job_name);
	hook_env_set(e, "ARMADA_JOB_USER", "%s", b->user);
	hook_env_set(e, "ARMADA_JOB_UID", "%u", b->uid);
	hook_env_set(e, "ARMADA_JOB_GID", "%u", b->gid);
	hook_env_set(e, "ARMADA_NODE_NAME", "%s", s->task->node_name);
	return e;
}

int shepherd_prolog(struct shepherd *s)
{
	const struct hooks *h = s->task->hooks;
	uint64_t gpus[PLACE_GPUS / 64] = {0};
	int rc;

	if (!h || (!h->prolog.argc && !h->epilog.argc))
		return 0;
	/* the bits after those of gpus are other devices (machine/counted.h) */
	for (size_t g = 0; s->task->place && s->task->machine && g < s->task->machine->gpu_count;
	     g++)
		if (place_has(s->task->place->gpus, g))
			place_add(gpus, g);
	rc = job_enter(s->task->spool, h, &s->task->order.key, gpus, job_env(s), &s->job, &s->why);
	if (rc < 0 && h->prolog_drains)
		s->node_problem = arena_strdup(s->arena, s->why.text);
	return rc < 0 ? rc : shepherd_cancelled(s, "while its prolog ran");
}

/* Run as the user, in the task's containment, in the task's directory if possible. */
static int become_user(const void *arg, struct err *err)
{
	const struct task *t = arg;
	int rc = task_become(t, err);

	if (rc == 0 && (!t->body->chdir[0] || chdir(t->body->chdir) < 0) && chdir("/") < 0)
		rc = err_sys(err, -errno, "chdir");
	return rc;
}

static int run_as_user(const struct shepherd *s, const struct hook *h, struct err *err)
{
	struct task t = {
		.body = s->body,
		.privileged = geteuid() == 0,
		.contain = s->task->contain,
		.contain_handle = s->contain,
		.shepherd = getpid(),
		.cpus = s->is_bound ? s->bound : NULL,
	};
	struct hook_env *e = job_env(s);
	int rc;

	hook_env_set(e, "ARMADA_HOOK", "%s", h->what);
	/*
	 * Only variables whose names the controller and armd made; values may come from the user.
	 */
	for (size_t i = 0; i < s->body->n_task_env; i++) {
		const char *name = s->body->task_env[i];
		CLEANUP_FREE char *copy = xstrdup(name);
		size_t len = strcspn(name, "=");

		if (!name[len] || strncmp(name, "ARMADA_", 7) != 0)
			continue;
		copy[len] = '\0';
		hook_env_set(e, copy, "%s", name + len + 1);
	}
	rc = hook_run(h, e, become_user, &t, err);
	hook_env_free(e);
	return rc;
}

int shepherd_task_prolog(struct shepherd *s)
{
	const struct hooks *h = s->task->hooks;

	return h && h->task_prolog.argc ? run_as_user(s, &h->task_prolog, &s->why) : 0;
}

void shepherd_task_epilog(struct shepherd *s)
{
	const struct hooks *h = s->task->hooks;
	struct err ignored;

	if (h && h->task_epilog.argc && s->contain && s->start_us)
		run_as_user(s, &h->task_epilog, &ignored);
}

bool shepherd_epilog(struct shepherd *s)
{
	struct err err;

	if (!s->job.env || job_leave(&s->job, &err) == 0 || !s->task->hooks->epilog_drains ||
	    s->node_problem)
		return false;
	s->node_problem = arena_strdup(s->arena, err.text);
	return true;
}
