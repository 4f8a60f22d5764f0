/* Runs a program with a text on its standard input, for plugins that notify through programs. */
#pragma once

#include <armada/error.h>
#include <stddef.h>

/* 0 if path can be a program: absolute, a plain file, executable. */
int run_check(const char *path, struct armada_error *err);
/*
 * Run argv[0] with a new environment and wait for its end. 0: it has exited with 0. Its standard output is
 * /dev/null; the last line of its standard error becomes the error.
 */
int run_program(const char *const *argv, const char *input, size_t len, struct armada_error *err);
