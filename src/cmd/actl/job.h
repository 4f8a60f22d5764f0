/*
 * actl hold, release, suspend, resume, requeue, requeuehold.
 */
#pragma once

#include "cmd/actl/actl.h"

/* a->alternate selects release, resume and requeuehold. */
int actl_hold(struct actl *a, struct err *err);
int actl_suspend(struct actl *a, struct err *err);
int actl_requeue(struct actl *a, struct err *err);
