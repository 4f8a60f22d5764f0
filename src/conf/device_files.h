/* Lists of device files: "/dev/fpga[0-3]" or "/dev/a,/dev/b". */
#pragma once

#include "util/err.h"

#include <stddef.h>

enum { DEVICE_FILES_MAX = 64 };

/*
 * A new array of new paths; free with hostlist_free (util/hostlist.h). -EINVAL, -ERANGE: nothing is
 * returned.
 */
int device_files_expand(const char *text, char ***ret_paths, size_t *ret_count, struct err *err);
