/*
 * The spool of a node: attempts, and their shepherds. A shepherd survives armd; the spool survives all
 * but the loss of the disk.
 */
#pragma once

#include "asim/storm/node.h"

struct sim_attempt {
	struct task_key key;
	uint64_t seq;
	int boot; /* it was accepted under */
	bool forked, ended;
	bool alive; /* its shepherd */
	bool ready, released;
	bool lapsed; /* its lease is over: it begins nothing any more */
	struct sim_terms terms;
	int64_t start_us;
	Armada__TaskEnd end;
	uint32_t cause; /* of a kill under way */
	struct sim_attempt *next;
};

/* Something happens to the attempt; it lives as long as the machine. */
void sim_spool_plan(struct storm *s, const struct sim_node *n, const struct sim_attempt *a,
		    enum sim_event_kind kind, int64_t in_us);
struct sim_attempt *sim_spool_find(struct sim_node *n, const struct task_key *key);
/* The node accepts the order that it is taking. */
struct sim_attempt *sim_spool_add(struct sim_node *n, const struct ledger_effect *e);
/* The end of an attempt that did not run, and may not be there. */
void sim_spool_end(struct sim_node *n, const struct ledger_effect *e);
void sim_spool_forget(struct sim_node *n, const struct task_key *key);
void sim_spool_clear(struct sim_node *n);
