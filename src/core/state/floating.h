/*
 * Floating resources: what active elements hold of them, and whether more is free. An element holds
 * its licenses from its lease until its last task has ended.
 */
#pragma once

#include "core/state/resource.h"

#include <stdbool.h>

struct job;
struct state;

/* True if the cluster has that much besides what is held. NULL: nothing is asked for. */
bool floating_allows(const struct state *state, const struct resources *want);
/* How many are free; below 0: more are held, or used by others, than there are. */
int64_t floating_free(const struct state *state, size_t resource);

#ifdef STATE_WRITES
/* Elements of the job become active (positive), or cease to be. */
void floating_hold(struct state *state, struct job *j, int64_t elements);
#endif
