/*
 * The value of --dependency: "afterok:12:14_3,afterany:15", "after:12+10", "singleton".
 *
 * Conditions that are separated by commas must all be satisfied; of conditions that are separated
 * by question marks, one is enough. Commas and question marks cannot be mixed.
 */
#pragma once

#include "proto/msg.h"

#include <stdbool.h>

enum { DEPENDENCIES_MAX = 1000 };

/*
 * Allocates the list in the arena; "none" gives an empty one. -EINVAL with what would be accepted.
 * ret_names: also names of jobs are accepted, as in afterok:prepare; gets the name of each
 * dependency, NULL for one with a number. NULL: names are refused.
 */
int dependency_parse(const char *text, struct arena *arena, Armada__Dependency ***ret_list,
		     size_t *ret_count, bool *ret_any, const char ***ret_names, struct err *err);

/* The word of a type, such as "afterok"; "" for a type of a newer release. */
const char *dependency_word(Armada__DependencyType type);
