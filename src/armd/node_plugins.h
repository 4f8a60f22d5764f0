/*
 * The plugins of this node: who decodes credentials, and who contains tasks on this machine.
 */
#pragma once

#include "armd/node.h"

/*
 * The containment is what armada.conf names, or with "auto" the best that can work here; says which in the
 * log, and why no better one.
 */
int node_load_plugins(struct node *n, struct err *err);
/* May tasks open no gpus but their own? Libraries count the gpus that they can open. */
bool node_filters_devices(const struct node *n);
