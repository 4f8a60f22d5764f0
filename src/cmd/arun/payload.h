/*
 * The payload of the io stubs: what they run, and whom they call back.
 */
#pragma once

#include "cmd/arun/listen.h"
#include "proto/msg.h"

/* The payload, packed into out; what is NULL or zero is left out. */
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
};

void arun_payload(const struct payload_plan *plan, struct buf *out);
