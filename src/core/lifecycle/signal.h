/*
 * A signal for what runs, which goes on.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * send a signal to the tasks of an element that run and can be reached. Returns how many;
 * ret_gap: why it is not all of them, a sentence in the arena, or NULL.
 */
uint32_t element_signal(struct txn *txn, const struct element *e, int sig, bool first_only,
			const char **ret_gap);
