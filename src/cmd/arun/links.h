/*
 * The connections of io stubs to arun, and the state of each task.
 *
 * A new connection has a few seconds and a few bytes to prove that it has the key. Until then it is one of
 * a bounded number of unauthenticated connections. When there are that many, the oldest one without a
 * valid hello gives way to a new one after SILENT_MS, so that silent strangers do not keep stubs out. A
 * stub proves it with a hello and with its first sealed frame, which cannot be replayed. The first
 * connection that authenticates for a rank gets the task; later ones are dropped and counted.
 */
#pragma once

#include "cmd/arun/listen.h"
#include "cmd/arun/output.h"
#include "stub/stream.h"

#include <poll.h>

enum { UNAUTHENTICATED_MAX = 256, AUTHENTICATE_MS = 5000, SILENT_MS = 20 };

struct link {
	int fd;
	struct stream *stream;
	int64_t since_ms;
};

enum task_state {
	TASK_EXPECTED,  /* not connected yet */
	TASK_CONNECTED, /* its stub waits for BEGIN */
	TASK_RUNNING,
	TASK_ENDED, /* its end was reported; the stub stays connected until arun closes */
	TASK_LOST,  /* its connection broke before its end was reported */
};

/* The part of a task in the fences of its step (fence.h). */
struct task_fence {
	struct buf data; /* what the task handed over for the next fence */
	bool arrived;    /* that is all of it */
	bool receiving;  /* the data of the last fence is being sent to the task */
	size_t sent;     /* of that data */
};

struct run_task {
	enum task_state state;
	uint32_t rank;
	struct link link; /* fd -1: none */
	char node[64];
	struct task_output out, err;
	bool input_ended; /* the end was sent, or the task takes no input */
	int exit_code, signal;
	char *words; /* the error of the stub; NULL: none */
	struct task_fence fence;
};

struct links {
	const struct listeners *listeners;
	const uint8_t *key; /* HELLO_KEY bytes */
	uint32_t window;
	struct link unauthenticated[UNAUTHENTICATED_MAX];
	size_t unauthenticated_count;
	struct run_task *tasks;
	uint32_t count; /* of tasks; becomes smaller when a stub reports that fewer were started */
	uint32_t connected; /* tasks that have connected */
	uint64_t dropped;   /* connections that did not authenticate, or came too late */
};

void links_init(struct links *l, const struct listeners *listeners, const uint8_t *key,
		uint32_t tasks);
void links_done(struct links *l);

/* True if a new connection can be accepted, perhaps in place of an old one. */
bool links_have_room(const struct links *l, int64_t now_ms);
/* Accepts the pending connections of a listener, as far as there is room, and reads what they sent. */
void links_accept(struct links *l, int listener, int64_t now_ms);
/*
 * Drops connections that did not authenticate in time. Returns when to call it again, or when one must give
 * way; 0: no need.
 */
int64_t links_expire(struct links *l, int64_t now_ms);
/*
 * Reads from unauthenticated[i]. Returns its task once it has authenticated, else NULL; i may be
 * dropped.
 */
struct run_task *links_read_unauthenticated(struct links *l, size_t i);

/* Reads from the stub of a task into its stream; false if the connection is closed. */
bool link_read(struct link *k);
/* Sends pending data; false as above. */
bool link_flush(struct link *k);
void link_close(struct link *k);
