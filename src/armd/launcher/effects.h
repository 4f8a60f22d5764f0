/*
 * Applies the effects that the ledger returned.
 */
#pragma once

#include "armd/launcher/state.h"

/* On return all effects are applied; a failed write sets l->fatal. */
void launcher_apply_effects(struct launcher *l);
