/*
 * The payload of a stub, which arun wrote (stub.proto). It is read from the descriptor that the
 * shepherd left open, checked, and combined with the task's environment.
 */
#pragma once

#include "proto/msg.h"
#include "stub/hello.h"

enum { PAYLOAD_FD = 3, PAYLOAD_MAX = 4 << 20 };

struct payload {
	const Armada__StubPayload *message;
	struct hello hello;
	char **argv, **envp; /* NULL-terminated */
	const char *chdir;   /* NULL: stay */
	int64_t grace_ms;
	char node[256]; /* its name */
};

/*
 * bytes: as received; env: the task's own environment, whose ARMADA_TASK_RANK names the task.
 * Everything in ret_payload lives in arena. The secret is in message->key.
 */
int payload_read(const uint8_t *bytes, size_t len, char *const *env, struct arena *arena,
		 struct payload *ret_payload, struct err *err);
