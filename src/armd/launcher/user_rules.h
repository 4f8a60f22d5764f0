/*
 * Whose tasks may run here, whatever the controller signed.
 */
#pragma once

#include "armd/launcher/state.h"

/* May tasks of the order's user run here? False: err says why not. */
bool launcher_allows(const struct launcher *l, const struct order *o, struct err *err);
