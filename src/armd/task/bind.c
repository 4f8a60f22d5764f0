/* Binds the task to its cpus. */
#include "armd/task/bind.h"

#include "agent/place.h"

#include <errno.h>
#include <sched.h>

int task_bind_process(pid_t pid, const uint64_t *cpus, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE(PLACE_CPUS);
	cpu_set_t *set = CPU_ALLOC(PLACE_CPUS);
	int rc;

	if (!set)
		return err_set(err, -ENOMEM, "cannot bind the task to its cpus");
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < PLACE_CPUS; i++)
		if (!cpus || place_has(cpus, i))
			CPU_SET_S(i, size, set);
	rc = sched_setaffinity(pid, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return rc < 0 ? err_sys(err, rc, "cannot bind the task to its cpus") : 0;
}

/* An unbound task may run on all cpus, even if armd itself is bound. */
int task_bind(const struct task *t, struct err *err)
{
	return t->cpus || t->privileged ? task_bind_process(0, t->cpus, err) : 0;
}

/* The machine may lack some of the requested cpus, but no other cpu may be set. */
int task_check_bind(const struct task *t, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE(PLACE_CPUS), strange = 0;
	cpu_set_t *set = CPU_ALLOC(PLACE_CPUS);
	int rc = set ? sched_getaffinity(0, size, set) : -1;

	for (size_t i = 0; rc == 0 && t->cpus && i < PLACE_CPUS; i++)
		strange += CPU_ISSET_S(i, size, set) && !place_has(t->cpus, i);
	CPU_FREE(set);
	if (rc < 0)
		return err_sys(err, -errno, "cannot read back the cpus");
	return strange ? err_set(err, -EPERM, "is not bound to its cpus") : 0;
}
