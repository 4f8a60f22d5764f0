/*
 * Usage of queues in the past, from the history.
 */
#pragma once

#include "armctld/history_query.h"

/* body: a packed SharesRequest. SHARES_REPLY, by time, then by queue. */
void shares_query(const struct armada_state_ops *state, void *handle, const uint8_t *body,
		  size_t len, struct history_answer *ret_answer);
