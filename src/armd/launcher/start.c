#include "armd/launcher/start.h"

#include "armd/launcher/cpus.h"
#include "armd/launcher/live.h"
#include "armd/launcher/place.h"
#include "armd/launcher/user_rules.h"
#include "armd/shepherd/shepherd.h"
#include "util/clock.h"
#include "util/mem.h"

#include <errno.h>

void launcher_end_task(struct launcher *l, const struct task_key *key, uint32_t cause,
		       const char *why)
{
	Armada__TaskEnd end = ARMADA__TASK_END__INIT;

	end.cause = (Armada__EndCause)cause;
	end.text = (char *)(uintptr_t)why;
	ledger_ended(l->ledger, key, &end, true, &l->effects);
}

static int fork_shepherd(struct launcher *l, int fd, const struct attempt *a, struct err *err)
{
	struct place place = {.each_milli = 0};
	struct shepherd_task task = {.spool = &l->spool,
				     .attempt_fd = fd,
				     .machine = l->config->machine,
				     .place = &place,
				     .node_name = l->config->node_name,
				     .hooks = l->config->hooks,
				     .body = a->body,
				     .body_len = a->body_len,
				     .stub = l->config->stub,
				     .plugin_dir = l->config->plugin_dir,
				     .groups_of_controller = l->config->groups_of_controller,
				     .contain = l->contain,
				     .contain_values = l->config->contain->values};
	CLEANUP_CLOSE int control = -1;
	pid_t pid;
	int rc;

	if (!a->has_order || !order_decode(a->order, &task.order))
		return err_set(err, -EBADMSG, "its order record in the spool is damaged");
	/* an earlier armd with another armada.conf may have accepted the order */
	if (!launcher_user_allowed(l, &task.order, err))
		return -EACCES;
	task.cached_user = user_cache_find(l->users, task.order.uid, clock_us(CLOCK_BOOTTIME));
	launcher_cpus_check(l);
	task.cpus = l->config->cpus;
	task.cpus_shared = !l->cpus.alone;
	rc = launcher_place(l, fd, a, &place, err);
	if (rc < 0)
		return rc;
	control = control_bind(&l->spool, &a->key, err);
	if (control < 0)
		return control;
	task.control_fd = control;
	pid = shepherd_start(&task, err);
	if (pid < 0)
		return pid;
	launcher_live_add(l, &a->key, pid)->place = place;
	return 0;
}

void launcher_start_task(struct launcher *l, const struct task_key *key)
{
	struct attempt a = {.key = *key};
	CLEANUP_CLOSE int fd = -1;
	struct err err;
	int rc = attempt_open(&l->spool, key, &fd, &err);

	if (rc == 0 && !spool_lock_file(fd))
		return; /* a shepherd already runs it */
	if (rc == 0)
		rc = attempt_read(&l->spool, fd, l->arena, &a, &err);
	if (rc == 0 && !a.forked)
		rc = fork_shepherd(l, fd, &a, &err);
	if (rc < 0)
		launcher_end_task(l, key,
				  rc == -EACCES ? ARMADA__END_CAUSE__END_ACCOUNT
						: ARMADA__END_CAUSE__END_NODE,
				  err.text);
}
