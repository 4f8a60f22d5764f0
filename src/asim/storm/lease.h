/*
 * Leases, as armd's launcher and shepherds handle them.
 *
 * A node's clock runs a little fast or slow. A task does not end exactly with its lease: its
 * machine may be slow to kill, by up to half the margin that the controller waits.
 */
#pragma once

#include "asim/storm/spool.h"

void sim_lease_init(struct storm *s, struct sim_node *n);
/* A new armd has a new key for its stamps; a new boot has no renewals. */
void sim_lease_armd_starts(struct storm *s, struct sim_node *n);
void sim_lease_boots(struct storm *s, struct sim_node *n);
/* The link gets a new stamp. */
void sim_lease_stamp(struct storm *s, struct sim_node *n);
void sim_lease_renewed(struct storm *s, struct sim_node *n, const struct ledger_effect *e);
/* Was the order made for the present armd? */
bool sim_lease_accepts(const struct sim_node *n, const struct order *o);
/* A shepherd was forked. If it is too late to begin, the attempt ends unstarted. */
bool sim_lease_begins(struct storm *s, struct sim_node *n, struct sim_attempt *a);
/* A shepherd checks the clock. */
void sim_lease_check(struct storm *s, const struct sim_event *ev);
