/*
 * REGISTERED, completed with the credential of the order key, which a worker makes.
 */
#ifndef ARMCTLD_REGISTER_REPLY_H
#define ARMCTLD_REGISTER_REPLY_H

#include "armctld/ctld.h"

/* Borrows e for the call. */
void register_reply(struct ctld *c, const struct effect *e);

#endif
