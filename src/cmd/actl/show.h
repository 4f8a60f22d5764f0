/*
 * actl show job, show node: all that is known of one.
 */
#ifndef CMD_ACTL_SHOW_H
#define CMD_ACTL_SHOW_H

#include "cmd/actl/actl.h"

int actl_show_job(struct actl *a, struct err *err);
int actl_show_node(struct actl *a, struct err *err);

#endif
