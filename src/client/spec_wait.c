/* Setters of what a job waits for. */
#include "client/spec_set.h"

#include "client/dependency.h"
#include "client/spec.h"
#include "client/when.h"
#include "util/mem.h"

#include <errno.h>
#include <string.h>
#include <time.h>

int spec_set_dependency(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	Armada__Dependency **list;
	size_t count;
	bool any;
	int rc = dependency_parse(value, s->arena, &list, &count, &any, err);

	if (rc < 0)
		return rc;
	s->job.dependencies = list;
	s->job.n_dependencies = count;
	s->job.dependency_any = any;
	return 0;
}

int spec_set_kill_on_invalid(void *target, const char *value, struct err *err)
{
	struct spec *s = target;

	if (strcmp(value, "yes") != 0 && strcmp(value, "no") != 0)
		return err_set(err, -EINVAL, "\"%.40s\" must be yes or no", value);
	s->job.keep_invalid_dependency = value[0] == 'n';
	return 0;
}

int spec_set_begin(void *target, const char *value, struct err *err)
{
	struct spec *s = target;
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return when_parse(value, now.tv_sec * INT64_C(1000000) + now.tv_nsec / 1000,
			  &s->job.begin_us, err);
}
