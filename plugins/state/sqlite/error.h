/* Errors of the plugin: each of these functions fills err and returns a code. */
#pragma once

#include "sqlite.h"

/* Fill err (NULL: no text is wanted) and return code. */
int fail(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* As fail, with the text of errno -code appended. */
int fail_sys(struct armada_error *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Put "context: " before the text. */
int fail_in(struct armada_error *err, int code, const char *context);
/* From the last error of a connection. doing: the failed action in words, as "cannot be read". */
int fail_db(struct armada_error *err, const struct db *db, const char *doing);
/* -EIO and a text if a write failed before, else 0. */
int store_check(const struct store *s, struct armada_error *err);
void store_log(const struct store *s, int level, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
