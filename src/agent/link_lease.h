/*
 * How long the leases of this node's tasks have not been renewed.
 *
 * Tasks are ended by what the launcher knows; this is for people, who are warned at half of the time.
 */
#pragma once

#include "agent/link_state.h"

/* The controller has answered the heartbeat of that time. */
void link_lease_renew(struct link *l, int64_t sent_us, int64_t extension_ms);
/* When half of the leases has gone by without a word of the controller; INT64_MAX: never. */
int64_t link_lease_half_us(const struct link *l);
void link_lease_warn(struct link *l, int64_t now_us, struct link_effects *out);
