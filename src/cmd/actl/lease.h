/*
 * actl lease extend: nodes that may go on longer without the controller.
 */
#ifndef CMD_ACTL_LEASE_H
#define CMD_ACTL_LEASE_H

#include "cmd/actl/actl.h"

int actl_lease_extend(struct actl *a, struct err *err);

#endif
