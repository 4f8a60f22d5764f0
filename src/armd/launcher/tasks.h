/*
 * The launcher's shepherds: heard, missed, reaped.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_hear_shepherds(struct launcher *l);
void launcher_child_died(struct launcher *l, pid_t pid);
/* Its shepherd is dead, and died while armd was away: lost, once nothing of the task is left. */
void launcher_lose_task(struct launcher *l, const struct task_key *key);
/* What is only found by looking: once a second while there is something to look after. */
void launcher_tick(struct launcher *l);
