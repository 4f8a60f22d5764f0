/* The reserve: a file of unused bytes that is given up, slice by slice, when the disk is full. */
#pragma once

#include "sqlite.h"

/*
 * Open the file and make it as large as the option says, if there is room. If the disk is full already, give
 * slices up until the state can be opened. Failures are logged: a state without a reserve works.
 */
void reserve_open(struct store *s);
/* Give a slice up. False: nothing is left. Called by any thread after a write that found no room. */
bool reserve_release(struct store *s);
/* The operation space. */
int store_space(void *handle, struct armada_state_space *ret_space, struct armada_error *err);
