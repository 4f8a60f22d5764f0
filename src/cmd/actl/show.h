/*
 * actl show job, show node: everything about a job, or about nodes.
 */
#pragma once

#include "cmd/actl/actl.h"

int actl_show_job(struct actl *a, struct err *err);
int actl_show_node(struct actl *a, struct err *err);
