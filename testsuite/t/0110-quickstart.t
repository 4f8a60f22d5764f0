#!/bin/bash
# The newcomer's first command, on what was built: real work, and results that are right.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs munged
unset MAKEFLAGS MFLAGS

run "$ARMADA_SRCDIR/quickstart" --no-deps --no-build --dir "$work/q" --user nobody
is "$status" 0 'quickstart succeeds'
like "$out" 'words in [0-9]+ documents +[1-9][0-9]+' 'it counts words with an array'
like "$out" 'primes up to 10000000 +664579' 'compiles and runs a program'
like "$out" 'over three tasks +4500001500000' 'adds up with a gang'
like "$out" 'rank 2 of 3 on n[123]' 'of three tasks'
like "$out" 'answered to arun +3' 'and stays with a command on three nodes'
like "$out" "results and scripts +$work/q/work" 'and says where everything lies'
[ "$status" -eq 0 ] || diag "$out" "$err"
run "$devcluster" status "$work/q/cluster"
is "$(grep -c 'not running' <<<"$out")" 5 'the cluster is stopped'

ok 'install-deps lists packages' "$ARMADA_SRCDIR/contrib/install-deps" --list
run "$ARMADA_SRCDIR/contrib/install-deps" --wrong
is "$status" 2 'and refuses what it does not know'
run "$ARMADA_SRCDIR/quickstart" --wrong
is "$status" 2 'so does quickstart'
run "$ARMADA_SRCDIR/runtests" --wrong
is "$status" 2 'and runtests'
done_testing
