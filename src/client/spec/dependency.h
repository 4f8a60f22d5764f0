/*
 * What --dependency takes: "afterok:12:14_3,afterany:15", "after:12+10", "singleton".
 *
 * Parts joined by commas must all hold; joined by question marks, one of them is enough. The two are
 * not mixed.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum { DEPENDENCIES_MAX = 1000 };

/* The list is in the arena; "none" gives an empty one. -EINVAL with what would be accepted. */
int dependency_parse(const char *text, struct arena *arena, Armada__Dependency ***ret_list,
		     size_t *ret_count, bool *ret_any, struct err *err);

/* "afterok"; "" of a type that this release does not know. */
const char *dependency_word(Armada__DependencyType type);
