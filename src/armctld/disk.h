/*
 * The disk of the state: when it is full, requests that store more are refused, so that the rest of the space
 * and the reserve of the state plugin are left for the ends of jobs.
 */
#pragma once

#include "proto/msg.h"

#include <armada/state.h>
#include <stdbool.h>

struct disk {
	struct armada_state_space space; /* at the last look */
	bool known;
	bool full, starved; /* starved: most of the reserve is gone, so no job is started */
	char text[512];     /* for people: why requests are refused; "" unless full */
};

/* Look at the disk, and log what changed. Called once a second; takes microseconds. */
void disk_look(struct disk *d, const struct armada_state_ops *state, void *handle, const char *dir);
/* True if a message of this type is refused now, with exit code 75 and the text. */
bool disk_refuses(const struct disk *d, enum msg_type type);
