/*
 * The events to come, ordered by virtual time; of equal times in the order they were added.
 */
#pragma once

#include "proto/order.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sim_event_kind {
	SIM_COMMIT,
	SIM_ROUND,
	SIM_DECIDE, /* the result of the round reaches the core */
	SIM_CTL_TICK,
	SIM_CTL_START,
	SIM_TO_CTL,     /* conn, type, body */
	SIM_CTL_CLOSED, /* conn */
	SIM_TO_NODE,    /* node, session, type, body */
	SIM_NODE_CONNECTED,
	SIM_NODE_CLOSED,
	SIM_NODE_TICK,
	SIM_NODE_START,
	SIM_NODE_OFF,   /* the power of a machine that was shut down goes off */
	SIM_TASK_START, /* node, key */
	SIM_TASK_END,
	SIM_LEASE,  /* node, key: its shepherd checks the clock */
	SIM_FENCE,  /* node: the program has started; conn: number of its record */
	SIM_FENCED, /* the same; number: the power is off */
	SIM_CLIENT,
	SIM_CLIENT_REPLY, /* job (index in node), type, body */
	SIM_FAULT,
	SIM_SETTLE, /* everything held or drained is released */
	SIM_KINDS,
};

struct sim_event {
	int64_t at_us;
	uint64_t order;
	enum sim_event_kind kind;
	/* of its owner; the event has no effect if the owner has another one by then */
	uint32_t life;
	int node;
	uint64_t conn, session;
	uint16_t type;
	struct task_key key;
	uint32_t number;
	bool again;    /* with the history or the names that the core asked for */
	uint8_t *body; /* owned */
	size_t len;
};

struct sim_events {
	struct sim_event *heap;
	size_t count, cap;
	uint64_t next_order;
};

/* Takes the body. */
void sim_event_put(struct sim_events *q, const struct sim_event *ev);
/* False: there are no events. The caller frees the body. */
bool sim_event_take(struct sim_events *q, struct sim_event *ret);
void sim_event_done(struct sim_events *q);
