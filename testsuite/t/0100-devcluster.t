#!/bin/bash
# contrib/devcluster: start, kill, restart, stop, and several clusters side by side.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 2,3 --memory 4G
is "$(anode --noheader --format name | sort | tr '\n' ' ')" 'n1 n2 ' 'both nodes are listed'
run "$devcluster" status "$cluster"
is "$status" 0 'devcluster status exits 0'
is "$(grep -c 'running, pid' <<<"$out")" 4 'munged, armctld and two nodes are running'

run asubmit --wait --output=out --wrap 'echo hello from $ARMADA_NODE_NAME'
is "$status" 0 'a job runs'
like "$(cat out)" '^hello from n[12]$' 'the job writes its output'

ok 'a node is killed' "$devcluster" kill "$cluster" n1
run "$devcluster" status "$cluster"
is "$status" 1 'devcluster status exits 1'
like "$out" 'n1 +not running' 'devcluster status names the node that does not run'
ok 'a node is restarted' "$devcluster" restart "$cluster" n1
ok 'the controller is killed' "$devcluster" kill "$cluster" armctld
ok 'the controller is restarted' "$devcluster" restart "$cluster" armctld
ok 'the controller answers' wait_until 20 actl ping
run asubmit --wait --output=out --wrap 'exit 3'
is "$status" 3 'a job runs after the restarts'

ok 'a second cluster starts beside the first' "$devcluster" start "$work/other" --nodes 1 \
	--conf <(printf 'cluster = "other";\nplugins = {\n\tselect = "binpack";\n};\n')
like "$(cat "$work/other/armada.conf")" 'cluster = "other"' 'the second cluster has the settings of its file'
(eval "$("$devcluster" env "$work/other")" && anode --noheader --format name) >names
is "$(cat names)" n1 'the second cluster has its own node'
run "$devcluster" start "$work/other"
is "$status" 1 'a running cluster is not started again'
like "$err" 'already runs' 'the error says that the cluster already runs'
ok 'the second cluster stops' "$devcluster" stop "$work/other"

asubmit --output=/dev/null --wrap 'sleep 1000 & echo $! >child; wait' >/dev/null
ok 'a task runs' wait_until 20 test -s child
ok 'the first cluster stops' "$devcluster" stop "$cluster"
ok 'no task is left' wait_until 10 test ! -e "/proc/$(cat child)"
run "$devcluster" status "$cluster"
is "$(grep -c 'not running' <<<"$out")" 4 'no daemon runs'
ok 'the cluster starts again with its state' "$devcluster" start "$cluster"
like "$(asubmit --parsable --wrap true)" '^[4-9]$' 'job ids continue after the restart'

run "$devcluster" start "$work/bad" --nodes none
is "$status" 2 'an invalid option is a usage error'
run "$devcluster" kill "$cluster" n9
like "$err" "no daemon 'n9'.*expected munged, armctld, n1, n2" 'the error names the unknown daemon'
printf 'clutser = "a";\n' >bad.conf
run "$devcluster" start "$work/bad" --conf bad.conf
is "$status" 1 'an invalid configuration file is refused'
like "$err" "unknown key; did you mean 'cluster'" 'the error comes from the configuration parser'
run "$devcluster" status "$work/bad"
is "$(grep -c 'not running' <<<"$out")" 3 'a refused start leaves nothing running'
done_testing
