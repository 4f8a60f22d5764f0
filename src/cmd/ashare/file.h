/*
 * Writes a file completely or not at all.
 */
#pragma once

#include "util/err.h"

#include <stddef.h>

/*
 * Replaces the file when all data has been written. "-" is standard output; a device or a pipe is
 * written to directly.
 */
int file_replace(const char *path, const void *data, size_t len, struct err *err);
