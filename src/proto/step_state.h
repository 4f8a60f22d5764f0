/*
 * A step in a task, as nodes report it: the figures of the message StepReport.
 */
#pragma once

#include "proto/agent.pb-c.h"
#include "proto/usage.h"

#include <stdbool.h>
#include <stdint.h>

struct step_state {
	uint32_t step, layer;
	bool ended;
	int32_t exit_code, exit_signal;
	int64_t start_us, end_us; /* wall clock */
	struct task_usage usage;
};

/* Figures that make no sense become the nearest that do. The key is not part of it. */
void step_state_take(const Armada__StepReport *from, struct step_state *to);
/* Into an initialised message; usage is another one, which it points to. */
void step_state_put(const struct step_state *from, Armada__StepReport *to, Armada__Usage *usage);
