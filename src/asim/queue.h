/*
 * What is going to happen, in virtual time; equal times in the order they were put in.
 */
#ifndef ASIM_QUEUE_H
#define ASIM_QUEUE_H

#include "proto/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum happening_kind {
	HAPPEN_COMMIT,
	HAPPEN_ROUND,
	HAPPEN_DECIDE, /* what the round came to reaches the core */
	HAPPEN_CTL_TICK,
	HAPPEN_CTL_START,
	HAPPEN_TO_CTL,     /* conn, type, body */
	HAPPEN_CTL_CLOSED, /* conn */
	HAPPEN_TO_NODE,    /* node, session, type, body */
	HAPPEN_NODE_CONNECTED,
	HAPPEN_NODE_CLOSED,
	HAPPEN_NODE_TICK,
	HAPPEN_NODE_START,
	HAPPEN_NODE_OFF, /* the power of a machine that was shut down */
	HAPPEN_TASK_START, /* node, key */
	HAPPEN_TASK_END,
	HAPPEN_LEASE,  /* node, key: its shepherd looks at the clock */
	HAPPEN_FENCE,  /* node: the program is at it; conn: since which record */
	HAPPEN_FENCED, /* the same; number: its power is off */
	HAPPEN_CLIENT,
	HAPPEN_CLIENT_REPLY, /* job (index in node), type, body */
	HAPPEN_FAULT,
	HAPPEN_SETTLE, /* nothing is held or drained any more */
	HAPPEN_KINDS,
};

struct happening {
	int64_t at_us;
	uint64_t order;
	enum happening_kind kind;
	uint32_t life; /* of what it belongs to; void when that has another one by then */
	int node;
	uint64_t conn, session;
	uint16_t type;
	struct task_key key;
	uint32_t number;
	bool again; /* with what the core asked the history or the directory for */
	uint8_t *body; /* owned */
	size_t len;
};

struct happenings {
	struct happening *heap;
	size_t count, cap;
	uint64_t next_order;
};

/* Takes the body. */
void happenings_put(struct happenings *q, const struct happening *h);
/* False when there are none. The caller frees the body. */
bool happenings_take(struct happenings *q, struct happening *ret);
void happenings_done(struct happenings *q);

#endif
