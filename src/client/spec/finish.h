/*
 * Completes a specification: values are combined and checked, and defaults are filled in.
 */
#pragma once

#include "client/spec/spec.h"

struct conf;

/* The defaults of the cluster. */
struct spec_defaults {
	int64_t cpu_milli;     /* of a task */
	const char *propagate; /* like --propagate; NULL: all */
};

/* The defaults of armada.conf. */
struct spec_defaults spec_defaults(const struct conf *conf);

/*
 * Combines and checks the values, and fills in missing ones (name, directory, umask, host) from
 * this process. Afterwards s->job is complete, except for its blobs.
 */
int spec_finish(struct spec *s, const struct spec_defaults *d, struct err *err);

/* Sets the amount of a resource of each task. */
