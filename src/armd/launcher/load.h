/*
 * The spool as it was left: what ended, what still runs, what was lost on the way.
 */
#ifndef ARMD_LAUNCHER_LOAD_H
#define ARMD_LAUNCHER_LOAD_H

#include "armd/launcher/state.h"

/* Makes the ledger. What died before its start is started, what was lost is reported. */
int launcher_load(struct launcher *l, struct err *err);

#endif
