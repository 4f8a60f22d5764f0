/*
 * What differs between two specifications of a job, in the words of `actl update`.
 *
 * A call costs one packing of each field that the table of updates has, of both specifications.
 */
#pragma once

#include "proto/msg.h"
#include "util/arena.h"

/* True if the number of tasks of a group differs. */
bool spec_is_scaled(const Armada__JobSpec *a, const Armada__JobSpec *b);
/*
 * The options of actl update whose values differ, except the priority and what the job waits for. The list
 * is in the arena and has room for one more.
 */
size_t spec_changed_fields(const Armada__JobSpec *a, const Armada__JobSpec *b, struct arena *arena,
			   char ***ret_list);
