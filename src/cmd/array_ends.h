/*
 * How the elements of an array ended, as one sentence for asubmit --wait.
 */
#pragma once

#include "client/connection.h"
#include "util/buf.h"

/*
 * Adds "3 of 20 elements failed: exit codes 1-3" or "3 of 20 elements did not succeed: 2 failed (exit
 * code 1), 1 was cancelled" for an array that has ended. Exit codes are those of the first elements;
 * "for example" says that there may be others. False: the controller has no counts.
 */
bool array_ends_describe(struct connection *c, uint64_t job, struct buf *out);
