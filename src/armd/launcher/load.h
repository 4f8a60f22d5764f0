/*
 * Reads the spool at startup.
 */
#pragma once

#include "armd/launcher/state.h"

/* Create the ledger. Attempts that were not forked are started; lost attempts are reported. */
int launcher_load(struct launcher *l, struct err *err);
