/*
 * Compares the state of a core with the state that is restored from its snapshot, member by member.
 *
 * The build reads the members from the headers of src/core/state (snapshot_fields.awk), so a new
 * member is compared without a change here. A member that the snapshot does not contain differs. A
 * member of an unknown type is compared byte by byte.
 */
#pragma once

struct core;

/*
 * Reports a failed test for each member that differs. It also records which members were other than
 * zero: at its end the program writes NAME.members beside itself in ARMADA_BUILDDIR, with a line
 * "has job.id" for each member and a line "saw job.id" for each that was other than zero.
 * testsuite/t/0005-snapshot.t combines the files of all programs.
 */
void snapshot_compare(const struct core *live, const struct core *restored);
