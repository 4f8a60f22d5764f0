/* A check of those parts of log.db that are written, but not read by a replay. */
#pragma once

#include "sqlite.h"

/*
 * All of the WAL is in log.db, and last is the last record. Returns 0; *ret_why is NULL, or says why the file
 * is to be written anew before anything is written to it. ret_must: it may not be written to as it is. Reads
 * about a thousandth of the file.
 */
int log_check(struct store *s, uint64_t last, const char **ret_why, bool *ret_must,
	      struct armada_error *err);
