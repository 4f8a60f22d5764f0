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

/* Nothing is opened yet; engine_close releases it. */
int engine_new(struct engine **ret_engine, const char *dir,
	       const struct armada_option_value *values, const struct armada_host *host,
	       struct armada_error *err);
/* Opens and locks the directory. */
int engine_open_dir(struct engine *e, struct armada_error *err);
/* Writes the head of an empty log that ends at seq. */
int engine_write_head(struct engine *e, uint64_t seq, uint64_t epoch, struct armada_error *err);
