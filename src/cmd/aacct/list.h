/* Attempts in a listing. */
#pragma once

#include "cmd/aacct/aacct.h"

extern const struct listing attempt_listing;

/* Fetches the attempts that the command line selects, and prints them. */
int list_attempts(struct aacct *a, struct connection *c, struct err *err);
