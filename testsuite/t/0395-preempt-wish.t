#!/bin/bash
# actl preempt and actl update --priority against real daemons: tasks are told to end, wait again at their
# place, are held, end as PREEMPTED; nodes are emptied; with the controller killed meanwhile.
#
# A task says in the journal when it starts and when it is told to end; with a file `stubborn` it ends
# only once the file `mercy` is there.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >task <<'X'
#!/bin/bash
work=${0%/*}
key=$ARMADA_JOB_ID.$ARMADA_ATTEMPT
trap 'echo "told $key" >>"$work/journal"; told=1' TERM
echo "start $key $ARMADA_NODE_NAME" >>"$work/journal"
until [ -n "$told" ] && { [ ! -e "$work/stubborn" ] || [ -e "$work/mercy" ]; }; do
	read -rt 0.02 <> <(:)
done
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

# submit [option...]: the id in $id
submit()
{
	id=$(asubmit --parsable --output=/dev/null --mem 100M --grace-period 30s --name task "$@" \
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
runs_on()
{
	[ "$(column "$1" state) $(column "$1" nodes)" = "RUNNING $2" ]
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

# --- by id: told to end, and begun anew, for nobody wants the room

submit
ok 'a job runs' wait_until 20 said "start $id\.1"
run actl preempt "$id" --dry-run
is "$status" 0 'a dry run'
like "$out" "^$id RUNNING $(id -un) task on n[12]$" 'names what is meant'
like "$err" '1 would be preempted' 'and counts'
is "$(column "$id" state)" RUNNING 'and does nothing'
run actl preempt "$id" --reason 'to see'
is "$status $out" '0 Preempted 1' 'it is preempted'
ok 'its task is told' wait_until 10 said "told $id\.1"
ok 'it runs again' wait_until 20 tries "$id" 2
like "$(aexplain "$id")" "Before: attempt 1: preempted by $(id -un): to see\." 'aexplain says what was'
like "$(actl show job "$id")" "before: attempt 1: preempted by $(id -un): to see" 'so does actl show job'
is "$(column "$id" last_end)" "attempt 1: preempted by $(id -un): to see" 'and a column of aqueue'
run actl preempt "$id" job-set=none
is "$status" 3 'all that is said must hold'
run actl preempt 4711
is "$status" 3 'who is not there'
run actl preempt
is "$status" 2 'nobody is not everybody'
acancel "$id" >/dev/null
ok 'gone' wait_until 20 job_ended "$id"

# --- with --no-requeue, held, in parts of an array, as a gang

submit --no-requeue
ok 'a job without requeue runs' wait_until 20 said "start $id\.1"
run actl preempt --queue "$(id -un)" --class armada-default --reason 'disk of n1'
is "$out" 'Preempted 1' 'by queue and class'
ok 'it ends as PREEMPTED' wait_until 20 state_is "$id" PREEMPTED
is "$(aqueue --noheader --state all --format reason "$id")" "preempted by $(id -un): disk of n1" \
	'with the reason in its history'
submit --priority-class cheap --name weak
ok 'another runs' wait_until 20 said "start $id\.1"
run actl preempt --class armada-default
is "$status" 3 'nothing of that class runs'
run actl preempt --class cheap --name weak --hold
is "$out" 'Preempted 1, and held their jobs' 'held'
ok 'it waits' wait_until 20 state_is "$id" PENDING
like "$(column "$id" reason)" "^held, until actl release; attempt 1: preempted by $(id -un)$" 'and says so'
actl release "$id" >/dev/null
ok 'and runs again' wait_until 20 tries "$id" 2
acancel "$id" >/dev/null

submit --array 0-2
ok 'an array runs' wait_until 20 said "start $id\.1"
ok 'all of it' wait_until 20 state_is "$id" RUNNING
run actl preempt "${id}_1"
is "$out" 'Preempted 1' 'one element goes'
ok 'and runs again' wait_until 20 tries "${id}_1" 2
is "$(column "${id}_0" attempt)$(column "${id}_2" attempt)" 11 'the others ran on'
acancel "$id" >/dev/null

submit --gang-id g --gang-cardinality 2
first=$id
submit --gang-id g --gang-cardinality 2
ok 'a gang of jobs runs' wait_until 20 runs "$id"
run actl preempt "$id"
is "$out" 'Preempted 2' 'and goes whole'
ok 'the other too' wait_until 20 tries "$first" 2
ok 'and comes back whole' wait_until 20 tries "$id" 2
acancel "$first" "$id" >/dev/null
ok 'gone' wait_until 20 job_ended "$first" "$id"

# --- nodes: without a drain it avoids the node it was taken from, with one the node gets empty

submit --nodelist n1
stays=$id
submit
ok 'two run' wait_until 20 runs "$id"
wait_until 20 runs "$stays"
node=$(column "$id" nodes)
actl preempt "$stays" --hold >/dev/null
run actl preempt --node "$node" --user "$(id -un)" --reason 'new disk'
ok 'it runs elsewhere' wait_until 20 tries "$id" 2
unlike "$(column "$id" nodes)" "^$node$" 'not where it was taken from'
acancel "$stays" >/dev/null
node=$(column "$id" nodes)
anode drain "$node" 'new disk' >/dev/null
run actl preempt --node "$node" --reason 'new disk'
is "$out" 'Preempted 1' 'what runs on a drained node'
node_empty()
{
	[ "$(anode --noheader --format state "$node")" = drained ]
}
ok 'leaves it empty' wait_until 20 node_empty
like "$(aexplain "$id")" 'taken from there' 'what it avoids has a reason'
anode resume "$node" >/dev/null
acancel "$id" >/dev/null
ok 'gone' wait_until 20 job_ended "$id"

# --- its room goes to who waits, when it has ended and not before

touch stubborn
submit -N 2 --exclusive
big=$id
ok 'a large job runs' wait_until 20 runs "$big"
submit --priority=-5
small=$id
run actl preempt "$big" --reason 'others wait'
ok 'it is told' wait_until 10 said "told $big\.1"
run actl preempt "$big"
is "$status" 1 'a second time is refused'
like "$err" "job $big is being ended already: preempted by $(id -un): others wait" 'in words'
like "$(column "$big" state) $(column "$big" reason)" 'COMPLETING preempted by' 'its owner sees it'
ok 'who waited is promised its room' wait_until 20 state_is "$small" CONFIGURING
unlike "$(cat journal)" "start $small" 'and does not run yet'

# --- the controller is killed before it has ended

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'a new controller answers' wait_until 20 actl ping
like "$(column "$big" state) $(column "$big" reason)" 'COMPLETING preempted by' 'it knows why it is being ended'
rm stubborn
ok 'who waited runs' wait_until 20 runs "$small"
ok 'it waits again' wait_until 20 state_is "$big" PENDING
like "$(column "$big" reason)" 'attempt 1: preempted by .*: others wait' 'and says how it came to that'
is "$(grep -c "start $big\.1" journal)" 2 'and its tasks have begun once'

# --- the order of what runs, and of many at once

run actl update "job" "$small" --priority 7
is "$status $out" '0 Updated 1 job' 'the priority of what runs'
is "$(column "$small" priority)" 7 'is another'
acancel "$small" "$big" >/dev/null
actl queue create long >/dev/null
for i in 1 2 3; do
	asubmit --queue long --job-set night --hold --mem 100M --wrap true >/dev/null
done
asubmit --queue long --job-set day --hold --mem 100M --wrap true >/dev/null
run actl update job queue=long jobset=night --priority=5
is "$out" 'Updated 3 jobs' 'what a queue and a job set have in common'
is "$(aqueue --noheader --format priority --queue long | sort | tr -d ' ' | paste -sd,)" 0,5,5,5 \
	'only that'
run actl update queue=long priority=5
is "$status" 2 'a word is no option'
like "$err" 'is an option: --priority=5' 'and it says so'

if [ "$(id -u)" -eq 0 ]; then
	chmod 755 "$cluster"
	submit
	wait_until 20 runs "$id"
	run setpriv --reuid=65534 --regid=65534 --clear-groups env "PATH=$PATH" "ARMADA_CONF=$ARMADA_CONF" \
		actl preempt "$id"
	is "$status" 4 'another user may not'
	like "$err" 'belongs to root' 'in words'
	is "$(column "$id" state)" RUNNING 'and nothing happens'
	acancel "$id" >/dev/null
else
	skip 'needs root'
fi
done_testing
