/* A store is made, opened, replayed and closed. */
#pragma once

#include "sqlite.h"

int store_init(const char *dir, const uint8_t cluster_id[CLUSTER_ID_BYTES],
	       const struct armada_option_value *values, struct armada_error *err);
/* Make an empty history.db that counts as complete up to record seq. */
int store_init_history(const struct store *s, uint64_t seq, struct armada_error *err);
/* Make an empty log.db.new, for log_rewrite. */
int store_init_log_copy(const struct store *s, struct armada_error *err);
/*
 * After all checks of the log: put the history in use, or a new one in its place. why: NULL, or what is wrong
 * with the file.
 */
int store_settle_history(struct store *s, const char *why, struct armada_error *err);
/* A zeroed store gets its options, and nothing is opened yet; false: no memory. */
bool store_setup(struct store *s, const char *dir, const struct armada_option_value *values,
		 const struct armada_host *host);
/* Closes what is open, and releases all but the store itself. failed: WALs are left as they are. */
void store_release(struct store *s, bool failed);
/* A store that nothing was opened for yet; NULL: no memory. store_close releases it. */
struct store *store_new(const char *dir, const struct armada_option_value *values,
			const struct armada_host *host);
int store_open(void **ret_handle, const char *dir, const struct armada_option_value *values,
	       const struct armada_host *host, struct armada_state_info *ret_info,
	       struct armada_error *err);
void store_close(void *handle);
int store_replay(void *handle, armada_state_record_fn *on_chunk, armada_state_record_fn *on_record,
		 void *arg, struct armada_error *err);
