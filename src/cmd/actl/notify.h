/* actl show notify. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing notify_listing;

int actl_show_notify(struct actl *a, struct err *err);
