/*
 * Feasibility: whether the present nodes could hold a job if they were empty.
 *
 * The check covers the part of the job that must start together, with its selectors, tolerations,
 * node lists and uniformity label. Drained and silent nodes count: they may come back. O(nodes).
 */
#pragma once

#include "core/admission/admission.h"

/* The value of a label of the node; NULL: it does not have the label. */
const char *node_label(const struct node *n, const char *key);
/* True if labels and taints of the node and the job's node lists match. Ignores resources. */
bool node_suits(const Armada__JobSpec *spec, const struct node *n);
/* 0, or a refusal: the present nodes could never hold the job. */
int admit_fit(struct admission *a);
