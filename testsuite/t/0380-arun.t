#!/bin/bash
# arun: a command as a job that one stays with, and in the tasks of a job that runs.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs pgrep

test_under_armada 4 --cpus 4 --memory 8G
unset ARMADA_JOB_ID
job=

state()
{
	aqueue --noheader --format state "$@" | tr -d ' '
}
# the job of this name, as soon as there is one
job_named()
{
	aqueue --noheader --format id --name "$1" 2>/dev/null | tr -d ' '
}
await_job() # NAME STATE: into $job
{
	wait_until 20 eval 'job=$(job_named '"$1"') && [ -n "$job" ] && [ "$(state $job)" = '"$2"' ]'
}

# a job of its own
run arun --mem 100M echo hello
is "$status:$out:$err" '0:hello:' 'a command runs as a job, and says nothing else'
like "$(aqueue --state completed --noheader --format name,output,nodes 1)" '^echo .*/dev/null' 'which has no files'
run arun --mem 100M sh -c 'echo out; echo err >&2; exit 7'
is "$status:$out:$err" '7:out:err' 'output, errors and the exit code are its own'
is "$(aqueue --state failed --noheader --format reason 2)" 'exit code 7' "and the job's"
run arun --mem 100M sh -c 'kill -USR1 $$'
is "$status" 138 '128 and the number of a signal'
like "$err" '^arun: task 0 on n[1-4]: User defined signal 1$' 'which is said'
like "$(aqueue --state failed --noheader --format reason 3)" 'signal 10' 'the record knows it too'
run arun --mem 100M ./no-such-program
is "$status" 127 'a program that is not there'
like "$err" 'task 0 on n[1-4]: cannot run ./no-such-program: No such file' 'is said in words'
run arun --mem 100M --chdir /no/such/directory true
is "$status" 1 'a job that cannot start'
like "$err" 'job 5: cannot change to directory /no/such/directory' 'says why'
is "$(cd / && arun --mem 100M pwd)" / 'it runs where we are'
is "$(GREETING=hi arun --mem 100M sh -c 'echo $GREETING $ARMADA_STEP_RANK/$ARMADA_STEP_SIZE')" 'hi 0/1' \
	'with our environment'
is "$(printf 'one\ntwo' | arun --mem 100M cat)" $'one\ntwo' 'input goes in'
is "$(printf 'one\ntwo' | arun --mem 100M --input none wc -c)" 0 'or not'
echo from a file >in.txt
arun --mem 100M --input in.txt --output out.txt sh -c 'cat; echo err >&2'
is "$(cat out.txt)" $'from a file\nerr' 'input and output may be files'
arun --mem 100M --output none --error err.txt sh -c 'echo out; echo err >&2'
is "$(cat err.txt)" err 'or nothing'

# much of it
head -c 104857600 /dev/urandom >big
want=$(sha256sum <big)
is "$(arun --mem 100M cat <big | sha256sum)" "$want" '100 MB go there and back as they were'
rm big
is "$(arun --mem 100M sh -c 'yes | head -c 10000000' 2>&1 | { sleep 1; wc -c; })" 10000000 'who reads late misses nothing'
run arun --mem 100M sh -c 'head -c 1 >/dev/null' < <(yes | head -c 50000000)
is "$status" 0 'a program may leave its input unread'
arun --mem 100M yes 2>/dev/null | head -n 1 >first.txt
is "${PIPESTATUS[0]}:$(cat first.txt)" 141:y 'when nobody reads any more it ends as in a pipeline'

# several tasks
run arun -N 4 --mem 100M --label sh -c 'echo $ARMADA_NODE_NAME; exit $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | cut -d: -f1 | tr '\n' ' ')" '0 1 2 3 ' 'each line has its rank'
is "$(cut -d' ' -f2 <<<"$out" | sort | tr '\n' ' ')" 'n1 n2 n3 n4 ' 'each task its node'
is "$status" 3 'the highest exit code is returned'
like "$err" 'task 3 on n[1-4]: exited with code 3' 'who failed is named'
is "$(echo word | arun -n 3 --mem 100M cat | sort | uniq -c | tr -s ' ')" ' 3 word' 'all get the input'
is "$(echo word | arun -n 3 --mem 100M -l --input=1 cat)" '1: word' 'or one of them'
run arun -n 2 --mem 100M -K sh -c '[ $ARMADA_TASK_RANK = 1 ] && exit 9; sleep 300'
is "$status" 143 'one that fails takes the others along, if asked'
is "$(grep -c 'ending the other tasks' <<<"$err")" 1 'which is said once'
run arun -n 2 --mem 100M --input=2 cat
is "$status" 2 'input for a rank that is not there'
like "$err" '--input: there is no rank 2: ranks are 0 to 1' 'is refused'
run arun --mem 100M --ranks 0 true
like "$err" '--ranks has no effect but inside a job' 'options of steps are said to do nothing outside'

