/*
 * The node's own rules about users whose tasks may run here.
 */
#pragma once

#include "armd/launcher/state.h"

/* True if tasks of the order's user may run here; false: err has the reason. */
bool launcher_user_allowed(const struct launcher *l, const struct order *o, struct err *err);
