/*
 * actl show step: all that is known of steps.
 */
#pragma once

#include "cmd/actl/actl.h"

int actl_show_step(struct actl *a, struct err *err);
