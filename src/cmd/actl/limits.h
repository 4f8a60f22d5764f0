/* actl show limits. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing limit_listing;

int actl_show_limits(struct actl *a, struct err *err);
