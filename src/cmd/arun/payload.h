/*
 * The payload of the io stubs: the command to run, and how to connect to arun.
 */
#pragma once

#include "cmd/arun/listen.h"
#include "proto/msg.h"

/* The contents of a payload; values that are NULL or zero are left out. */
struct payload_plan {
	const struct listeners *listeners;
	const uint8_t *key;
	const char *const *argv;
	size_t argc;
	const struct buf *env;
	const char *chdir;
	bool pty, step;
	uint32_t size;
	const Armada__StubTask *tasks;
	size_t task_count;
	int64_t grace_ms;
	const char *mpi, *mpi_step; /* the plugin and the name of the step for it */
};

/* Packs the payload into out. */
void arun_payload(const struct payload_plan *plan, struct buf *out);
