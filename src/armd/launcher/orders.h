/*
 * Orders from the network process: believed only as far as their signature reaches.
 */
#pragma once

#include "armd/launcher/state.h"

/* Closes the body's descriptor. */
void launcher_take_order(struct launcher *l, struct pipe_order *p);
/* At the end of the turn. */
void launcher_forget_orders(struct launcher *l);
