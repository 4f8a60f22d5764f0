/*
 * Warns when the leases of this node's tasks have not been renewed for half of their length.
 *
 * The warning is for administrators only. Shepherds end tasks by the times of the launcher
 * (agent/lease.h).
 */
#pragma once

#include "agent/link_state.h"

/* The controller has answered the heartbeat that was sent at sent_us. */
void link_lease_renew(struct link *l, int64_t sent_us, int64_t extension_ms);
/* When to warn; INT64_MAX: never. */
int64_t link_lease_half_us(const struct link *l);
void link_lease_warn(struct link *l, int64_t now_us, struct link_effects *out);