# signals
arun --mem 100M --name trapper sh -c 'trap "echo got it; exit 5" USR2; echo up; while :; do sleep 0.05; done' >trap.txt 2>/dev/null &
one=$!
ok 'a program runs' wait_until 20 grep -q up trap.txt
kill -USR2 $one
wait $one
is "$?:$(tail -n 1 trap.txt)" '5:got it' 'a signal is passed on'
arun --mem 100M --name sleeper sleep 300 2>err.txt &
one=$!
await_job sleeper RUNNING
kill -TERM $one
wait $one
is "$?" 143 'SIGTERM ends what does not mind it'

# waiting
arun -N 4 --exclusive --name all --time 10 sh -c 'until [ -e go ]; do sleep 0.05; done' &
all=$!
await_job all RUNNING
result $? 'a job has all nodes'
arun --mem 100M --name waiter echo after >waited.txt 2>waiting.txt &
waiter=$!
await_job waiter PENDING
result $? 'another waits'
ok 'and says so after a while' wait_until 20 grep -qE "^arun: job $job waits: " waiting.txt
arun --mem 100M --name unwanted echo never 2>/dev/null &
unwanted=$!
await_job unwanted PENDING
result $? 'a third'
kill -INT $unwanted
wait $unwanted
is "$?" 130 'is interrupted while it waits'
ok 'and its job is gone' wait_until 20 job_ended "$job"
is "$(state --state cancelled "$job")" CANCELLED 'cancelled'
touch go
wait $all $waiter
is "$?:$(cat waited.txt)" 0:after 'who waited has its turn'
rm go

# ends that are not the program's
run arun --mem 100M --time 1s sleep 300
is "$status" 143 'a time limit ends it'
like "$err" 'arun: job [0-9]*: it reached its time limit' 'and that is said'
arun --mem 100M --name doomed sleep 300 2>err.txt &
one=$!
await_job doomed RUNNING
acancel "$job" >/dev/null
wait $one
is "$?" 143 'so does a cancel'
like "$(cat err.txt)" "job $job: cancelled by" 'with who did it'
arun --mem 100M --name left sh -c 'trap "" HUP TERM; echo $$ >left.pid; while :; do sleep 0.05; done' &
one=$!
ok 'one that ignores what it is told' wait_until 20 test -s left.pid
await_job left RUNNING
kill -KILL $one
ok 'when arun is killed its job ends' wait_until 30 job_ended "$job"
ok 'and nothing of it is left' wait_until 10 eval '! kill -0 $(cat left.pid)'

# the controller comes and goes
arun --mem 100M --name stays sh -c 'until [ -e go ]; do sleep 0.05; done; echo done; exit 4' >stays.txt 2>err.txt &
stays=$!
await_job stays RUNNING
"$devcluster" kill "$cluster" armctld >/dev/null
arun --mem 100M --name late echo late >late.txt 2>late.err &
late=$!
ok 'without a controller it tries again' wait_until 20 grep -q 'trying again' late.err
touch go
wait $stays
is "$?:$(cat stays.txt)" 4:done 'what runs goes on, and ends'
"$devcluster" restart "$cluster" armctld >/dev/null
wait $late
is "$?:$(cat late.txt)" 0:late 'and then it is heard'
rm go

# refused
run arun
is "$status" 2 'nothing to run'
like "$err" 'nothing to run; give a command' 'is refused in words'
run arun --array 1-3 true
is "$status" 2 'so is an array'
like "$err" 'array: arun stays with one job; asubmit takes this' 'which is for asubmit'
run arun -n 2 --pty --queue nosuch true
is "$status" 3 'and a queue that is not there'
run arun --job 999999 true
is "$status" 3 'and a job that is not there'
run arun --cpus 64 true
is "$status" 1 'and what no node has'

