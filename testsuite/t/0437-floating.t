#!/bin/bash
# Floating resources: licences of the cluster, requested by jobs, reserved for queues, held, explained.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

conf=$work/extra.conf
cat >"$conf" <<'EOF'
floating = { matlab = 20; ansys = { total = 4; queues = { cfd = 2; }; }; };
queues = ( { name = "cfd"; owners = ["root"]; permissions = ["all=submit"]; } );
EOF
test_under_armada 2 --cpus 8 --memory 4G --conf "$conf"

state_is()
{
	[ "$(aqueue --noheader --format state "$1" | tr -d ' ')" = "$2" ]
}
waits_for()
{
	[ "$(aqueue --noheader --format why "$1" | tr -d ' ')" = "$2" ]
}
refused()
{
	local code=$1 words=$2

	shift 2
	run asubmit "$@" --wrap true
	is "$status" "$code" "asubmit $* is refused"
	like "$err" "$words" 'the error has the reason'
}
sleeper()
{
	asubmit --parsable --cpus 0.1 --mem 50M "$@" --wrap 'exec sleep 1000'
}

refused 1 'matlab: 21 is more than the cluster has \(20\)' -L matlab:21
refused 1 'ansys: 3 is more than queue .* may use \(2 of 4; 2 are reserved for other queues\)' --licenses=ansys=3
refused 1 "'matlb' is not a resource; did you mean 'matlab'" --license matlb
refused 1 'cpu belongs to nodes, it is not a license' -L cpu:2
refused 2 "'matlab:x'" -L matlab:x
refused 2 'matlab is given twice' -L matlab:1,matlab:2

# a workload that holds licences: 10 + 9, an array, a gang
big=$(sleeper -L matlab:10)
two=$(sleeper -L matlab=9,ansys)
ok 'a job with licences runs' wait_until 20 state_is "$big" RUNNING
ok 'so does a second one' wait_until 20 state_is "$two" RUNNING
wait=$(sleeper --nodes 2 -L matlab:2)
ok 'a third one waits' wait_until 20 waits_for "$wait" Licenses
why=$(aexplain "$wait")
diag "$why"
like "$why" "2 matlab asked, 1 of 20 free \(19 used: job $big holds 10, job $two holds 9\)" \
	'aexplain names the holders'
plain=$(sleeper)
ok 'a job without licences passes it' wait_until 20 state_is "$plain" RUNNING
like "$(aqueue --json "$two" | tr -d ' \n')" '"matlab":9' 'JSON has what a job holds'
like "$(actl show job "$two")" 'matlab=9' 'actl show job, too'
cfd=$(sleeper --queue cfd -L ansys:3)
ok 'a queue has what is reserved for it' wait_until 20 state_is "$cfd" RUNNING
other=$(sleeper -L ansys:1)
ok 'what is held is not free for others' wait_until 20 waits_for "$other" Licenses

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'after kill -9 of the controller, the job still waits' wait_until 30 waits_for "$wait" Licenses
acancel "$two"
ok 'it starts when a holder has ended' wait_until 30 state_is "$wait" RUNNING

array=$(sleeper --array 0-3 --resource matlab=3)
running_of()
{
	[ "$(aqueue --noheader --array --states RUNNING --format id "$1" | wc -l)" = "$2" ]
}
ok 'elements of an array hold theirs each' wait_until 20 running_of "$array" 2
done_testing
