/*
 * Could the nodes of today ever hold a job, were they empty?
 *
 * All of it that must start together, with its labels, taints, node lists and the label whose value
 * they must share. Nodes that are drained or silent count: they may come back. O(nodes).
 */
#pragma once

#include "core/admission/admission.h"

/* The value of a label; NULL: it has none. */
const char *node_label(const struct node *n, const char *key);
/* Does the node do by its labels and taints and the job's lists of nodes? Resources apart. */
bool node_suits(const Armada__JobSpec *spec, const struct node *n);
/* could the nodes of today ever hold it, were they empty? */
int admit_fit(struct admission *a);
