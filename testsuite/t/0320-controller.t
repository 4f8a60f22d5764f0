#!/bin/bash
# The controller under load, killed, reloaded, and without munge: nothing is lost, nothing doubled.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 8G

# an array and single jobs, the controller killed in the middle, several times
array=$(asubmit --parsable --array 1-60 --output=/dev/null \
	--wrap "sleep 0.1; echo a\$ARMADA_ARRAY_TASK_ID >>$work/ran")
acknowledged=()
for round in 1 2 3; do
	for i in 1 2 3 4 5; do
		id=$(asubmit --parsable --output=/dev/null --wrap "echo $round.$i >>$work/ran")
		acknowledged+=("$id")
	done
	"$devcluster" kill "$cluster" armctld >/dev/null
	"$devcluster" restart "$cluster" armctld >/dev/null
done
is "${#acknowledged[@]}" 15 'every submission between the kills was acknowledged'
is "$(printf '%s\n' "${acknowledged[@]}" | sort -u | wc -l)" 15 'with an id of its own'
ok 'all of it ends' wait_until 60 job_ended "$array" "${acknowledged[@]}"
is "$(sort ran | uniq -d)" '' 'nothing ran twice'
is "$(sort -u ran | wc -l)" 75 'and everything ran'
is "$(aqueue --noheader --format state "$array" "${acknowledged[@]}" | sort | uniq -c |
	tr -s ' ')" ' 75 COMPLETED' 'as the history says too'
like "$(actl ping)" 'epoch 4' 'every start was an epoch of its own'

# a submission while it is away is delivered once when it is back
"$devcluster" kill "$cluster" armctld >/dev/null
asubmit --parsable --output=/dev/null --wrap "echo late >>$work/ran" >late 2>late.err &
submitter=$!
ok 'asubmit says that it waits' wait_until 20 grep -q 'trying again' late.err
"$devcluster" restart "$cluster" armctld >/dev/null
wait "$submitter"
is $? 0 'and is answered'
ok 'its job runs' wait_until 20 job_ended "$(cat late)"
is "$(grep -c late ran)" 1 'once'

# the answer about a job that ended this moment
run asubmit --wait --parsable --output=/dev/null --wrap 'exit 7'
is "$status" 7 'asubmit --wait gives the exit code of the job'
run aqueue --noheader --format state,exit "$out"
like "$out" 'FAILED +7:0' 'and the history has it already'
run aqueue 987654
is "$status" 3 'a job that never was is not found'

# reconfigure
conf=$cluster/armada.conf
cp "$conf" good.conf
printf 'queues = ( { name = "made-by-hand"; priority_factor = 2.0; } );\n' >>"$conf"
ok 'reconfigure is taken' actl reconfigure
like "$(actl queue list)" 'made-by-hand' 'and makes the queue'
printf 'nonsense = 1;\n' >>"$conf"
run actl reconfigure
is "$status" 1 'a bad one is refused'
like "$err" 'nonsense' 'in words'
sed 's|^state_dir.*|state_dir = "/elsewhere";|' good.conf >"$conf"
run actl reconfigure
is "$status" 1 'so is one that needs a restart'
like "$err" 'state_dir' 'naming the key'
cp good.conf "$conf"
ok 'jobs run as before' asubmit --wait --output=/dev/null --wrap true

# the end, asked for
ok 'actl shutdown' actl shutdown
ok 'ends the controller' wait_until 20 grep -q 'armctld notice: stopped' "$cluster/log/armctld.log"
ok 'which starts again' "$devcluster" restart "$cluster" armctld
like "$(tac "$cluster/log/armctld.log" | grep -m 1 replayed)" 'replayed 0 records' \
	'from the snapshot it left'
ok 'and finds its nodes' wait_until 20 asubmit --wait --output=/dev/null --wrap true
done_testing
