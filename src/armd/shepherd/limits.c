/* Logs limits that a task requests and cannot get, because the hard limits of armd are lower. */
#include "armd/shepherd/limits.h"

#include "armd/shepherd/log.h"
#include "armd/task/limits.h"
#include "util/rlimits.h"

#include <stdio.h>
#include <sys/resource.h>

static const char *amount(const struct shepherd *s, uint64_t n)
{
	return n == RLIMIT_MAX || n == RLIM_INFINITY
		       ? "unlimited"
		       : arena_printf(s->arena, "%llu", (unsigned long long)n);
}

int shepherd_limits(struct shepherd *s)
{
	for (size_t i = 0; i < s->body->n_rlimits; i++) {
		const Armada__Rlimit *r = s->body->rlimits[i];
		int n = rlimit_find(r->name);
		struct rlimit limit;

		if (n >= 0 && task_limit(s->body, &rlimit_names[n], &limit) &&
		    limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < r->soft)
			shepherd_log(
				s,
				"tasks that request the limit %s=%s get %s: the hard limit of armd is lower",
				r->name, amount(s, r->soft), amount(s, limit.rlim_cur));
	}
	return 0;
}
