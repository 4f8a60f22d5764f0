#!/bin/bash
# actl preempt and actl update --priority with real daemons: preempted tasks get SIGTERM; their jobs are
# pending again, are held, or end as PREEMPTED; nodes are emptied; with the controller killed meanwhile.
#
# A task logs in the journal when it starts and when it gets SIGTERM; with a file `stubborn` it exits
# only once the file `mercy` exists.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >task <<'X'
#!/bin/bash
work=${0%/*}
key=$ARMADA_JOB_ID.$ARMADA_ATTEMPT
trap 'echo "told $key" >>"$work/journal"; told=1' TERM
echo "start $key $ARMADA_NODE_NAME" >>"$work/journal"
until [ -n "$told" ] && { [ ! -e "$work/stubborn" ] || [ -e "$work/mercy" ]; }; do
	read -rt 0.1 <&9 || :
done 9<> <(:)
exit 143
X
chmod 755 task
: >journal
chmod 666 journal

cat >conf <<'X'
scheduler = { cycle_period = "100ms"; };
priority_classes = (
	{ name = "armada-default"; priority = 1000; },
	{ name = "cheap"; priority = 1000; fair_share_preemptible = true; }
);
X
test_under_armada 2 --cpus 4 --memory 8G --conf conf

# submit [option...]: the job id goes to $id
submit()
{
	id=$(asubmit --parsable --output=/dev/null --memory 100M --grace-period 30s --name task "$@" \
		-- "$work/task")
}
# column ID NAME
column()
{
	aqueue --noheader --format "$2" "$1"
}
runs()
{
	[ "$(column "$1" state)" = RUNNING ]
}
tries()
{
	[ "$(column "$1" state) $(column "$1" attempt)" = "RUNNING $2" ]
}
said()
{
	grep -qE "$1" journal
}
state_is()
{
	[ "$(aqueue --noheader --state all --format state "$1" | sort -u)" = "$2" ]
}

# --- by id: the job is ended, and restarted, as no other job wants the room

submit
ok 'a job runs' wait_until 20 said "start $id\.1"
run actl preempt "$id" --dry-run
is "$status" 0 'a dry run succeeds'
like "$out" "^$id RUNNING $(id -un) task on n[12]$" 'the dry run lists the job'
like "$err" '1 would be preempted' 'the dry run counts the jobs'
is "$(column "$id" state)" RUNNING 'the dry run preempts nothing'
run actl preempt "$id" --reason 'to see'
is "$status $out" '0 Preempted 1' 'the job is preempted'
ok 'its task gets SIGTERM' wait_until 10 said "told $id\.1"
ok 'the job runs again' wait_until 20 tries "$id" 2
like "$(aexplain "$id")" "Before: attempt 1: preempted by $(id -un): to see\." 'aexplain names the preemption'
like "$(actl show job "$id")" "before: attempt 1: preempted by $(id -un): to see" 'actl show job names the preemption'
is "$(column "$id" last_end)" "attempt 1: preempted by $(id -un): to see" 'the column last_end names the preemption'
run actl preempt "$id" job-set=none
is "$status" 3 'a filter that excludes the job gives exit code 3'
run actl preempt 4711
is "$status" 3 'an unknown job gives exit code 3'
run actl preempt
is "$status" 2 'actl preempt without a job or filter is refused'
acancel "$id" >/dev/null
ok 'the job ends' wait_until 20 job_ended "$id"

# --- with --no-requeue, held, one element of an array, a gang

submit --no-requeue
ok 'a job without requeue runs' wait_until 20 said "start $id\.1"
run actl preempt --queue "$(id -un)" --class armada-default --reason 'disk of n1'
is "$out" 'Preempted 1' 'jobs are preempted by queue and class'
ok 'it ends as PREEMPTED' wait_until 20 state_is "$id" PREEMPTED
is "$(aqueue --noheader --state all --format reason "$id")" "preempted by $(id -un): disk of n1" \
	'the history has the reason'
submit --priority-class cheap --name weak
ok 'another job runs' wait_until 20 said "start $id\.1"
run actl preempt --class armada-default
is "$status" 3 'a class without running jobs gives exit code 3'
run actl preempt --class cheap --name weak --hold
is "$out" 'Preempted 1, and held their jobs' 'the job is preempted and held'
ok 'the job is pending' wait_until 20 state_is "$id" PENDING
like "$(column "$id" reason)" "^held, until actl release; attempt 1: preempted by $(id -un)$" 'the reason says that it is held'
actl release "$id" >/dev/null
ok 'the job runs again when it is released' wait_until 20 tries "$id" 2
acancel "$id" >/dev/null

submit --array 0-2
ok 'an array runs' wait_until 20 said "start $id\.1"
ok 'all its elements run' wait_until 20 state_is "$id" RUNNING
run actl preempt "${id}_1"
is "$out" 'Preempted 1' 'one element is preempted'
ok 'that element runs again' wait_until 20 tries "${id}_1" 2
is "$(column "${id}_0" attempt)$(column "${id}_2" attempt)" 11 'the other elements continue'
acancel "$id" >/dev/null

submit --gang-id g --gang-cardinality 2
first=$id
submit --gang-id g --gang-cardinality 2
ok 'a gang of jobs runs' wait_until 20 runs "$id"
run actl preempt "$id"
is "$out" 'Preempted 2' 'both jobs of the gang are preempted'
ok 'the first job runs again' wait_until 20 tries "$first" 2
ok 'the second job runs again' wait_until 20 tries "$id" 2
acancel "$first" "$id" >/dev/null
ok 'both jobs end' wait_until 20 job_ended "$first" "$id"

# --- nodes: a preempted job avoids its node; a drained node becomes empty

submit --nodelist n1
stays=$id
submit
ok 'two jobs run' wait_until 20 runs "$id"
wait_until 20 runs "$stays"
node=$(column "$id" nodelist)
actl preempt "$stays" --hold >/dev/null
run actl preempt --node "$node" --user "$(id -un)" --reason 'new disk'
ok 'the preempted job runs again' wait_until 20 tries "$id" 2
unlike "$(column "$id" nodelist)" "^$node$" 'it runs on another node'
acancel "$stays" >/dev/null
node=$(column "$id" nodelist)
anode drain "$node" 'new disk' >/dev/null
run actl preempt --node "$node" --reason 'new disk'
is "$out" 'Preempted 1' 'the job on a drained node is preempted'
node_empty()
{
	[ "$(anode --noheader --format state "$node")" = drained ]
}
ok 'the node is drained and empty' wait_until 20 node_empty
like "$(aexplain "$id")" 'it was preempted there' 'aexplain says why the node is avoided'
anode resume "$node" >/dev/null
acancel "$id" >/dev/null
ok 'the job ends' wait_until 20 job_ended "$id"

# --- the room goes to the waiting job when the preempted one has ended, not before

touch stubborn
submit -N 2 --exclusive
big=$id
ok 'a large job runs' wait_until 20 runs "$big"
submit --priority=-5
small=$id
run actl preempt "$big" --reason 'others wait'
ok 'its task gets SIGTERM' wait_until 10 said "told $big\.1"
run actl preempt "$big"
is "$status" 1 'a second preemption is refused'
like "$err" "job $big is being ended already: preempted by $(id -un): others wait" 'the error says that the job is being ended'
like "$(column "$big" state) $(column "$big" reason)" 'COMPLETING preempted by' 'the listing shows the preemption'
ok 'the waiting job gets a pending lease' wait_until 20 state_is "$small" CONFIGURING
unlike "$(cat journal)" "start $small" 'the waiting job does not run yet'

# --- the controller is killed before the preempted job has ended

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the restarted controller answers' wait_until 20 actl ping
like "$(column "$big" state) $(column "$big" reason)" 'COMPLETING preempted by' 'it knows why the job is being ended'
rm stubborn
ok 'the waiting job runs' wait_until 20 runs "$small"
ok 'the preempted job is pending again' wait_until 20 state_is "$big" PENDING
like "$(column "$big" reason)" 'attempt 1: preempted by .*: others wait' 'its reason names the preemption'
is "$(grep -c "start $big\.1" journal)" 2 'its tasks have started once'

# --- the priority of a running job, and of many jobs at once

run actl update "job" "$small" --priority 7
is "$status $out" '0 Updated 1 job' 'the priority of a running job is updated'
is "$(column "$small" priority)" 7 'the job has the new priority'
acancel "$small" "$big" >/dev/null
actl queue create long >/dev/null
for i in 1 2 3; do
	asubmit --queue long --job-set night --hold --mem 100M --wrap true >/dev/null
done
asubmit --queue long --job-set day --hold --mem 100M --wrap true >/dev/null
run actl update job queue=long jobset=night --priority=5
is "$out" 'Updated 3 jobs' 'jobs are selected by queue and job set'
is "$(aqueue --noheader --format priority --queue long | sort | tr -d ' ' | paste -sd,)" 0,5,5,5 \
	'only the selected jobs have the new priority'
run actl update queue=long priority=5
is "$status" 2 'a priority without -- is refused'
like "$err" 'is an option: --priority=5' 'the error suggests the option'

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$cluster"
	submit
	wait_until 20 runs "$id"
	run setpriv --reuid=65534 --regid=65534 --clear-groups env "PATH=$PATH" "ARMADA_CONF=$ARMADA_CONF" \
		actl preempt "$id"
	is "$status" 4 'another user cannot preempt the job'
	like "$err" 'belongs to root' 'the error names the owner'
	is "$(column "$id" state)" RUNNING 'the job still runs'
	acancel "$id" >/dev/null
else
	skip 'this test needs root'
fi
done_testing
