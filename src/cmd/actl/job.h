/*
 * actl hold, release, requeue, requeuehold: jobs that are named or chosen.
 */
#pragma once

#include "cmd/actl/actl.h"

/* a->second: release, requeuehold. */
int actl_hold(struct actl *a, struct err *err);
int actl_requeue(struct actl *a, struct err *err);
