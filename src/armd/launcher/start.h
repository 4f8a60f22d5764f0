/*
 * Forks shepherds for accepted attempts.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_start_task(struct launcher *l, const struct task_key *key);
/* Record the end of an attempt that has no shepherd to record it. */
void launcher_end_task(struct launcher *l, const struct task_key *key, uint32_t cause,
		       const char *why);
