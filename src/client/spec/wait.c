/* Options for the start of a job: dependencies and begin time. */
#include "client/spec/wait.h"

#include "client/spec/dependency.h"
#include "client/spec/spec.h"
#include "client/spec/time_parse.h"
#include "util/clock.h"

int spec_set_dependency(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Dependency **list;
	size_t count;
	bool any;
	const char **names = NULL;
	int rc = dependency_parse(value, s->arena, &list, &count, &any, s->in_list ? &names : NULL,
				  err);

	if (rc < 0)
		return rc;
	s->depends_on = names;
	s->job.dependencies = list;
	s->job.n_dependencies = count;
	s->job.dependency_any = any;
	return 0;
}

int spec_read_begin(void *field, const void *unused, const char *value, struct err *err)
{
	(void)unused;
	return time_parse(value, clock_us(CLOCK_REALTIME), field, err);
}