# inside a job: its tasks take what is run by arun
cat >first.sh <<'END'
#!/bin/sh
echo "all: $(arun sh -c 'echo $ARMADA_NODE_NAME' | sort | tr '\n' ' ')"
echo "two: $(arun -n 2 -l sh -c 'echo $ARMADA_STEP_RANK/$ARMADA_STEP_SIZE on $ARMADA_TASK_RANK' | sort | tr '\n' ' ')"
echo "nodes: $(arun -N 1 -n 2 sh -c 'echo $ARMADA_NODE_NAME' | sort -u | wc -l)"
echo "cyclic: $(arun -n 2 -m cyclic sh -c 'echo $ARMADA_NODE_NAME' | sort -u | wc -l)"
echo "one: $(arun --ranks 3 sh -c 'echo $ARMADA_TASK_RANK $ARMADA_LOCAL_RANK')"
echo "many: $(arun -n 9 echo x 2>&1)"
echo "over: $(arun -n 9 -O echo x | wc -l)"
echo "local: $(arun -n 9 -O -l sh -c 'echo $ARMADA_STEP_LOCAL_SIZE' | grep '^0')"
MINE=set arun -n 1 sh -c 'echo "env: $MINE"; cat' <<-IN
	input
	IN
cd /
echo "cwd: $(arun -n 1 pwd)"
arun sh -c 'exit $((ARMADA_STEP_RANK + 1))' 2>/dev/null
echo "code: $?"
arun --mem 1G -n 1 true
arun -n 1 sh -c 'sleep 1000 & exit 0'
exec arun -n 1 sh -c 'exit 6'
END
run asubmit --wait --parsable -N 2 -n 4 --mem 100M --launch=first -o "$work/first.out" first.sh
is "$status" 6 'a job runs steps, its script in the first task alone'
first=$(cat first.out)
like "$first" 'all: n[1-4] n[1-4] n[1-4] n[1-4] ' 'all tasks take a step'
like "$first" 'two: 0: 0/2 on 0 1: 1/2 on 1 ' 'or the first of them'
like "$first" 'nodes: 1' 'or those of one node'
like "$first" 'cyclic: 2' 'or one of each node'
like "$first" 'one: 3 1' 'or one by its rank'
like "$first" 'many: arun: error: 9 tasks are more than job [0-9]+ has room for: 4 \(4 tasks of 1 cpus\); --overcommit starts them anyway' \
	'not more than the job has'
like "$first" 'over: 9' 'unless one wants that'
like "$first" 'local: 0: 6' 'each knows how many there are on its node'
like "$first" $'env: set\ninput' 'environment and input of the script'
like "$first" 'cwd: /' 'and its directory'
like "$first" 'code: 4' 'the highest exit code'
like "$first" 'arun: warning: --memory has no effect inside job' 'options that mean nothing there are named'

run asubmit --wait -n 2 --mem 100M -o all-%t.out --wrap 'arun true'
is "$status" 1 'where each task runs the script'
# the first to end takes the other along, which may not have come to say it
like "$(cat all-?.out)" 'runs its program in each of its 2 tasks, so each of them would start this; submit it with --launch=first' \
	'they are told why that cannot be meant'
run asubmit --wait -n 1 --cpus 4 --mem 100M -o wide.out --wrap 'arun -n 4 sh -c "echo \$ARMADA_STEP_RANK" | sort | tr "\n" " "; arun -n 2 -c 3 true'
like "$(cat wide.out)" '0 1 2 3 .*2 tasks are more' 'one task takes as many as it has cpus'

# from outside
asubmit --parsable -n 2 --mem 100M --name host -o /dev/null --wrap 'until [ -e go ]; do sleep 0.05; done' >/dev/null
await_job host RUNNING
run arun --job "$job" sh -c 'echo $ARMADA_JOB_ID $ARMADA_TASK_RANK'
is "$status:$out" "0:$job 0" 'a look into a job that runs'
run arun --job "$job" --ranks 0-1 -l sh -c 'echo $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | tr '\n' ' ')" '0: 0 1: 1 ' 'into all of it'
run arun --job "$job" --ranks 7 true
like "$err" "job $job has tasks 0 to 1" 'what is not there is refused'
arun --job "$job" sleep 300 2>err.txt &
step=$!
ok 'a step runs' wait_until 20 eval 'pgrep -P $(pgrep -f "^[^ ]*arun-io" | paste -sd,) >/dev/null'
touch go
wait $step
is "$?" 143 'and ends with its job'
ok 'which has ended' wait_until 20 job_ended "$job"
run arun --job "$job" true
is "$status" 3 'and takes no more'
done_testing
