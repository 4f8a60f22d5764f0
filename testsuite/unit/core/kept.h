/*
 * Is what a snapshot gives back the state itself, member by member?
 *
 * The members are read from the headers of src/core/state when this is built (kept_fields.awk), so a new
 * one is compared without anybody's doing: a member that the snapshot forgets differs. One whose type is
 * not known here is compared byte by byte.
 */
#pragma once

struct core;

/*
 * A TAP failure for each member that differs. Also notes which members were ever other than zero: with
 * ARMADA_KEPT=FILE in the environment they are in FILE when the program ends, one line each: "saw job.id",
 * and "has job.id" for all that there are. testsuite/t/0005-snapshot.t puts those of all programs together.
 */
void kept_compare(const struct core *live, const struct core *restored);
