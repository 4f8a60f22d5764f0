/* An engine is made, opened and closed. */
#pragma once

#include "redis.h"

int engine_init(const char *dir, const uint8_t cluster_id[CLUSTER_ID_BYTES],
		const struct armada_option_value *values, struct armada_error *err);
int engine_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
		const struct armada_host *host, struct armada_state_info *ret_info,
		struct armada_error *err);
void engine_close(void *handle);
void engine_interrupt(void *handle, bool on);
