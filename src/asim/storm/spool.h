/*
 * The spool of a node: attempts, and their shepherds. A shepherd survives armd. The spool survives
 * everything except the loss of the disk.
 */
#pragma once

#include "asim/storm/node.h"

struct sim_attempt {
	struct task_key key;
	uint64_t seq;
	int boot; /* the boot in which it was accepted */
	bool forked, ended;
	bool alive; /* its shepherd */
	bool ready, released;
	bool lapsed; /* its lease has ended: it starts nothing any more */
	struct sim_terms terms;
	int64_t start_us;
	Armada__TaskEnd end;
	uint32_t cause; /* of the kill in progress */
	struct sim_attempt *next;
};

/* Plan an event of the attempt; it is valid until the machine restarts. */
void sim_spool_plan(struct storm *s, const struct sim_node *n, const struct sim_attempt *a,
		    enum sim_event_kind kind, int64_t in_us);
struct sim_attempt *sim_spool_find(struct sim_node *n, const struct task_key *key);
/* The node accepts the order that it is taking. */
struct sim_attempt *sim_spool_add(struct sim_node *n, const struct ledger_effect *e);
/* Record the end of an attempt that did not run, and may not be in the spool. */
void sim_spool_end(struct sim_node *n, const struct ledger_effect *e);
void sim_spool_forget(struct sim_node *n, const struct task_key *key);
void sim_spool_clear(struct sim_node *n);
