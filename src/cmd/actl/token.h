/*
 * actl token create, list, revoke: tokens, with which programs act for a user.
 */
#pragma once

#include "cmd/listing/listing.h"

extern const struct opt_table actl_token_options;
/* Rows are Armada__TokenRow. */
extern const struct listing token_listing;

/* argv begins with the word token. Returns 0, a negative errno with err, or an exit code. */
int actl_token(int argc, char **argv, struct err *err);
