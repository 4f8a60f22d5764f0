#!/bin/bash
# A snapshot contains all of the state. Each program of unit/core compares the state with what its
# snapshot restores, member by member as the headers declare them (unit/core/snapshot_compare.h). This test
# checks that each member was other than zero in at least one of them: a member that is always zero
# could be missing from the snapshot unnoticed.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_BUILDDIR" || exit 99

# make runs this test after the programs (testsuite/t/local.mk). A program that did not run is run here.
members=()
for p in testsuite/unit/core/*; do
	[ -f "$p" ] && [ -x "$p" ] || continue
	[ "$p.members" -nt "$p" ] || "$p" >/dev/null 2>&1
	[ ! -e "$p.members" ] || members+=("$p.members")
done

never_seen()
{
	cat "${members[@]}" | sort -u | awk '$1 == "saw" { saw[$2] = 1 } { all[$2] = 1 }
	END { for (m in all) if (!saw[m]) print m }' | sort
}

ok 'members of the state were compared' test "$(cat "${members[@]}" | wc -l)" -gt 1000
is "$(never_seen)" '' 'each member was other than zero at least once'
done_testing
