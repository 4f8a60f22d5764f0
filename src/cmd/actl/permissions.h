/*
 * actl permissions: what a user may do in each queue, and why.
 */
#pragma once

#include "cmd/listing/listing.h"

extern const struct opt_table actl_permissions_options;
/* Rows are Armada__PermissionRow. */
extern const struct listing permission_listing;

/* The words from the verb on. Returns 0, a negative errno with err, or an exit code. */
int actl_permissions(int argc, char **argv, struct err *err);
