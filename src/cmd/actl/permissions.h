/*
 * actl permissions: the rights of a user in each queue, and where they come from.
 */
#pragma once

#include "cmd/listing/listing.h"

extern const struct opt_table actl_permissions_options;
/* Rows are Armada__PermissionRow. */
extern const struct listing permission_listing;

/* argv begins with the verb. Returns 0, a negative errno with err, or an exit code. */
int actl_permissions(int argc, char **argv, struct err *err);
