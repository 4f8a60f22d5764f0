/*
 * The environment of a job at submission, with that of a login of the user (--get-user-env).
 */
#pragma once

#include "client/spec/spec.h"
#include "util/buf.h"

/*
 * Appends the environment that the job asks for, as NUL-terminated NAME=value strings. With
 * --get-user-env the login shell of the user is started once, and the variables that it has are
 * added where the submitting process has no other value; with --export=NONE they come alone.
 */
int login_env_capture(const struct spec *s, char *const *env, int64_t max_bytes, struct buf *out,
		      struct err *err);
