/*
 * The connections of io stubs to arun, and what arun knows of each task.
 *
 * Whoever connects has a few seconds and a few bytes to prove that it holds the secret; until then
 * it is one of a bounded number, and costs nothing else. A stub proves it with a hello and with
 * its first sealed frame, which no replay can make. The first to prove a rank has it; whoever comes
 * later is dropped and counted.
 */
#pragma once

#include "cmd/arun/listen.h"
#include "cmd/arun/output.h"
#include "stub/stream.h"

#include <poll.h>

enum { UNAUTHENTICATED_MAX = 64, AUTHENTICATE_MS = 5000 };

struct link {
	int fd;
	struct stream *stream;
	int64_t since_ms;
};

enum task_state {
	TASK_EXPECTED,  /* not here yet */
	TASK_CONNECTED, /* its stub waits for BEGIN */
	TASK_RUNNING,
	TASK_ENDED, /* and said how; its stub stays until we hang up */
	TASK_LOST,  /* its connection broke before */
};

struct run_task {
	enum task_state state;
	uint32_t rank;
	struct link link; /* fd -1: none */
	char node[64];
	struct task_output out, err;
	bool input_ended; /* told so, or it takes none */
	int exit_code, signal;
	char *words; /* of what went wrong; NULL: nothing */
};

struct links {
	const struct listeners *listeners;
	const uint8_t *key; /* HELLO_KEY bytes */
	uint32_t window;
	struct link unauthenticated[UNAUTHENTICATED_MAX];
	size_t unauthenticated_count;
	struct run_task *tasks;
	uint32_t count;     /* of tasks; less than asked for once a stub has said so */
	uint32_t connected; /* tasks that have come */
	uint64_t dropped;   /* connections that proved nothing, or too late */
};

void links_init(struct links *l, const struct listeners *listeners, const uint8_t *key,
		uint32_t tasks);
void links_done(struct links *l);

/* Take all who wait at a listener. */
void links_accept(struct links *l, int listener, int64_t now_ms);
/* Drop who took too long; returns when to come again, 0 for never. */
int64_t links_expire(struct links *l, int64_t now_ms);
/* Read from unproved[i]. Returns the task that it turned out to be, or NULL; i may be gone then. */
struct run_task *links_read_unauthenticated(struct links *l, size_t i);

/* Read what a task's stub has sent and feed its stream: false when the connection is over. */
bool link_read(struct link *k);
/* Send what is to be sent; false as above. */
bool link_flush(struct link *k);
void link_close(struct link *k);
