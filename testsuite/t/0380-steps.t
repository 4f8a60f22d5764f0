#!/bin/bash
# Steps that one can see: their ids, aqueue --steps and actl show step, also after a restart of the controller and of a
# node.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 4G
unset ARMADA_JOB_ID

# shown STEP COLUMNS
shown()
{
	aqueue --steps --noheader --format "$2" "$1" 2>/dev/null | tr -s ' ' | sed 's/^ //; s/ $//'
}
is_shown() # STEP COLUMNS TEXT
{
	[ "$(shown "$1" "$2")" = "$3" ]
}

# The job waits for a line in a FIFO, so it uses no processor time.
mkfifo go hold hold2
cat >job.sh <<'END'
#!/bin/bash
arun -v -n 2 sh -c 'echo "step $ARMADA_STEP_ID rank $ARMADA_STEP_RANK"; exit $((ARMADA_STEP_RANK * 3))'
arun -n 1 sh -c 'read line <hold
exit 5'
echo "code $?"
read line <go
END
id=$(asubmit --parsable --grace-period 1s -N 2 -n 2 --memory 200M --time 10m --name seen -o out.txt job.sh)
[ -n "$id" ] || bail 'the job is refused'
ok 'the first step ends' wait_until 60 is_shown "$id.0" state FAILED
is "$(shown "$id.0" tasks,tasks_ended,nodes,nodelist,exit,name)" '2 2 2 n[1-2] 3:0 seen' \
	'it has its tasks, its nodes and the highest exit code'
like "$(shown "$id.0" command)" '^sh -c echo "step \$ARMADA_STEP_ID' 'and its command'
ok 'the second one runs' wait_until 60 is_shown "$id.1" state RUNNING
is "$(shown "$id.1" command)" 'sh -c read line <hold exit 5' 'a command of two lines is shown as one line'
like "$(cat out.txt)" "arun: step $id\\.0" 'arun -v prints the id of a step'
is "$(grep '^step' out.txt | sort)" $'step 0 rank 0\nstep 0 rank 1' 'its tasks know its number'
is "$(aqueue --steps --noheader --format id,state --job "$id" | tr -s ' ' | sed 's/^ //; s/ $//')" \
	"$id.0 FAILED"$'\n'"$id.1 RUNNING" 'aqueue --steps lists both'
run aqueue --steps --json "$id.1"
like "$out" "\"id\": ?\"$id\.1\".*\"state\": ?\"RUNNING\".*\"exit_code\": ?null.*\"end_time\": ?0" 'also in JSON'
run actl show step "$id.0"
is "$status" 0 'actl show step shows one'
like "$out" "id +$id\\.0" 'with its id'
like "$out" 'exit +3:0' 'and its exit code'
like "$out" 'cpu_time' 'and what it used'
run actl show step "$id.7"
is "$status" 3 'an unknown step gives exit code 3'
like "$err" "there is no step $id\\.7" 'and is named'
# signals to one of two steps
arun --job "$id" sh -c 'trap "echo got; exit 3" USR1; echo up; read line <hold2 & wait' >signalled.txt 2>/dev/null &
one=$!
ok 'a third step runs' wait_until 60 grep -q up signalled.txt
ok 'it is listed' wait_until 60 is_shown "$id.2" state RUNNING
run acancel --signal USR1 "$id.2"
is "$status:$out" "0:acancel: sent USR1 to 1 task of step $id.2" 'acancel --signal signals a step'
wait $one
is "$?:$(tail -n 1 signalled.txt)" 3:got 'which handles the signal'
is "$(shown "$id.1" state)" RUNNING 'the other step does not get it'
arun --job "$id" sh -c 'trap "" TERM; echo up; read line <hold2' >ended.txt 2>ended.err &
one=$!
ok 'a fourth step runs' wait_until 60 grep -q up ended.txt
ok 'it is listed' wait_until 60 is_shown "$id.3" state RUNNING
run acancel "$id.3"
is "$status:$out" "0:acancel: ending 1 task of step $id.3" 'acancel ends a step'
wait $one
is "$?" 137 'which is killed after its grace period if it ignores SIGTERM'
ok 'its state says so' wait_until 60 is_shown "$id.3" state,exit 'FAILED 0:9'
is "$(shown "$id.1" state)" RUNNING 'the other step continues'
run acancel "$id.3"
is "$status" 1 'a step that has ended is refused'
like "$err" "step 3 of job $id has ended" 'in words'
run acancel --reason no "$id.1"
is "$status" 2 '--reason is not for steps'
run aqueue --steps 12.x
is "$status" 2 'a malformed id is refused'
like "$err" "'12.x' is not the id of a step; write 12.0 or 12_3.0" 'in words'
run aqueue --steps --watch
is "$status" 2 '--steps excludes other kinds of listings'

# another controller, and another armd on one of the nodes; meanwhile a step ends
node=$(shown "$id.1" nodelist)
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" kill "$cluster" "$node" >/dev/null
echo end >hold
ok 'a step ends without its armd and without a controller' wait_until 60 grep -q 'code 5' out.txt
"$devcluster" restart "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" "$node" >/dev/null
ok 'armd tells of the end when it is back' wait_until 60 is_shown "$id.1" state,exit 'FAILED 5:0'
ok 'and both nodes tell of a step that ended before' wait_until 60 is_shown "$id.0" tasks,exit '2 3:0'
run arun --job "$id" -v true
like "$err" "arun: step $id\\.16" 'no number is given twice'
ok 'and it ends' wait_until 60 is_shown "$id.16" state COMPLETED
like "$(actl show limits --noheader --format limit,of,used)" 'ended steps +all +5' 'actl show limits has what is kept'
echo end >go
ok 'the job ends' wait_until 60 job_ended "$id"
is "$(aqueue --steps --noheader)" '' 'its steps are forgotten'
done_testing
