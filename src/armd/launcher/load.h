/*
 * The spool as it was left: what ended, what still runs, what was lost on the way.
 */
#pragma once

#include "armd/launcher/state.h"

/* Makes the ledger. What died before its start is started, what was lost is reported. */
int launcher_load(struct launcher *l, struct err *err);
