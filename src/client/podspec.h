/*
 * The words of Armada's job files on Kubernetes: jobSetId, podSpec, podSpecs and gang annotations.
 *
 * A job with a pod specification becomes a map with our own keys: a container is the program of a task, and
 * several pods are groups of one task each. Fields that have no counterpart are refused with their path and
 * with what to use instead.
 */
#pragma once

#include "client/jobfile.h"

/*
 * job: a map that may have such words. *ret_map: a map of our own keys; job itself if it has none of these
 * words. *ret_images is set if an image is named, which does not run: the job runs on the host.
 */
int podspec_translate(const struct jobfile_source *source, struct jobtree *job, struct arena *arena,
		      struct jobtree **ret_map, bool *ret_images, struct err *err);
