#!/bin/bash
# The start barrier of a gang's tasks, with real daemons: no task runs before all are set up,
# whichever daemon is killed meanwhile; a node that fails to set up its task requeues the whole
# gang; --launch=first and steps.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

mkdir -m 777 out
mkdir -m 755 hooks
cat >hooks/prolog <<X
#!/bin/sh
[ ! -e $work/bad.\$ARMADA_NODE_NAME ] || { echo "no disk for it"; exit 3; }
X
chmod 755 hooks/prolog
cat >test.conf <<X
agents = { heartbeat = "200ms"; node_timeout = "2s"; reconnect_max = "200ms"; avoid = "1s"; };
hooks = { prolog = [ "$work/hooks/prolog" ]; prolog_drains = false; };
X
test_under_armada 3 --cpus 4 --memory 4G --conf test.conf
cd out || exit 99

# Each task logs that it runs. Its output file exists as soon as it is set up.
cat >task.sh <<'X'
#!/bin/sh
echo "$ARMADA_TASK_RANK on $ARMADA_NODE_NAME, attempt $ARMADA_ATTEMPT" >>journal
X

submit()
{
	rm -f journal ./*.txt
	run asubmit --parsable -n 3 -N 3 --launch=all --memory 100M -o '%t.txt' "$@"
	id=$out
}
state()
{
	aqueue --noheader --format state --state all "$1" | tr -d ' '
}
state_is()
{
	[ "$(state "$1")" = "$2" ]
}
# Exactly N of the three output files exist.
set_up()
{
	local files=(?.txt)

	[ -e "${files[0]}" ] && [ ${#files[@]} -eq "$1" ]
}
journal()
{
	sort journal 2>/dev/null | cut -d' ' -f1 | tr '\n' ' '
}
pid_of()
{
	cat "$cluster/$1.pid"
}
# A stopped launcher does nothing, while its network process keeps the node up.
freeze()
{
	kill -STOP "$(pid_of "$1")"
}
thaw()
{
	kill -CONT "$(pid_of "$1")"
}

# --- all tasks start, or none ---------------------------------------------------------------------
submit task.sh
ok 'a gang runs' wait_until 20 job_ended "$id"
is "$(journal)" '0 1 2 ' 'each task ran once'

freeze n3
submit task.sh
ok 'two nodes have set up their tasks' wait_until 20 set_up 2
ok 'the controller is killed' "$devcluster" kill "$cluster" armctld
ok 'the controller restarts' "$devcluster" restart "$cluster" armctld
ok 'the job is still CONFIGURING' wait_until 20 state_is "$id" CONFIGURING
"$devcluster" kill "$cluster" n1 >/dev/null
ok 'armd is killed while its task waits, and restarts' "$devcluster" restart "$cluster" n1
ok 'armd has registered' wait_until 20 eval '[ "$(anode --noheader --format state n1)" = up ]'
is "$(journal)" '' 'no task has run'
is "$(cat ./*.txt)" '' 'no task has written output'
thaw n3
ok 'the gang ends when the third node has set up its task' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'the gang completed'
is "$(journal)" '0 1 2 ' 'each task ran once'
is "$(grep -vc 'attempt 1$' journal)" 0 'every task ran in the first attempt'

# kill the controller repeatedly, at random moments between ready and release
lost=0
for i in 1 2 3 4 5; do
	submit --wrap 'echo "$ARMADA_TASK_RANK on $ARMADA_NODE_NAME, attempt $ARMADA_ATTEMPT" >>journal'
	read -rt "0.0$((RANDOM % 9))" <> <(:)
	"$devcluster" kill "$cluster" armctld >/dev/null
	"$devcluster" restart "$cluster" armctld >/dev/null
	wait_until 30 job_ended "$id" || diag "job $id does not end: $(aqueue "$id")"
	[ "$(journal)" = '0 1 2 ' ] || { lost=$((lost + 1)) && diag "$(cat journal)"; }
done
is $lost 0 'a controller that is killed during the start loses no task and doubles none'

# --- a node that fails to set up its task ---------------------------------------------------------
node=n2
touch "$work/bad.$node"
submit --time 5 task.sh
ok 'a prolog that fails on one node requeues the whole gang' \
	wait_until 20 eval '[[ $(actl show job $id) =~ "task "[0-2]" on node '$node': prolog: no disk for it" ]]'
is "$(journal)" '' 'no task has run'
rm "$work/bad.$node"
ok 'the gang runs when the node can set it up again' wait_until 60 job_ended "$id"
is "$(journal)" '0 1 2 ' 'each task ran once'

submit -D "$work/nowhere" task.sh
ok 'a job with a missing directory ends' wait_until 20 job_ended "$id"
is "$(state "$id")" FAILED 'a missing directory fails the job'
is "$(journal)" '' 'no task has run'

# --- a node that is lost while the others wait ----------------------------------------------------
freeze n3
submit task.sh
ok 'two nodes have set up their tasks' wait_until 20 set_up 2
"$devcluster" kill "$cluster" n3 >/dev/null
ok 'the third node is lost' wait_until 20 state_is "$id" UNKNOWN
is "$(journal)" '' 'no task runs'
ok 'the job can be cancelled' acancel "$id"
ok 'the waiting tasks are ended' wait_until 20 state_is "$id" COMPLETING
ok 'the node comes back' "$devcluster" restart "$cluster" n3
ok 'the job ends' wait_until 20 job_ended "$id"
is "$(state "$id")" CANCELLED 'the job is cancelled'
is "$(journal)" '' 'no task has run'

# --- the jobs of a gang ---------------------------------------------------------------------------
rm -f journal ./*.txt
freeze n3
for i in 0 1 2; do
	run asubmit --parsable --gang-id g --gang-cardinality 3 -w "n$((i + 1))" -o "$i.txt" --wrap \
		'echo "$ARMADA_GANG_RANK of $ARMADA_GANG_JOB_IDS at $ARMADA_GANG_NODE_RANKS" >>journal'
	ids[i]=$out
done
ok 'two of three jobs are set up' wait_until 20 set_up 2
is "$(journal)" '' 'both wait for the third job'
thaw n3
ok 'the third job is set up, and all end' wait_until 20 job_ended "${ids[@]}"
is "$(sort journal)" "$(for i in 0 1 2; do echo "$i of ${ids[0]},${ids[1]},${ids[2]} at n1,n2,n3"; done)" \
	'all jobs run and know their peers'

# --- launch = first, and steps --------------------------------------------------------------------
submit --launch=first --wrap 'arun sh -c "echo \$ARMADA_TASK_RANK step >>journal"; echo $ARMADA_LAUNCH >launch'
ok 'a job with --launch=first ends' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'it completes when the program of its first task exits'
is "$(cat launch)" first 'ARMADA_LAUNCH is set'
is "$(journal)" '0 1 2 ' 'a step runs in the standby tasks'
like "$(aqueue --detail "$id" 2>/dev/null; actl show job "$id")" '3 succeeded' 'the standby tasks count as succeeded'
submit --launch=first --wrap 'exit 7'
ok 'a job whose first task fails ends' wait_until 20 job_ended "$id"
like "$(actl show job "$id")" 'exit 7:0' 'the job fails with the exit code of the first task'
submit --launch=first --wrap 'until [ -e go ]; do sleep 0.02; done'
wait_until 20 state_is "$id" RUNNING
for node in n1 n2 n3; do
	"$devcluster" kill "$cluster" "$node" >/dev/null
	"$devcluster" restart "$cluster" "$node" >/dev/null
done
touch go
ok 'standby tasks outlive a restart of armd' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'the job completes with its first task'
run asubmit --launch=some --wrap true
is "$status" 2 'an unknown value of --launch is refused'
like "$err" 'all or first' 'the error lists the known values'
done_testing
