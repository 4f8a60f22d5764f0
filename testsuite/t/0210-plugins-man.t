#!/bin/sh
# The example of armada-plugins(7) is what it says: it builds, loads, and has its option.
src=${ARMADA_SRCDIR:-$(pwd)} build=${ARMADA_BUILDDIR:-$(pwd)}
dir=$(mktemp -d "${TMPDIR:-/tmp}/armada-plugins-man-XXXXXX") || exit 1
trap 'rm -rf "$dir"' EXIT
chmod 755 "$dir"
n=0
check() { # DESCRIPTION STATUS
	n=$((n + 1))
	if [ "$2" -eq 0 ]; then echo "ok $n - $1"; else echo "not ok $n - $1"; sed 's/^/# /' "$dir/log"; fi
}

sed -n '/^\.\\" tight.c: begin/,/^\.\\" tight.c: end/p' "$src/man/armada-plugins.7" |
	sed -e '/^\./d' -e 's/\\-/-/g' -e 's/\\(rs/\\/g' -e 's/\\(dq/"/g' >"$dir/tight.c"
: >"$dir/log"
grep -q '^ARMADA_PLUGIN' "$dir/tight.c"
check "the page holds the source" $?

# The command of the page, with the headers of this tree and warnings that stop.
command=$(sed -n 's/\\-/-/g; /^cc .*tight\.c$/p' "$src/man/armada-plugins.7")
check "and the command that builds it" $?
(cd "$dir" && export CPATH="$src/src/include" && eval "$command -Werror") >"$dir/log" 2>&1
check "which does" $?
chmod 644 "$dir/select_tight.so"

"$build/testsuite/unit/plugin/load" "$dir" select tight >"$dir/log" 2>&1
check "the host loads it" $?
grep -q '^select/tight: least free of one resource$' "$dir/log"
check "and knows its description" $?
grep -q '^option first = memory$' "$dir/log"
check "and its option" $?
echo "1..$n"
