/*
 * actl reconfigure: armada.conf is read again, or what that would change is listed.
 */
#pragma once

#include "cmd/actl/actl.h"

/* The rows of --dry-run: Armada__ConfChange. */
extern const struct listing change_listing;

int actl_reconfigure(struct actl *a, struct err *err);
