#!/bin/bash
# A snapshot is all of the state. Each program of unit/core compares the state with what its snapshot gives
# back, member by member as the headers have them (unit/core/kept.h). Here it is seen that each member was
# other than zero in one of them at least: one that never was could be forgotten unnoticed.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_BUILDDIR" || exit 99

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

programs=(testsuite/unit/core/*)
for p in "${programs[@]}"; do
	[ -f "$p" ] && [ -x "$p" ] || continue
	ARMADA_KEPT=$work/${p##*/}.kept "$p" >"$work/${p##*/}.tap" 2>&1
done

never_seen()
{
	cat "$work"/*.kept | sort -u | awk '$1 == "saw" { saw[$2] = 1 } { all[$2] = 1 }
	END { for (m in all) if (!saw[m]) print m }' | sort
}

forgotten()
{
	grep -hE '^not ok.*the snapshot forgets' "$work"/*.tap | sed 's/^not ok [0-9]* - //' | sort -u
}

ok 'members of the state were compared' test "$(cat "$work"/*.kept | wc -l)" -gt 1000
is "$(forgotten)" '' 'the snapshot forgets none'
is "$(never_seen)" '' 'each was other than zero somewhere'
done_testing
