/*
 * The list of shepherds that live, as far as the launcher knows.
 *
 * Adding and removing moves entries: a pointer to one is good until then.
 */
#pragma once

#include "armd/launcher/state.h"

struct live *launcher_live_find(const struct launcher *l, const struct task_key *key);
struct live *launcher_live_add(struct launcher *l, const struct task_key *key, pid_t pid);
void launcher_live_remove(struct launcher *l, struct live *v);
/* Says in the node's health whether a task is there that SIGKILL does not end. */
void launcher_live_stuck(struct launcher *l);
/* Look after them within so many microseconds. */
void launcher_tick_within(struct launcher *l, int64_t us);
