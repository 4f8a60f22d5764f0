/* The history of finished jobs: writing, finding and reading rows. */
#pragma once

#include "sqlite.h"

/* Is the text in the list? An empty list contains every text. */
bool find_is_listed(const char *text, const char *const *list, size_t count);
int history_put(void *handle, uint64_t seq, const struct armada_history_row *rows, size_t row_count,
		const struct armada_history_job *jobs, size_t job_count, struct armada_error *err);
/*
 * Writes in one transaction what the function puts; on failure nothing of it stays. A damaged file is
 * replaced first, and the reserve is used if the disk is full.
 */
typedef int history_write_fn(struct store *s, const void *arg, struct armada_error *err);
int history_write(struct store *s, history_write_fn *put, const void *arg,
		  struct armada_error *err);
int attempts_put(void *handle, const struct armada_history_row *rows, size_t count,
		 struct armada_error *err);
int attempts_find(void *handle, const struct armada_history_filter *filter,
		  armada_state_row_fn *on_row, void *arg, struct armada_error *err);
int history_find(void *handle, const struct armada_history_filter *filter,
		 armada_state_row_fn *on_row, void *arg, struct armada_error *err);
int history_job(void *handle, uint64_t job, void **ret_detail, size_t *ret_detail_len,
		void **ret_script, size_t *ret_script_len, void **ret_env, size_t *ret_env_len,
		struct armada_error *err);
