#!/bin/bash
# F7, F17: what an old attempt says does nothing to the new one, and another machine is not taken for a node
# because it has its name.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"

cat >conf <<'X'
agents = { heartbeat = "300ms"; node_timeout = "1s"; reconnect_max = "300ms"; };
X
test_under_armada 2 --cpus 1 --memory 1G --conf "$work/conf"

# network NODE: the process that speaks for it
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
until [ -e $work/go ]; do read -t 0.05 <> <(:); done
exit 0
X
chmod 755 job.sh
job=$(asubmit --parsable -w n1 --mem 10M --grace-period 5s -o /dev/null "$work/job.sh")
ok 'a job runs' wait_until 20 grep -q 'start 1 n1' journal
speaker=$(network n1)
kill -STOP "$speaker"
ok 'its node falls silent' wait_until 20 is_in "$job" UNKNOWN
run anode confirm-dead n1 --yes
is "$status" 0 'somebody says that it is dead'
diag "$out"
wait_until 10 is_in "$job" PENDING
is "$(field "$job" state)" PENDING 'the job waits again, for it may run there alone'
kill -CONT "$speaker"
anode resume n1 >/dev/null 2>&1
ok 'the node was not dead: what runs there is told to end' wait_until 20 grep -q 'told 1' journal
ok 'and runs anew as another attempt' wait_until 30 grep -q 'start 2 n1' journal
is "$(field "$job" state)" RUNNING 'which the end of the first has not ended'
is "$(grep -c start journal)" 2 'two attempts in all'
touch go
ok 'it ends' wait_until 20 job_ended "$job"
is "$(field "$job" state,exit_code | tr -s ' ')" 'COMPLETED 0' 'by itself'

# another armd under the name of n2
mkdir -p other
sed "s|--spool=.*|--spool=$work/other|" cluster/nodes/n2 >cluster/nodes/other
"$devcluster" restart "$cluster" other
ok 'a stranger with the name of a node is turned away' \
	wait_until 20 grep -q 'node n2 is registered by another armd' cluster/log/armctld.log
ok 'and is told so' wait_until 20 grep -q 'is registered by another armd' cluster/log/other.log
ok 'the node itself goes on' node_is n2 up
job=$(asubmit --parsable -w n2 --mem 10M -o /dev/null "$work/job.sh")
ok 'and does its work' wait_until 20 job_ended "$job"
is "$(field "$job" state)" COMPLETED 'well'
done_testing
