/* Resource limits (ulimit) of the submitting process, which become limits of the tasks. */
#include "client/spec/limits.h"

#include "client/spec/spec.h"
#include "util/rlimits.h"

#include <errno.h>
#include <sys/resource.h>

int spec_set_propagate(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	uint32_t set;
	int rc = rlimit_parse(value, &set, err);

	if (rc < 0)
		return rc;
	s->propagate = set;
	s->propagate_set = true;
	return 0;
}

static void add_limit(struct spec *s, const struct rlimit_name *n, uint64_t soft)
{
	Armada__Rlimit *r = arena_alloc(s->arena, sizeof(*r));

	armada__rlimit__init(r);
	r->name = (char *)(uintptr_t)n->name;
	r->soft = soft;
	s->job.rlimits[s->job.n_rlimits++] = r;
}

/* A limit that is the default of tasks is left out. */
int spec_capture_limits(struct spec *s, const char *usual, struct err *err)
{
	uint32_t set = s->propagate;
	int rc = s->propagate_set ? 0 : rlimit_parse(usual, &set, err);

	if (rc < 0)
		return rc;
	s->job.rlimits = arena_alloc(s->arena, RLIMIT_NAMES * sizeof(*s->job.rlimits));
	for (int i = 0; i < RLIMIT_NAMES; i++) {
		const struct rlimit_name *n = &rlimit_names[i];
		struct rlimit now;
		uint64_t soft;

		if (!(set >> i & 1))
			continue;
		if (getrlimit((__rlimit_resource_t)n->resource, &now) < 0)
			return err_sys(err, -errno, "cannot read the limit %s", n->name);
		soft = now.rlim_cur == RLIM_INFINITY ? RLIMIT_MAX : now.rlim_cur;
		if (soft != n->own)
			add_limit(s, n, soft);
	}
	return 0;
}
