/*
 * The limits of the task's program. They are set last, as the user: only soft limits are raised, up
 * to the hard limits of armd, and a low limit would restrict the earlier steps.
 */
#include "armd/task/limits.h"

#include "util/rlimits.h"

#include <errno.h>
#include <sys/resource.h>

static uint64_t wanted(const Armada__TaskBody *b, const struct rlimit_name *n)
{
	for (size_t i = 0; i < b->n_rlimits; i++)
		if (rlimit_find(b->rlimits[i]->name) == n - rlimit_names)
			return b->rlimits[i]->soft;
	return n->own;
}

bool task_limit(const Armada__TaskBody *b, const struct rlimit_name *n, struct rlimit *ret)
{
	uint64_t want = wanted(b, n);

	if (getrlimit((__rlimit_resource_t)n->resource, ret) < 0)
		return false;
	if (want == RLIMIT_MAX || want > ret->rlim_max)
		ret->rlim_cur = ret->rlim_max;
	else
		ret->rlim_cur = want;
	return true;
}

int task_set_limits(const struct task *t, struct err *err)
{
	for (int i = 0; i < RLIMIT_NAMES; i++) {
		const struct rlimit_name *n = &rlimit_names[i];
		struct rlimit limit;

		if (!task_limit(t->body, n, &limit) ||
		    setrlimit((__rlimit_resource_t)n->resource, &limit) < 0)
			return err_sys(err, -errno, "cannot set the limit %s", n->name);
	}
	return 0;
}

int task_check_limits(const struct task *t, struct err *err)
{
	for (int i = 0; i < RLIMIT_NAMES; i++) {
		const struct rlimit_name *n = &rlimit_names[i];
		struct rlimit want, is;

		if (!task_limit(t->body, n, &want) ||
		    getrlimit((__rlimit_resource_t)n->resource, &is) < 0)
			return err_sys(err, -errno, "cannot read back the limit %s", n->name);
		if (is.rlim_cur != want.rlim_cur)
			return err_set(err, -EPERM, "the limit %s is not as it was set", n->name);
	}
	return 0;
}
