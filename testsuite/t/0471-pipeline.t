#!/bin/bash
# Submissions in flight on one connection of libarmada: answers in order; and the controller is killed while
# submissions wait for their answers.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs munged
client=$ARMADA_BUILDDIR/testsuite/drill/pipeline
[ -x "$client" ] || skip_all 'testsuite/drill/pipeline is not built'

test_under_armada 1

# jobs: the ids of all jobs, in ascending order
jobs()
{
	aqueue --noheader --format id | tr -d ' ' | sort -n
}

run "$client" "$(cat "$cluster/armctld.pid")" 500 64 501
is "$status:$err" '0:500 answers came' 'all submissions are answered'
is "$(wc -l <<<"$out")" 500 'each has an id'
is "$(sort -nu <<<"$out")" "$out" 'the ids ascend in the order of the submissions'
is "$(jobs)" "$out" 'the controller has these jobs and no others'
first=$out

killed()
{
	"$devcluster" status "$cluster" | grep -q '^armctld *not running'
}

"$client" "$(cat "$cluster/armctld.pid")" 800 256 100 >out 2>err &
pid=$!
ok 'the controller is killed while submissions are in flight' wait_until 60 killed
ok 'it starts again' "$devcluster" restart "$cluster" armctld
wait "$pid"
is $? 0 'each submission has an answer in the end'
answers=$(sed -n 's/ answers came$//p' err)
[ "$answers" -ge 100 ] && [ "$answers" -lt 800 ]
result $? "the connection broke before some answers ($answers of 800 came)"
is "$(sort -nu out | wc -l)" 800 'no two submissions have the same job'
jobs >known
sort -n out - <<<"$first" >expected
is "$(comm -3 <(sort expected) <(sort known) | wc -l)" 0 'no job was lost, and none was made twice'
done_testing
