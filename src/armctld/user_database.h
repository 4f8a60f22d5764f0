/*
 * Users and groups by name, as this machine knows them. May block for long: a directory service may be
 * behind it.
 */
#pragma once

#include "util/err.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * The id of a user or of a group. -ENOENT: there is none of that name. Callers are known by their names,
 * so that in a queue a number would be nobody.
 */
int user_database_find(bool group, const char *name, uint32_t *ret_id, struct err *err);
/* By its name, or by its number written out. */
int user_database_id(bool group, const char *name, uint32_t *ret_id, struct err *err);
