#!/bin/bash
# The disk of a node's spool is full. Running tasks end normally and their ends are kept; new
# jobs are refused with a reason and run elsewhere; armd stays alive, and starts again; with room
# the node runs jobs again.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'a small disk needs a mount, and root'
rounds=${ARMADA_DRILL_ROUNDS:-1}
mkdir -p cluster/spool/n1 && chmod 711 cluster/spool/n1
mount -t tmpfs -o size=48M,mode=711 armada-test cluster/spool/n1 2>/dev/null ||
	skip_all 'no tmpfs can be mounted here'
at_exit='umount -l "$work/cluster/spool/n1"'

fill()
{
	local size=1M

	for size in 1M 64k 4k 512; do
		dd if=/dev/zero of=cluster/spool/n1/filler bs=$size oflag=append conv=notrunc 2>/dev/null
	done
	[ "$(stat -f -c %a cluster/spool/n1)" -eq 0 ]
}

runs()
{
	[ "$(aqueue --noheader --format state "$1")" = RUNNING ]
}

node_word()
{
	anode --noheader --format "$1" n1
}

# A job that runs on n1 until the file exists, and exits with 7.
hold_n1()
{
	asubmit --parsable -w n1 -c 1 --mem 10M -o /dev/null \
		--wrap "until [ -e $work/go.$1 ]; do sleep 0.05; done; exit 7"
}

echo 'agents = { heartbeat = "1s"; node_timeout = "10s"; reconnect_max = "500ms"; avoid = "1s"; };' >conf
test_under_armada 2 --cpus 8 --memory 8G --conf "$work/conf"
for ((round = 1; round <= rounds; round++)); do
	diag "round $round"
	held=$(hold_n1 $round)
	ok 'a job runs on the node' wait_until 20 runs "$held"
	ok 'its disk is filled' fill
	run asubmit --parsable -w n1 -c 1 --mem 10M -o /dev/null --wrap true
	is "$status" 0 'the controller accepts a job for this node only'
	waits=$out
	for ((i = 0; i < 50; i++)); do
		asubmit --parsable -c 1 --mem 10M -o /dev/null --wrap true
	done >ids
	ok 'fifty jobs for any node run elsewhere' wait_until 60 job_ended $(cat ids)
	is "$(aqueue --state all --noheader --format state $(cat ids) | sort -u)" COMPLETED 'all of them completed'
	like "$(cat cluster/log/n1.log; node_word reason; aqueue --noheader --format reason "$waits")" \
		'disk of node n1.s spool is full' 'the reason names the full disk'
	pid=$(cat cluster/n1.pid)
	ok 'armd is alive' kill -0 "$pid"
	"$devcluster" kill "$cluster" n1
	"$devcluster" restart "$cluster" n1
	ok 'armd starts again on the full disk' wait_until 20 grep -q "1 of them run" cluster/log/n1.log
	touch go.$round
	ok 'the running job ends' wait_until 20 job_ended "$held"
	is "$(aqueue --state all --noheader --format state,exit_code "$held" | tr -s ' ')" 'FAILED 7' \
		'it has its own exit code'
	rm cluster/spool/n1/filler
	ok 'with room the node runs jobs again' wait_until 60 job_ended "$waits"
	is "$(aqueue --state all --noheader --format state,nodelist "$waits" | tr -s ' ')" 'COMPLETED n1' \
		'the job that waited for the node completed there'
	: >cluster/log/n1.log
done
done_testing
