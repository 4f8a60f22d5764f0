/* The file of the log: it is opened, written anew when parts of it cannot be used, and made smaller. */
#pragma once

#include "sqlite.h"

/* Open the connection and read the cluster's id. */
int log_open(struct store *s, struct armada_error *err);
/*
 * Copy all that is needed, checked, to a new file, and put that in the place of log.db: the newest snapshot,
 * the one before it if it is good, and the records after that. Needs room for the copy. Costs two passes over
 * what is copied. On failure log.db is as it was and open, unless `failed` is set. why: for the log.
 */
int log_rewrite(struct store *s, const char *why, struct armada_error *err);
/* Makes the finished copy of the log durable, before it takes the place of log.db. */
int log_copy_sync(const struct store *s, struct armada_error *err);
/* After a write that found damage (err): write the log anew. Returns 0 if the write can be repeated. */
int log_mend(struct store *s, struct armada_error *err);
/*
 * The operation tidy: one step of work that can wait. It deletes a slice of records that are not needed, or
 * moves a slice of pages to the front and shrinks the file. 1: there is more to do.
 */
int log_tidy(void *handle, struct armada_error *err);
