/*
 * What the ledger says must follow, done.
 */
#pragma once

#include "armd/launcher/state.h"

/* All effects are carried out when it returns; a failed write is l->fatal. */
void launcher_carry_out(struct launcher *l);
