/*
 * Leases: what armd's launcher and shepherds do about them.
 *
 * A node's clock runs a little fast or slow. A task is not ended when its lease is over to the
 * microsecond: its machine may be slow to kill, by half the margin that the controller waits.
 */
#pragma once

#include "asim/storm/spool.h"

void sim_lease_init(struct storm *s, struct sim_node *n);
/* Another armd has another key for its stamps; another boot knows of no renewal. */
void sim_lease_armd_starts(struct storm *s, struct sim_node *n);
void sim_lease_boots(struct storm *s, struct sim_node *n);
/* The link gets a fresh stamp. */
void sim_lease_stamp(struct storm *s, struct sim_node *n);
void sim_lease_renewed(struct storm *s, struct sim_node *n, const struct ledger_effect *e);
/* Was the order made for the armd that runs now? */
bool sim_lease_accepts(const struct sim_node *n, const struct order *o);
/* A shepherd was forked: is it too late to begin? Then the attempt ends as it is. */
bool sim_lease_begins(struct storm *s, struct sim_node *n, struct sim_attempt *a);
/* A shepherd looks at the clock. */
void sim_lease_check(struct storm *s, const struct sim_event *ev);
