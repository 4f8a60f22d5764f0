/* actl show classes. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing class_listing;

int actl_show_classes(struct actl *a, struct err *err);
