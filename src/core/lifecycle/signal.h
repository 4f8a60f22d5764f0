/*
 * Signals to running tasks, which continue afterwards.
 */
#pragma once

#include "core/txn/txn.h"

/*
 * Sends a signal to the tasks of an element that run and can be reached. Returns their number.
 * ret_gap: a sentence in the arena that says why some live tasks did not get it, or NULL.
 */
uint32_t element_signal(struct txn *txn, const struct element *e, int sig, bool first_only,
			const char **ret_gap);
