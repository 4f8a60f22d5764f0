/*
 * Could the nodes of today ever hold a whole gang of jobs, were they empty?
 *
 * Asked when its last member comes; each of them has been found to fit alone (feasibility.h). Members that
 * ask for the same are counted against the rooms there are for them; all of them, or the least of
 * them where a minimum will do, against what the nodes have. Where a label is to be uniform the nodes
 * of one value of it must do. What passes may still not fit: packing is not tried. O(nodes).
 */
#pragma once

#include "core/admission/admission.h"

/* A gang of jobs, as it would be. */
struct gang_sum {
	const Armada__JobSpec **specs; /* of all members */
	size_t count, least;           /* so many of them will do */
	const char *uniformity;        /* "": none */
};

int admit_gang_fit(struct admission *a, const struct gang_sum *sum);
