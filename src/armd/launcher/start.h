/*
 * Shepherds forked for attempts that were accepted.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_start_task(struct launcher *l, const struct task_key *key);
/* The attempt ended in a way that only the launcher can tell. */
void launcher_end_task(struct launcher *l, const struct task_key *key, uint32_t cause,
		       const char *why);
