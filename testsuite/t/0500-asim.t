#!/bin/bash
# asim: what it refuses, its manual page and its completion held to --help.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

PATH=$ARMADA_BUILDDIR/src/asim:$PATH
storm() { run asim storm --plugins "$ARMADA_BUILDDIR/plugins.d" "$@"; }

run asim
is "$status" 2 'asim alone is a mistake'
run asim frob
is "$status" 2 'a mode that is not there'
storm --seed x
is "$status" 2 'a seed that is no number'
storm --frob
is "$status" 2 'an option that is not there'
storm --seed 3
is "$status" 0 'a seed is clean'
first=$out
storm --seed 3
is "$out" "$first" 'and gives the same bytes again'
run asim storm --plugins "$work"
is "$status" 1 'a directory without plugins is refused'
for option in $(asim --help | grep -oE -- '--[a-z]+' | sort -u); do
	ok "asim.1 has $option" grep -q -- "${option//-/\\\\-}" "$ARMADA_SRCDIR/man/asim.1"
	ok "completion has $option" grep -q -- "$option" "$ARMADA_SRCDIR/contrib/completion/asim.bash"
done
ok 'mandoc has nothing to say' test -z "$(mandoc -T lint -W warning "$ARMADA_SRCDIR/man/asim.1" 2>&1)"
done_testing
