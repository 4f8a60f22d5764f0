/* actl show accounts, actl show account. */
#pragma once

#include "cmd/actl/actl.h"

extern const struct listing account_listing;

int actl_show_accounts(struct actl *a, struct err *err);
