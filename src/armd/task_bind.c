/* The cpus that the task may run on. */
#include "armd/task.h"

#include "agent/place.h"
#include "util/mem.h"

#include <errno.h>
#include <sched.h>

int task_bind(const struct task *t, struct err *err)
{
	size_t size = CPU_ALLOC_SIZE(PLACE_CPUS);
	cpu_set_t *set = t->cpus ? CPU_ALLOC(PLACE_CPUS) : NULL;
	int rc;

	if (!t->cpus)
		return 0;
	if (!set)
		return err_set(err, -ENOMEM, "cannot bind the task to its cpus");
	CPU_ZERO_S(size, set);
	for (size_t i = 0; i < PLACE_CPUS; i++)
		if (place_has(t->cpus, i))
			CPU_SET_S(i, size, set);
	rc = sched_setaffinity(0, size, set) < 0 ? -errno : 0;
	CPU_FREE(set);
	return rc < 0 ? err_sys(err, rc, "cannot bind the task to its cpus") : 0;
}
