/*
 * Whether the present nodes could hold a whole gang of jobs if they were empty.
 *
 * The check runs when the last member is submitted, and also when the first one is, with the later
 * ones taken to be like the smallest one known; each member alone has passed feasibility.h.
 * Members that ask for the same are counted against the room for them. All members, or the smallest
 * of them if a minimum is given, are counted against the sum of the nodes. With a uniformity label
 * the nodes of one value must be enough. A gang that passes may still not fit: packing is not
 * tried. O(nodes).
 */
#pragma once

#include "core/admission/admission.h"

/* A gang of jobs. */
struct gang_sum {
	const Armada__JobSpec **specs; /* of the known members, at least one */
	size_t count, least;           /* least: the minimum */
	const char *uniformity;        /* "": none */
	size_t later;                  /* members that are not known yet */
};

int admit_gang_fit(struct admission *a, const struct gang_sum *sum);
