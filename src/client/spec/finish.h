/*
 * A specification made whole: what was said in parts is put together, what was not said is filled in.
 */
#pragma once

#include "client/spec/spec.h"

struct conf;

/* For quantities that the cluster decides when the user does not. */
struct spec_defaults {
	int64_t cpu_milli;     /* of a task */
	const char *propagate; /* as --propagate; NULL: all */
};

/* As armada.conf has them. */
struct spec_defaults spec_defaults(const struct conf *conf);

/*
 * Put the parts together and check them against each other; fill what is not said (name,
 * directory, umask, host) from this process. Afterwards s->job is complete but for its blobs.
 */
int spec_finish(struct spec *s, const struct spec_defaults *d, struct err *err);

/* So much of a resource for each task. */
void spec_add_resource(struct spec *s, const char *name, int64_t amount);
