/* actl log: the levels of the controller's log. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing log_listing;

int actl_log(struct actl *a, struct err *err);
