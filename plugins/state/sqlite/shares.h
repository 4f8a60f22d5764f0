/* Shares of queues over time. */
#pragma once

#include "sqlite.h"

int shares_put(void *handle, const struct armada_history_share *shares, size_t count,
	       struct armada_error *err);
int shares_find(void *handle, const char *const *queues, size_t queue_count, int64_t since_us,
		int64_t until_us, armada_state_share_fn *on_share, void *arg,
		struct armada_error *err);
