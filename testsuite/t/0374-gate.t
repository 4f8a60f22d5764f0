#!/bin/bash
# The gate of tasks that start together, with real daemons: nobody runs before all are set up, whoever
# is killed meanwhile; a node that fails its part sends all of it back; --launch=first and steps.
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

# Each task says once that it runs; its output file is there as soon as it is set up.
cat >task.sh <<'X'
#!/bin/sh
echo "$ARMADA_TASK_RANK on $ARMADA_NODE_NAME, attempt $ARMADA_ATTEMPT" >>journal
X

submit()
{
	rm -f journal ./*.txt
	run asubmit --parsable -n 3 -N 3 --memory 100M -o '%t.txt' "$@"
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
# Of the three output files so many are there.
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
# A launcher that is stopped does nothing, but its network process says that the node is there.
freeze()
{
	kill -STOP "$(pid_of "$1")"
}
thaw()
{
	kill -CONT "$(pid_of "$1")"
}

# --- all of them, or nobody -----------------------------------------------------------------------
submit task.sh
ok 'a gang runs' wait_until 20 job_ended "$id"
is "$(journal)" '0 1 2 ' 'each of its tasks once'

freeze n3
submit task.sh
ok 'two nodes have set it up' wait_until 20 set_up 2
ok 'a controller that is killed' "$devcluster" kill "$cluster" armctld
ok 'and comes back' "$devcluster" restart "$cluster" armctld
ok 'finds it as it was' wait_until 20 state_is "$id" CONFIGURING
"$devcluster" kill "$cluster" n1 >/dev/null
ok 'armd is killed while its task waits, and comes back' "$devcluster" restart "$cluster" n1
ok 'it has registered' wait_until 20 eval '[ "$(anode --noheader --format state n1)" = up ]'
is "$(journal)" '' 'nobody has run'
is "$(cat ./*.txt)" '' 'nothing'
thaw n3
ok 'the third node does its part' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'and all is well'
is "$(journal)" '0 1 2 ' 'each task has run once'
is "$(grep -vc 'attempt 1$' journal)" 0 'in the first attempt'

# killed between ready and release, again and again, at any moment
lost=0
for i in 1 2 3 4 5; do
	submit --wrap 'echo "$ARMADA_TASK_RANK on $ARMADA_NODE_NAME, attempt $ARMADA_ATTEMPT" >>journal'
	read -rt "0.0$((RANDOM % 9))" <> <(:)
	"$devcluster" kill "$cluster" armctld >/dev/null
	"$devcluster" restart "$cluster" armctld >/dev/null
	wait_until 30 job_ended "$id" || diag "job $id does not end: $(aqueue "$id")"
	[ "$(journal)" = '0 1 2 ' ] || { lost=$((lost + 1)) && diag "$(cat journal)"; }
done
is $lost 0 'a controller that is killed on the way loses and doubles nothing'

# --- a node that fails its part -------------------------------------------------------------------
node=n2
touch "$work/bad.$node"
submit --time 5 task.sh
ok 'a prolog that fails on one node sends all of it back' \
	wait_until 20 eval '[[ $(actl show job $id) =~ "task "[0-2]" on node '$node': prolog: no disk for it" ]]'
is "$(journal)" '' 'and nobody has run'
rm "$work/bad.$node"
ok 'when it is well again the gang runs' wait_until 60 job_ended "$id"
is "$(journal)" '0 1 2 ' 'each of its tasks once'

submit -D "$work/nowhere" task.sh
ok 'a directory that is not there' wait_until 20 job_ended "$id"
is "$(state "$id")" FAILED 'is the own fault of the job'
is "$(journal)" '' 'of which nothing has run'

# --- a node that is gone while the others wait ----------------------------------------------------
freeze n3
submit task.sh
ok 'two nodes have set it up' wait_until 20 set_up 2
"$devcluster" kill "$cluster" n3 >/dev/null
ok 'the third is silent' wait_until 20 state_is "$id" UNKNOWN
is "$(journal)" '' 'nobody runs'
ok 'it can be cancelled' acancel "$id"
ok 'those who wait are ended' wait_until 20 state_is "$id" COMPLETING
ok 'the node comes back' "$devcluster" restart "$cluster" n3
ok 'and it is over' wait_until 20 job_ended "$id"
is "$(state "$id")" CANCELLED 'cancelled'
is "$(journal)" '' 'having run nothing'

# --- the jobs of a gang ---------------------------------------------------------------------------
rm -f journal ./*.txt
freeze n3
for i in 0 1 2; do
	run asubmit --parsable --gang-id g --gang-cardinality 3 -w "n$((i + 1))" -o "$i.txt" --wrap \
		'echo "$ARMADA_GANG_RANK of $ARMADA_GANG_JOB_IDS at $ARMADA_GANG_NODE_RANKS" >>journal'
	ids[i]=$out
done
ok 'two of three jobs are set up' wait_until 20 set_up 2
is "$(journal)" '' 'and wait for the third'
thaw n3
ok 'which is set up too' wait_until 20 job_ended "${ids[@]}"
is "$(sort journal)" "$(for i in 0 1 2; do echo "$i of ${ids[0]},${ids[1]},${ids[2]} at n1,n2,n3"; done)" \
	'they all run, and know each other'

# --- one program, and steps -----------------------------------------------------------------------
submit --launch=first --wrap 'arun sh -c "echo \$ARMADA_TASK_RANK step >>journal"; echo $ARMADA_LAUNCH >launch'
ok 'a program that runs in the first task only' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'ends the job with its own end'
is "$(cat launch)" first 'and is told so'
is "$(journal)" '0 1 2 ' 'what it starts runs in the tasks that stand by'
like "$(aqueue --detail "$id" 2>/dev/null; actl show job "$id")" '3 succeeded' 'whose end is no failure'
submit --launch=first --wrap 'exit 7'
ok 'one that fails' wait_until 20 job_ended "$id"
like "$(actl show job "$id")" 'exit 7:0' 'fails the job with its code'
submit --launch=first --wrap 'until [ -e go ]; do sleep 0.02; done'
wait_until 20 state_is "$id" RUNNING
for node in n1 n2 n3; do
	"$devcluster" kill "$cluster" "$node" >/dev/null
	"$devcluster" restart "$cluster" "$node" >/dev/null
done
touch go
ok 'tasks that stand by outlive armd' wait_until 20 job_ended "$id"
is "$(state "$id")" COMPLETED 'and end with the first'
run asubmit --launch=some --wrap true
is "$status" 2 'a word that is none of the two is refused'
like "$err" 'all or first' 'with those that are'
done_testing
