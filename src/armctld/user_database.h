/*
 * Looks up users and groups by name on this machine. May block for long, because of a directory
 * service.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The id of a user or group. -ENOENT: the name does not exist. Numbers are not accepted: callers
 * have names, so a number in a queue would match no caller.
 */
int user_database_find(bool group, const char *name, uint32_t *ret_id, struct err *err);
/* The id of a name, or of a number as text. */
int user_database_id(bool group, const char *name, uint32_t *ret_id, struct err *err);
