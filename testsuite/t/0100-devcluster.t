#!/bin/bash
# contrib/devcluster: start, kill, restart, stop, and several side by side.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 2,3 --memory 4G
is "$(anode --noheader --format name | sort | tr '\n' ' ')" 'n1 n2 ' 'both nodes are there'
run "$devcluster" status "$cluster"
is "$status" 0 'status is good'
is "$(grep -c 'running, pid' <<<"$out")" 4 'of munged, armctld and two nodes'

run asubmit --wait --output=out --wrap 'echo hello from $ARMADA_NODE_NAME'
is "$status" 0 'a job runs'
like "$(cat out)" '^hello from n[12]$' 'and writes its output'

ok 'a node is killed' "$devcluster" kill "$cluster" n1
run "$devcluster" status "$cluster"
is "$status" 1 'status says so'
like "$out" 'n1 +not running' 'of that node'
ok 'a node is restarted' "$devcluster" restart "$cluster" n1
ok 'the controller is killed' "$devcluster" kill "$cluster" armctld
ok 'the controller is restarted' "$devcluster" restart "$cluster" armctld
ok 'it answers' wait_until 20 actl ping
run asubmit --wait --output=out --wrap 'exit 3'
is "$status" 3 'a job runs after all that'

ok 'a second cluster starts beside it' "$devcluster" start "$work/other" --nodes 1 \
	--conf <(printf 'cluster = "other";\nplugins = {\n\tselect = "binpack";\n};\n')
like "$(cat "$work/other/armada.conf")" 'cluster = "other"' 'with what its file says'
(eval "$("$devcluster" env "$work/other")" && anode --noheader --format name) >names
is "$(cat names)" n1 'and its own node'
run "$devcluster" start "$work/other"
is "$status" 1 'a cluster that runs is not started again'
like "$err" 'already runs' 'in words'
ok 'the second cluster stops' "$devcluster" stop "$work/other"

asubmit --output=/dev/null --wrap 'sleep 1000 & echo $! >child; wait' >/dev/null
ok 'a task runs' wait_until 20 test -s child
ok 'the first stops' "$devcluster" stop "$cluster"
ok 'and no task is left' wait_until 10 test ! -e "/proc/$(cat child)"
run "$devcluster" status "$cluster"
is "$(grep -c 'not running' <<<"$out")" 4 'nothing runs any more'
ok 'it starts again with its state' "$devcluster" start "$cluster"
like "$(asubmit --parsable --wrap true)" '^[4-9]$' 'which counts on'

run "$devcluster" start "$work/bad" --nodes none
is "$status" 2 'a wrong option is a matter of usage'
run "$devcluster" kill "$cluster" n9
like "$err" "no daemon 'n9'.*expected munged, armctld, n1, n2" 'an unknown daemon is named'
printf 'clutser = "a";\n' >bad.conf
run "$devcluster" start "$work/bad" --conf bad.conf
is "$status" 1 'a wrong file is refused'
like "$err" "unknown key; did you mean 'cluster'" 'in its words'
run "$devcluster" status "$work/bad"
is "$(grep -c 'not running' <<<"$out")" 3 'and leaves nothing running'
done_testing
