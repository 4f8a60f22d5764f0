#!/bin/bash
# Every header compiles by itself, so that no file depends on the order of its includes.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
cd "$ARMADA_SRCDIR" || exit 99
read -ra cc <<<"${CC:-cc}"

flags=(-std=gnu17 -D_GNU_SOURCE -Wall -Wextra -Werror -fsyntax-only
	-I"$ARMADA_BUILDDIR" -Isrc/include -Isrc -I"$ARMADA_BUILDDIR/src" -Itestsuite)
flags+=($(pkg-config --cflags libevent libconfig libsodium libprotobuf-c sqlite3 smartcols \
	jansson hwloc munge 2>/dev/null))

alone()
{
	printf '#include "%s"\nextern int armada_alone;\n' "$1" |
		"${cc[@]}" "${flags[@]}" -x c -
}

headers=$(find src testsuite -name '*.h' ! -name '*.pb-c.h' ! -name kept_fields.h ! -path 'src/include/*' | sort)
for h in $headers; do
	h=${h#src/}
	ok "${h#testsuite/} compiles alone" alone "${h#testsuite/}"
done
for h in src/include/armada/*.h; do
	ok "armada/${h##*/} compiles alone" alone "armada/${h##*/}"
done
done_testing
