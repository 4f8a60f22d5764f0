/*
 * The steps that run in tasks of this node, for the controller.
 *
 * A change of a step is sent once in a session, with all changes of a fraction of a second. When a
 * session begins, the launcher asks all shepherds for their steps, so nothing is kept after it was sent.
 */
#pragma once

#include "agent/link_state.h"

void link_steps_free(struct link *l);
/* A new session begins: everything will be told again. */
void link_steps_restart(struct link *l);
/* Sends what is due; all: everything, because reports of ended tasks follow. */
void link_steps_flush(struct link *l, int64_t now_us, bool all, struct link_effects *out);
