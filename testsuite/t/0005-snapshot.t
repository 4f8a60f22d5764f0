#!/bin/bash
# A snapshot contains all of the state. Each program of unit/core compares the state with what its
# snapshot restores, member by member as the headers declare them (unit/core/snapshot_compare.h). This test
# checks that each member was other than zero in at least one of them: a member that is always zero
# could be missing from the snapshot unnoticed.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_BUILDDIR" || exit 99

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

programs=(testsuite/unit/core/*)
for p in "${programs[@]}"; do
	[ -f "$p" ] && [ -x "$p" ] || continue
	ARMADA_SNAPSHOT_MEMBERS=$work/${p##*/}.members "$p" >"$work/${p##*/}.tap" 2>&1
done

never_seen()
{
	cat "$work"/*.members | sort -u | awk '$1 == "saw" { saw[$2] = 1 } { all[$2] = 1 }
	END { for (m in all) if (!saw[m]) print m }' | sort
}

forgotten()
{
	grep -hE '^not ok.*the snapshot forgets' "$work"/*.tap | sed 's/^not ok [0-9]* - //' | sort -u
}

ok 'members of the state were compared' test "$(cat "$work"/*.members | wc -l)" -gt 1000
is "$(forgotten)" '' 'the snapshot forgets no member'
is "$(never_seen)" '' 'each member was other than zero at least once'
done_testing
