/* Sums over attempts, by user, account, queue, class or day. */
#pragma once

#include "cmd/aacct/aacct.h"

/* The listing of --usage or --efficiency. */
const struct listing *usage_listing(const struct aacct *a);
/* Fetches the sums that the command line selects, and prints them. */
int usage_print(const struct aacct *a, struct connection *c, struct err *err);
