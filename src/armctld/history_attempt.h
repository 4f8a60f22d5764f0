/* Makes an attempt for accounting (armada/attempts.h) of a row of the history. */
#pragma once

#include "proto/msg.h"
#include <armada/attempts.h>

/*
 * row: a packed JobRow. The result is in the arena, which is also used to decode. Negative: the row cannot be
 * read.
 */
int history_attempt_of(struct arena *arena, const void *row, size_t len,
		       struct armada_attempt *ret_attempt);
