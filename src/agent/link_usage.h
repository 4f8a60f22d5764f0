/*
 * What running tasks have used, for the controller.
 *
 * The figures of a task are kept with its report. They are sent when they are new to the controller or
 * have changed noticeably: all of them together, once in the interval that the controller asks for, and
 * within a second for tasks that it knows nothing of. Nothing is repeated: the next figures follow.
 */
#pragma once

#include "agent/link_state.h"

/* The controller knows nothing yet. interval_ms: of Registered; 0: it does not take usage. */
void link_usage_restart(struct link *l, int64_t interval_ms, int64_t now_us);
void link_usage_flush(struct link *l, int64_t now_us, struct link_effects *out);
