/*
 * The live tasks of the launcher: notices of their shepherds, and deaths of shepherds.
 */
#pragma once

#include "armd/launcher/state.h"

void launcher_receive_notices(struct launcher *l);
void launcher_child_died(struct launcher *l, pid_t pid);
/*
 * The shepherd died while armd was not running: reports LOST when no process of the task is left.
 */
void launcher_task_lost(struct launcher *l, const struct task_key *key);
/* Checks that no event announces; runs once a second while they are needed. */
void launcher_tick(struct launcher *l);
