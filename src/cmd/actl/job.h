/*
 * actl hold, release, requeue, requeuehold: jobs that are named or chosen.
 */
#ifndef CMD_ACTL_JOB_H
#define CMD_ACTL_JOB_H

#include "cmd/actl/actl.h"

/* a->second: release, requeuehold. */
int actl_hold(struct actl *a, struct err *err);
int actl_requeue(struct actl *a, struct err *err);

#endif
