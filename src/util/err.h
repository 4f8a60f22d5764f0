/*
 * Error text owned by the caller.
 *
 * A function whose failures a person will read takes a struct err * as its last argument and returns a
 * negative errno. The text is built from the inside out: the function that detects the fault calls
 * err_set(), every caller that has more context calls err_prefix(), and only the outermost
 * caller (main loop, request dispatch, command) prints it. Nothing is allocated.
 *
 * A NULL struct err is allowed everywhere and means that no text is wanted.
 */
#pragma once

#include <stddef.h>

struct err {
	char text[512];
};

/* Set the text and return code (a negative errno) so that `return err_set(err, -EINVAL, ...)` works. */
int err_set(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* As err_set, with ": " and the text of errno `-code` appended. */
int err_sys(struct err *err, int code, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Put "context: " before the text and return code unchanged. */
int err_prefix(struct err *err, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
