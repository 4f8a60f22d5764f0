/*
 * The controller's disk. Outputs of the core wait until their record is durable; then their effects
 * are sent. If the controller is killed, records that were not committed are lost; effects of
 * committed records may be lost, too.
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
/*
 * All waiting outputs become durable and their effects are sent. False: the controller was killed
 * before all were sent.
 */
bool sim_commit_run(struct storm *s);
/* Outputs that are not durable are lost. */
void sim_commit_drop(struct storm *s);
