#!/bin/bash
# aalloc: a job that holds resources for a command on this machine, whose steps arun starts in it.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 4G
unset ARMADA_JOB_ID

# state_of ID: the state of a job, also after its end
state_of()
{
	aqueue --noheader --format state --since 1h "$1"
}

cat >steps.sh <<'END'
echo "job $ARMADA_JOB_ID with $ARMADA_TASK_COUNT tasks on $ARMADA_NODE_LIST, rank ${ARMADA_TASK_RANK-none}"
arun -l sh -c 'echo $ARMADA_NODE_NAME' | sort
arun -n 1 sh -c 'exit 4'
echo "step: $?"
exit 6
END
run aalloc -N 2 -n 4 --memory 200M --name held sh steps.sh
is "$status" 6 'aalloc returns the exit code of the command'
id=$(sed -n 's/^job \([0-9]*\) .*/\1/p' <<<"$out")
is "$out" "job $id with 4 tasks on n[1-2], rank none
0: n1
1: n1
2: n2
3: n2
step: 4" 'the command has the variables of the job, and arun starts steps in its tasks'
like "$err" "^aalloc: job $id has n\\[1-2\\]" 'aalloc says which job it is, and where'
is "$(state_of "$id")" COMPLETED 'the job has completed when aalloc has ended'
is "$(aqueue --noheader --format name --since 1h "$id")" held 'the job has the name that was given'

run env SHELL=/bin/pwd aalloc --quiet --memory 200M
is "$status:$out" "0:$PWD" 'without a command the shell of the user runs'
run aalloc --quiet --memory 200M no-such-program
is "$status" 127 'a command that does not exist'
like "$err" 'no-such-program: No such file or directory' 'is named'
run aalloc --launch=all true
is "$status" 2 'options of other commands are refused'
like "$err" '--launch: aalloc runs its command on this machine' 'with the reason'
run aalloc --cpus 99 true
is "$status" 1 'a request that fits on no node is refused'
like "$err" 'cpu: 99 is more than any node has' 'in words'

# the end of the job before the command
cat >outlives.sh <<'END'
trap 'echo told; exit 3' USR1
echo "$ARMADA_JOB_ID" >lives
until [ -e stop ]; do sleep 0.1; done
echo "went on"
END
aalloc --memory 200M --kill-command=USR1 sh outlives.sh >told.txt 2>err.txt &
pid=$!
ok 'the command runs' wait_until 20 test -s lives
acancel "$(cat lives)" >/dev/null
wait $pid
is "$?:$(cat told.txt)" 3:told '--kill-command: the command gets a signal when the job is cancelled'
like "$(cat err.txt)" "job $(cat lives): cancelled by .*" 'the reason is printed'
rm lives
aalloc --memory 200M sh outlives.sh >told.txt 2>err.txt &
pid=$!
ok 'the next command runs' wait_until 20 test -s lives
acancel "$(cat lives)" >/dev/null
ok 'the end of the job is reported' wait_until 20 grep -q "job $(cat lives) has ended, and its resources with it; the command goes on" err.txt
touch stop
wait $pid
is "$?:$(cat told.txt)" '0:went on' 'without the option the command goes on'

# the end of aalloc
rm lives stop
aalloc --quiet --memory 200M sh outlives.sh >told.txt 2>err.txt &
pid=$!
ok 'a third command runs' wait_until 20 test -s lives
kill -KILL $pid
ok 'the job ends when aalloc is killed' wait_until 20 job_ended "$(cat lives)"
touch stop
aalloc --memory 200M --begin now+1hour --name waits true 2>err.txt &
pid=$!
waiting()
{
	job=$(aqueue --noheader --format id --name waits --state pending) && [ "$job" ]
}
wait_until 20 waiting
kill -TERM $pid
wait $pid
ok 'a signal cancels a job that waits' wait_until 20 job_ended "$job"
is "$(state_of "$job")" CANCELLED 'it is cancelled'
done_testing
