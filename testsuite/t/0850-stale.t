#!/bin/bash
# A report of an old attempt does not change the new one, and another machine with the name
# of a node is not accepted as that node.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

cat >conf <<'X'
agents = { heartbeat = "300ms"; node_timeout = "1s"; reconnect_max = "300ms"; };
X
test_under_armada 2 --cpus 1 --memory 1G --conf "$work/conf"

# network NODE: prints the pid of its network process
network()
{
	cat "/proc/$(cat "cluster/$1.pid")"/task/*/children | tr ' ' '\n' | while read -r pid; do
		grep -qzxF -- "--spool=$work/cluster/spool/$1" "/proc/$pid/cmdline" || continue
		[ -z "$(cat "/proc/$pid"/task/*/children)" ] && echo "$pid" && break
	done
}

field()
{
	aqueue --state all --noheader --format "$2" "$1"
}

is_in()
{
	[ "$(field "$1" state)" = "$2" ]
}

node_is()
{
	[ "$(anode --noheader --format state "$1")" = "$2" ]
}

cat >job.sh <<X
#!/bin/bash
trap 'echo "told \$ARMADA_ATTEMPT" >>$work/journal; exit 9' TERM
echo "start \$ARMADA_ATTEMPT \$ARMADA_NODE_NAME" >>$work/journal
until [ -e $work/go ]; do read -t 0.1 <&9 || :; done 9<> <(:)
exit 0
X
chmod 755 job.sh
job=$(asubmit --parsable -w n1 --mem 10M --grace-period 5s -o /dev/null "$work/job.sh")
ok 'a job runs' wait_until 20 grep -q 'start 1 n1' journal
speaker=$(network n1)
kill -STOP "$speaker"
ok 'its node is lost' wait_until 20 is_in "$job" UNKNOWN
run anode confirm-dead n1 --yes
is "$status" 0 'an administrator confirms that the node is dead'
diag "$out"
wait_until 10 is_in "$job" PENDING
is "$(field "$job" state)" PENDING 'the job is pending, as it may run on that node only'
kill -CONT "$speaker"
anode resume n1 >/dev/null 2>&1
ok 'the node was not dead: the old attempt gets SIGTERM' wait_until 20 grep -q 'told 1' journal
ok 'the job runs again as another attempt' wait_until 30 grep -q 'start 2 n1' journal
is "$(field "$job" state)" RUNNING 'the end of the first attempt has not ended the second'
is "$(grep -c start journal)" 2 'there were two attempts'
touch go
ok 'the job ends' wait_until 20 job_ended "$job"
is "$(field "$job" state,exit_code | tr -s ' ')" 'COMPLETED 0' 'the second attempt completed'

# another armd with the name of n2
mkdir -p other
sed "s|--spool=.*|--spool=$work/other|" cluster/nodes/n2 >cluster/nodes/other
"$devcluster" restart "$cluster" other
ok 'another armd with the name of a node is refused' \
	wait_until 20 grep -q 'node n2 is registered by another armd' cluster/log/armctld.log
ok 'the refused armd logs the reason' wait_until 20 grep -q 'is registered by another armd' cluster/log/other.log
ok 'the node itself stays up' node_is n2 up
job=$(asubmit --parsable -w n2 --mem 10M -o /dev/null "$work/job.sh")
ok 'the node runs a job' wait_until 20 job_ended "$job"
is "$(field "$job" state)" COMPLETED 'the job completed'
done_testing
