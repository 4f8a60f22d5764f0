/*
 * The controller's disk. Outputs of the core wait for their record to be durable; then their effects
 * leave. What was not committed when the controller dies is gone; what was may not have been said.
 */
#pragma once

#include "asim/storm/storm.h"

struct output;

struct sim_record {
	uint8_t *data;
	size_t len;
};

struct sim_disk {
	struct sim_record *records;
	size_t count, cap;
	struct sim_pending *pending; /* outputs that wait */
	size_t pending_count, pending_cap;
	bool committing;
};

void sim_commit_add(struct storm *s, const struct output *out);
/* All that waits is durable, and its effects leave. False: the controller dies before they all have. */
bool sim_commit_run(struct storm *s);
/* What is not durable is lost. */
void sim_commit_drop(struct storm *s);
