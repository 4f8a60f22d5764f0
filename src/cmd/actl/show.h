/*
 * actl show job, show node: all that is known of one.
 */
#pragma once

#include "cmd/actl/actl.h"

int actl_show_job(struct actl *a, struct err *err);
int actl_show_node(struct actl *a, struct err *err);
