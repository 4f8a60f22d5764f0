#!/bin/bash
# Every header compiles by itself, so that no file depends on the order of its includes. The build shows it
# for a header that some file includes first; this test compiles the others.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99
read -ra cc <<<"${CC:-cc}"

flags=(-std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only
	-I"$ARMADA_BUILDDIR" -Isrc/include -Isrc -I"$ARMADA_BUILDDIR/src" -Itestsuite)
flags+=($(pkg-config --cflags libevent libconfig libsodium libprotobuf-c sqlite3 smartcols \
	jansson hwloc munge 2>/dev/null))

# The compiler is started once for all; if it fails, once for each, to say which.
headers=$( (cd src && find . -name '*.h' ! -name '*.pb-c.h' ! -path './include/*'
	cd ../testsuite && find . -name '*.h' ! -name kept_fields.h) | sed 's:^\./::' | sort)
headers="$headers $(cd src/include && echo armada/*.h)"
first=$(find src plugins testsuite -name '*.c' -exec grep -Hm 1 '^#include' {} + | sed -n 's/.*#include "\(.*\)"/\1/p' | sort -u)
headers=$(tr ' ' '\n' <<<"$headers" | grep -vxF "$first")
ok 'some headers are not included first' test -n "$headers"
mkdir "$work/alone"
for h in $headers; do
	printf '#include "%s"\nextern int armada_alone;\n' "$h" >"$work/alone/${h//\//:}.c"
done
"${cc[@]}" "${flags[@]}" "$work"/alone/*.c 2>/dev/null
whole=$?
for h in $headers; do
	[ $whole = 0 ] || "${cc[@]}" "${flags[@]}" "$work/alone/${h//\//:}.c"
	is $? 0 "$h compiles alone"
done
done_testing
