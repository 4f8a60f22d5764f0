#!/bin/bash
# Running jobs that are restarted with another template, with real daemons: resources, tasks and program; a
# controller that is killed in the middle; arrays; and what stays refused.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
test_under_armada 2 --cpus 4 --memory 2G

column()
{
	aqueue --noheader --state all --format "$2" "$1" | sed 's/ *$//'
}
state_is()
{
	[ "$(column "$1" state)" = "$2" ]
}
attempt_is()
{
	[ "$(column "$1" attempt)" = "$2" ] && state_is "$1" RUNNING
}
submit()
{
	run asubmit --parsable --memory 50M --output=/dev/null "$@"
	id=$out
	wait_until 20 state_is "$id" RUNNING
}
# writes FILE: a task has written a line there
writes()
{
	wait_until 20 test -s "$1"
}

# --- a job that ends gracefully and runs again
cat >work.sh <<'EOF'
#!/bin/sh
trap 'echo "$1 of attempt $ARMADA_ATTEMPT got TERM" >>terms; exit 1' TERM
echo "$1 attempt $ARMADA_ATTEMPT with $ARMADA_TASK_COUNT tasks" >>begins
while :; do sleep 0.05; done
EOF
submit --name work --comment kept --requeue=1 work.sh old
writes begins
run actl update "$id" --cpus 2
is "$status" 1 'the resources of a running job are refused'
like "$err" 'the job has started; --restart would restart it whole' 'the error says what would change them'
run actl update "$id" --restart
is "$status" 2 'a restart without a change is a usage error'
run actl update "$id" --restart --cpus 2
is "$out" 'Updated 1 job' 'with --restart it is accepted'
ok 'the job runs under a new attempt' wait_until 20 attempt_is "$id" 2
like "$(cat terms)" 'old of attempt 1 got TERM' 'the first attempt got SIGTERM'
like "$(actl show job "$id")" 'each with .*cpu=2' 'the job has the new cpus'
ok 'another change' actl update "$id" --restart --script work.sh -- new
ok 'is another attempt' wait_until 20 attempt_is "$id" 3
ok 'that runs the new program' wait_until 20 grep -q 'new attempt 3' begins
ok 'more tasks' actl update "$id" --restart --ntasks 3
ok 'are a restart, too' wait_until 20 attempt_is "$id" 4
ok 'they all know of each other' wait_until 20 grep -q 'new attempt 4 with 3 tasks' begins
is "$(column "$id" name)" work 'other values stay'
like "$(aqueue --attempts "$id")" 'restarted with changes by' 'the attempts have the reason'
acancel "$id" >/dev/null
ok 'it is cancelled as any job' wait_until 20 state_is "$id" CANCELLED
events=$(awatch --exit-when-done --from 0 --noheader --format event "$id" | tr -s ' \n' ' ')
like "$events" 'updated ending usage requeued leased pending running' 'the job events tell the change before the end'
like "$events" 'scaled ending' 'and another number of tasks'

# --- a stubborn job, and a controller that dies in the middle
cat >slow.sh <<'EOF'
#!/bin/sh
trap 'echo term >slow.term; until [ -e slow.go ]; do sleep 0.05; done; exit 0' TERM
echo begin >>slow.begins
while :; do sleep 0.05; done
EOF
submit --grace-period 60s slow.sh
ok 'it runs' writes slow.begins
ok 'its restart is accepted' actl update "$id" --restart --cpus 2
ok 'it is being ended' writes slow.term
like "$(aqueue -l "$id")" 'restarted with changes by' 'the listing has the reason'
run actl update "$id" --restart --cpus 3
is "$status" 1 'a second change is refused meanwhile'
like "$err" 'being restarted with an earlier change' 'the error says why'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
rm slow.term
echo go >slow.go
ok 'a new controller completes the restart' wait_until 30 attempt_is "$id" 2
like "$(actl show job "$id")" 'each with .*cpu=2' 'with the change'
acancel "$id" >/dev/null

# --- the reason, of a job that finds no room afterwards
submit --cpus 4 -w n1 -- sleep 600
blocker=$id
submit --cpus 1 -w n2 -- sleep 601
ok 'it must go to the other node' actl update "$id" --restart --nodelist n1
ok 'it waits' wait_until 20 state_is "$id" PENDING
ok 'with a reason' test -n "$(column "$id" reason)"
acancel "$blocker" >/dev/null
ok 'and starts when there is room' wait_until 20 attempt_is "$id" 2
is "$(column "$id" nodelist)" n1 'there'
acancel "$id" >/dev/null

# --- refused
submit --no-requeue -- sleep 602
run actl update "$id" --restart --cpus 2
like "$err" 'submitted with --no-requeue; add --requeue' 'a job that is never requeued'
run actl update "$id" --restart --cpus 2 --comment x
like "$err" 'comment: it changes at once' 'a change that needs no restart is one of its own'
run actl update "$id" --restart --cpus 2 --queue root
like "$err" 'queue: elements of the job run' 'a queue stays'
ok 'with --requeue it is restarted' actl update "$id" --restart --requeue --cpus 2
ok 'and runs again' wait_until 20 attempt_is "$id" 2
acancel "$id" >/dev/null

# --- an array
run asubmit --parsable --memory 50M --output=/dev/null --array 0-5%2 -- sleep 603
id=$out
running()
{
	[ "$(aqueue --noheader --state running --format cpus "$id" | tr -d ' ' | sort | uniq -c | tr -s ' ')" = "$1" ]
}
ok 'two elements run' wait_until 20 running ' 2 1'
ok 'the array is restarted' actl update "$id" --restart --cpus 2
ok 'two elements run with the new cpus' wait_until 20 running ' 2 2'
acancel "$id" >/dev/null
done_testing
