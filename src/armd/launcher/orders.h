/*
 * Orders from the network process. Only what the controller signed counts.
 */
#pragma once

#include "armd/launcher/state.h"

/* Closes the body's descriptor. */
void launcher_take_order(struct launcher *l, struct pipe_order *p);
/* Called at the end of the iteration. */
void launcher_forget_orders(struct launcher *l);
