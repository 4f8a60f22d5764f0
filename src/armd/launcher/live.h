/*
 * The list of live tasks: attempts whose shepherd is alive as far as the launcher knows.
 *
 * Adding and removing moves entries, which invalidates pointers to them.
 */
#pragma once

#include "armd/launcher/state.h"

struct live_task *launcher_live_find(const struct launcher *l, const struct task_key *key);
struct live_task *launcher_live_add(struct launcher *l, const struct task_key *key, pid_t pid);
void launcher_live_remove(struct launcher *l, struct live_task *v);
/* Set the health of the node: whether a task survives SIGKILL. */
void launcher_live_report_stuck(struct launcher *l);
/* Call launcher_tick within this many microseconds. */
void launcher_tick_within(struct launcher *l, int64_t us);
