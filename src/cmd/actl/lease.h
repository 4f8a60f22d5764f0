/*
 * actl lease extend: tasks of nodes may run on longer without the controller.
 */
#pragma once

#include "cmd/actl/actl.h"

int actl_lease_extend(struct actl *a, struct err *err);
