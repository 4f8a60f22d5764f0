/* The ends of the history in the order of their records. */
#pragma once

#include "sqlite.h"

int ends_find(void *handle, const struct armada_history_place *after, enum armada_ends which,
	      uint32_t limit, armada_state_end_fn *on_end, void *arg, uint64_t *ret_behind,
	      struct armada_error *err);
