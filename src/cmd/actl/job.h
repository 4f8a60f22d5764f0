/*
 * actl hold, release, requeue, requeuehold.
 */
#pragma once

#include "cmd/actl/actl.h"

/* a->alternate selects release and requeuehold. */
int actl_hold(struct actl *a, struct err *err);
int actl_requeue(struct actl *a, struct err *err);
