/* A check of those parts of log.db that are written, but not read by a replay. */
#pragma once

#include "sqlite.h"

/*
 * All of the WAL is in log.db, and last is the last record. Returns 0; *ret_why is NULL, or says why the file
 * must be written anew before anything is written to it. Reads about a thousandth of the file.
 */
int log_check(struct store *s, uint64_t last, const char **ret_why, struct armada_error *err);
