#!/bin/bash
# The controller under load, killed, reloaded, and without munge: no job is lost, none runs twice.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 8G

# an array and single jobs; the controller is killed several times meanwhile
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
is "$(printf '%s\n' "${acknowledged[@]}" | sort -u | wc -l)" 15 'each job has its own id'
ok 'all jobs end' wait_until 60 job_ended "$array" "${acknowledged[@]}"
is "$(sort ran | uniq -d)" '' 'no job ran twice'
is "$(sort -u ran | wc -l)" 75 'every job ran'
is "$(aqueue --noheader --format state "$array" "${acknowledged[@]}" | sort | uniq -c |
	tr -s ' ')" ' 75 COMPLETED' 'the history lists every job as completed'
like "$(actl ping)" 'epoch 4' 'each start of the controller has its own epoch'

# a submission while the controller is down is delivered once when it is back
"$devcluster" kill "$cluster" armctld >/dev/null
asubmit --parsable --output=/dev/null --wrap "echo late >>$work/ran" >late 2>late.err &
submitter=$!
ok 'asubmit says that it tries again' wait_until 20 grep -q 'trying again' late.err
"$devcluster" restart "$cluster" armctld >/dev/null
wait "$submitter"
is $? 0 'the submission succeeds'
ok 'its job runs' wait_until 20 job_ended "$(cat late)"
is "$(grep -c late ran)" 1 'the job ran once'

# a submission with a named key is made once
run asubmit --submit-key nightly --parsable --output=/dev/null --wrap "echo once >>$work/ran"
first=$out
ok 'the job of a named key runs' wait_until 20 job_ended "$first"
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
run env NEW=1 asubmit --submit-key nightly --parsable --output=/dev/null --wrap "echo once >>$work/ran"
is "$status:$out" "0:$first" 'the same submission again has the id of the first, also after a restart'
like "$err" "the key 'nightly' was used before: job $first" 'a remark on standard error says so'
run asubmit --submit-key nightly --parsable --output=/dev/null --wrap 'echo other'
is "$status:$out" '1:' 'another program under the same key is refused'
like "$err" "the submission key 'nightly' was used for job $first" 'the refusal names the job'
run asubmit --submit-key '' --wrap true
is "$status" 2 'an empty key is refused'
is "$(grep -c once ran)" 1 'the job ran once'

# a query about a job that ended a moment ago
run asubmit --wait --parsable --output=/dev/null --wrap 'exit 7'
is "$status" 7 'asubmit --wait gives the exit code of the job'
run aqueue --noheader --format state,exit "$out"
like "$out" 'FAILED +7:0' 'the history already has the job'
run aqueue 987654
is "$status" 3 'an unknown job id gives exit code 3'

# reconfigure
conf=$cluster/armada.conf
cp "$conf" good.conf
printf 'queues = ( { name = "made-by-hand"; priority_factor = 2.0; } );\n' >>"$conf"
ok 'actl reconfigure succeeds' actl reconfigure
like "$(actl queue list)" 'made-by-hand' 'the new queue exists'
printf 'nonsense = 1;\n' >>"$conf"
run actl reconfigure
is "$status" 1 'an invalid configuration is refused'
like "$err" 'nonsense' 'the error names the unknown key'
sed 's|^state_dir.*|state_dir = "/elsewhere";|' good.conf >"$conf"
run actl reconfigure
is "$status" 1 'a change that needs a restart is refused'
like "$err" 'state_dir' 'the error names the key that needs a restart'
cp good.conf "$conf"
ok 'jobs run as before' asubmit --wait --output=/dev/null --wrap true

# an orderly shutdown
ok 'actl shutdown succeeds' actl shutdown
ok 'the controller stops' wait_until 20 grep -q 'armctld notice: stopped' "$cluster/log/armctld.log"
ok 'the controller starts again' "$devcluster" restart "$cluster" armctld
like "$(tac "$cluster/log/armctld.log" | grep -m 1 replayed)" 'replayed 0 records' \
	'the controller starts from the snapshot it wrote'
ok 'the nodes register and a job runs' wait_until 20 asubmit --wait --output=/dev/null --wrap true
done_testing
