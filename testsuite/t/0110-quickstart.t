#!/bin/bash
# A newcomer's first command on this build: real jobs with correct results.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs munged
unset MAKEFLAGS MFLAGS

run "$ARMADA_SRCDIR/quickstart" --no-deps --no-build --dir "$work/q" --user nobody
is "$status" 0 'quickstart succeeds'
like "$out" 'words in [0-9]+ documents +[1-9][0-9]+' 'an array job counts words'
like "$out" 'primes up to 10000000 +664579' 'a job compiles and runs a program'
like "$out" 'over three tasks +4500001500000' 'a gang computes a sum'
like "$out" 'rank 2 of 3 on n[123]' 'the gang has three tasks'
like "$out" 'answered to arun +3' 'arun runs a command on three nodes'
like "$out" "results and scripts +$work/q/work" 'the report names the directory of the results'
[ ! -x "$ARMADA_BUILDDIR/armrestd" ] || ! has curl ||
	like "$out" '"cluster":"dev"' 'the gateway answers over HTTP'
[ "$status" -eq 0 ] || diag "$out" "$err"
run "$devcluster" status "$work/q/cluster"
is "$(grep -vc 'not running' <<<"$out")" 0 'the cluster is stopped'

ok 'install-deps lists packages' "$ARMADA_SRCDIR/contrib/install-deps" --list
run "$ARMADA_SRCDIR/contrib/install-deps" --wrong
is "$status" 2 'install-deps refuses an unknown option'
run "$ARMADA_SRCDIR/quickstart" --wrong
is "$status" 2 'quickstart refuses an unknown option'
run "$ARMADA_SRCDIR/runtests" --wrong
is "$status" 2 'runtests refuses an unknown option'
done_testing
