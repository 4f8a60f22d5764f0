/*
 * actl reconfigure: the controller reads armada.conf again, or lists what would change.
 */
#pragma once

#include "cmd/actl/actl.h"

/* The rows of --dry-run: Armada__ConfChange. */
extern const struct listing change_listing;

int actl_reconfigure(struct actl *a, struct err *err);
