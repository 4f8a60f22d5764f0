/* Sums over attempts, by user, account, queue, class or day. */
#pragma once

#include "cmd/aacct/aacct.h"

/* The value of --by; a->label borrows from it. */
int usage_read_by(struct aacct *a, const char *value, struct err *err);
/* The listing of --usage or --efficiency. */
const struct listing *usage_listing(const struct aacct *a);
/* Fetches the sums that the command line selects, and prints them. */
int usage_print(const struct aacct *a, struct connection *c, struct err *err);
/* The rows of --json. */
int usage_json(const struct aacct *a, struct connection *c, json_t **ret_rows, struct err *err);
