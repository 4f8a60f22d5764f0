/* What can be kept of a damaged log, and a new log in its place. */
#pragma once

#include "redis.h"

int redis_salvage(const char *dir, const struct armada_option_value *values,
		  struct armada_state_salvage *ret_salvage, armada_state_record_fn *on_chunk,
		  armada_state_record_fn *on_record, armada_state_record_fn *on_lost, void *arg,
		  struct armada_error *err);
int redis_replace_log(const char *dir, const struct armada_option_value *values,
		      const uint8_t cluster_id[CLUSTER_ID_BYTES], uint64_t seq,
		      const struct armada_state_chunk *chunks, size_t count, char ret_suffix[64],
		      struct armada_error *err);
