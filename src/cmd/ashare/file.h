/*
 * A file that is written as a whole or not at all.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>

/* "-" is the output, and what is no file is written to. */
int file_replace(const char *path, const void *data, size_t len, struct err *err);
