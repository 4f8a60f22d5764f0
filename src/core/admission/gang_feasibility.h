/*
 * Whether the present nodes could hold a whole gang of jobs if they were empty.
 *
 * The check runs when the last member is submitted; each member alone has passed feasibility.h.
 * Members that ask for the same are counted against the room for them. All members, or the smallest
 * of them if a minimum is given, are counted against the sum of the nodes. With a uniformity label
 * the nodes of one value must be enough. A gang that passes may still not fit: packing is not
 * tried. O(nodes).
 */
#pragma once

#include "core/admission/admission.h"

/* A gang of jobs, complete. */
struct gang_sum {
	const Armada__JobSpec **specs; /* of all members */
	size_t count, least;           /* least: the minimum */
	const char *uniformity;        /* "": none */
};

int admit_gang_fit(struct admission *a, const struct gang_sum *sum);
