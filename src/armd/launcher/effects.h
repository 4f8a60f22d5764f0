/*
 * What the ledger says must follow, done.
 */
#ifndef ARMD_LAUNCHER_EFFECTS_H
#define ARMD_LAUNCHER_EFFECTS_H

#include "armd/launcher/state.h"

/* All effects are carried out when it returns; a failed write is l->fatal. */
void launcher_carry_out(struct launcher *l);

#endif
