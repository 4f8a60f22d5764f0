#!/bin/bash
# arun: a command as a job in the foreground, and as a step in the tasks of a running job.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs pgrep

test_under_armada 4 --cpus 4 --memory 8G
unset ARMADA_JOB_ID
job=

state()
{
	aqueue --noheader --format state "$@" | tr -d ' '
}
# prints the id of the job of this name, if there is one
job_named()
{
	aqueue --noheader --format id --name "$1" 2>/dev/null | tr -d ' '
}
await_job() # NAME STATE: into $job
{
	wait_until 20 eval 'job=$(job_named '"$1"') && [ -n "$job" ] && [ "$(state $job)" = '"$2"' ]'
}

# a new job
run arun --mem 100M echo hello
is "$status:$out:$err" '0:hello:' 'a command runs as a job, without further output'
like "$(aqueue --state completed --noheader --format name,output,nodelist 1)" '^echo .*/dev/null' 'the job has no output file'
run arun --mem 100M sh -c 'echo out; echo err >&2; exit 7'
is "$status:$out:$err" '7:out:err' 'arun has the output, the errors and the exit code of the command'
is "$(aqueue --state failed --noheader --format reason 2)" 'exit code 7' "the job has the same exit code"
run arun --mem 100M sh -c 'kill -USR1 $$'
is "$status" 138 'a killed command gives 128 plus the signal number'
like "$err" '^arun: task 0 on n[1-4]: User defined signal 1$' 'arun names the signal'
like "$(aqueue --state failed --noheader --format reason 3)" 'signal 10' "the job's reason names the signal"
run arun --mem 100M ./no-such-program
is "$status" 127 'a missing program gives exit code 127'
like "$err" 'task 0 on n[1-4]: cannot run ./no-such-program: No such file' 'arun names the missing program'
run arun --mem 100M --chdir /no/such/directory true
is "$status" 1 'a job that cannot start gives exit code 1'
like "$err" 'job 5: cannot change to directory /no/such/directory' 'arun gives the reason'
is "$(cd / && arun --mem 100M pwd)" / 'the command runs in the current directory'
is "$(GREETING=hi arun --mem 100M sh -c 'echo $GREETING $ARMADA_STEP_RANK/$ARMADA_STEP_SIZE')" 'hi 0/1' \
	'the command has the environment of arun'
is "$(printf 'one\ntwo' | arun --mem 100M cat)" $'one\ntwo' 'standard input reaches the command'
is "$(printf 'one\ntwo' | arun --mem 100M --input none wc -c)" 0 '--input none gives the command no input'
echo from a file >in.txt
arun --mem 100M --input in.txt --output out.txt sh -c 'cat; echo err >&2'
is "$(cat out.txt)" $'from a file\nerr' 'input and output can be files'
arun --mem 100M --output none --error err.txt sh -c 'echo out; echo err >&2'
is "$(cat err.txt)" err '--output none discards the output'

# large amounts of data
head -c 104857600 /dev/urandom >big
want=$(sha256sum <big)
is "$(arun --mem 100M cat <big | sha256sum)" "$want" '100 MB of input and output arrive unchanged'
rm big
is "$(arun --mem 100M sh -c 'yes | head -c 10000000' 2>&1 | { sleep 1; wc -c; })" 10000000 'a slow reader gets all output'
run arun --mem 100M sh -c 'head -c 1 >/dev/null' < <(yes | head -c 50000000)
is "$status" 0 'a program may leave its input unread'
arun --mem 100M yes 2>/dev/null | head -n 1 >first.txt
is "${PIPESTATUS[0]}:$(cat first.txt)" 141:y 'the command ends as in a pipeline when the reader of its output ends'

# several tasks
run arun -N 4 --mem 100M --label sh -c 'echo $ARMADA_NODE_NAME; exit $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | cut -d: -f1 | tr '\n' ' ')" '0 1 2 3 ' '--label puts the rank before each line'
is "$(cut -d' ' -f2 <<<"$out" | sort | tr '\n' ' ')" 'n1 n2 n3 n4 ' 'each task has a node of its own'
is "$status" 3 'arun returns the highest exit code'
like "$err" 'task 3 on n[1-4]: exited with code 3' 'arun names the failed tasks'
is "$(echo word | arun -n 3 --memory 100M cat | sort | uniq -c | tr -s ' ')" ' 3 word' 'all tasks get the input'
is "$(echo word | arun -n 3 --memory 100M -l --input=1 cat)" '1: word' '--input=1 gives the input to rank 1 only'
run arun -n 2 --memory 100M -K sh -c '[ $ARMADA_TASK_RANK = 1 ] && exit 9; sleep 300'
is "$status" 143 '-K ends the other tasks when one fails'
is "$(grep -c 'ending the other tasks' <<<"$err")" 1 'arun says so once'
run arun -n 2 --memory 100M --input=2 cat
is "$status" 2 '--input with a rank out of range is refused'
like "$err" '--input: there is no rank 2: ranks are 0 to 1' 'the error names the range of ranks'
run arun --mem 100M --ranks 0 true
like "$err" '--ranks has an effect only inside a job' '--ranks outside a job gives a warning'

# signals
arun --mem 100M --name trapper sh -c 'trap "echo got it; exit 5" USR2; echo up; while :; do sleep 0.05; done' >trap.txt 2>/dev/null &
one=$!
ok 'a program runs' wait_until 20 grep -q up trap.txt
kill -USR2 $one
wait $one
is "$?:$(tail -n 1 trap.txt)" '5:got it' 'arun forwards a signal'
arun --mem 100M --name sleeper sleep 300 2>err.txt &
one=$!
await_job sleeper RUNNING
kill -TERM $one
wait $one
is "$?" 143 'SIGTERM ends a command that does not handle it'

# a pending job
arun -N 4 --exclusive --name all --time 10 sh -c 'until [ -e go ]; do sleep 0.05; done' &
all=$!
await_job all RUNNING
result $? 'a job occupies all nodes'
arun --mem 100M --name waiter echo after >waited.txt 2>waiting.txt &
waiter=$!
await_job waiter PENDING
result $? 'another job is pending'
ok 'arun says after a while that the job is pending' wait_until 20 grep -qE "^arun: job $job is pending: " waiting.txt
arun --mem 100M --name unwanted echo never 2>/dev/null &
unwanted=$!
await_job unwanted PENDING
result $? 'a third job is pending'
kill -INT $unwanted
wait $unwanted
is "$?" 130 'SIGINT ends arun while its job is pending'
ok 'its job ends' wait_until 20 job_ended "$job"
is "$(state --state cancelled "$job")" CANCELLED 'its job is cancelled'
touch go
wait $all $waiter
is "$?:$(cat waited.txt)" 0:after 'the pending job runs when the nodes are free'
rm go

# ends that the program does not cause
run arun --mem 100M --time 1s sleep 300
is "$status" 143 'a time limit ends the command'
like "$err" 'arun: job [0-9]*: it reached its time limit' 'arun names the time limit'
arun --mem 100M --name doomed sleep 300 2>err.txt &
one=$!
await_job doomed RUNNING
acancel "$job" >/dev/null
wait $one
is "$?" 143 'acancel ends the command'
like "$(cat err.txt)" "job $job: cancelled by" 'arun names the user that cancelled it'
arun --mem 100M --name left sh -c 'trap "" HUP TERM; echo $$ >left.pid; while :; do sleep 0.05; done' &
one=$!
ok 'a command that ignores SIGTERM runs' wait_until 20 test -s left.pid
await_job left RUNNING
kill -KILL $one
ok 'the job ends when arun is killed' wait_until 30 job_ended "$job"
ok 'no process of the job is left' wait_until 10 eval '! kill -0 $(cat left.pid)'

# the controller restarts
arun --mem 100M --name stays sh -c 'until [ -e go ]; do sleep 0.05; done; echo done; exit 4' >stays.txt 2>err.txt &
stays=$!
await_job stays RUNNING
"$devcluster" kill "$cluster" armctld >/dev/null
arun --mem 100M --name late echo late >late.txt 2>late.err &
late=$!
ok 'arun tries again while the controller is down' wait_until 20 grep -q 'trying again' late.err
touch go
wait $stays
is "$?:$(cat stays.txt)" 4:done 'a running command continues and ends'
"$devcluster" restart "$cluster" armctld >/dev/null
wait $late
is "$?:$(cat late.txt)" 0:late 'the other job runs when the controller is back'
rm go

# refused requests
run arun
is "$status" 2 'arun without a command is refused'
like "$err" 'nothing to run; give a command' 'the error asks for a command'
run arun --array 1-3 true
is "$status" 2 'an array is refused'
like "$err" 'array: arun runs one attached job; this is an option of asubmit' 'the error names asubmit'
for o in --x11 --x11=all; do
	run arun $o true
	is "$status" 2 "arun $o is refused"
	like "$err" 'x11: arun forwards no X11; .*remote desktop' 'in words'
done
run arun -n 2 --pty --queue nosuch true
is "$status" 3 'an unknown queue gives exit code 3'
run arun --job 999999 true
is "$status" 3 'an unknown job gives exit code 3'
run arun --cpus 64 true
is "$status" 1 'a request larger than every node is refused'

# inside a job: its tasks run the steps
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
run asubmit --wait --parsable -N 2 -n 4 --mem 500M --launch=first -o "$work/first.out" first.sh
is "$status" 6 'a job with --launch=first runs steps from its script'
first=$(cat first.out)
like "$first" 'all: n[1-4] n[1-4] n[1-4] n[1-4] ' 'all tasks run a step'
like "$first" 'two: 0: 0/2 on 0 1: 1/2 on 1 ' '-n 2 runs a step in the first two tasks'
like "$first" 'nodes: 1' '-N 1 runs a step on one node'
like "$first" 'cyclic: 2' '-m cyclic runs one task on each node'
like "$first" 'one: 3 1' '--ranks runs a step in the named task'
like "$first" 'many: arun: error: 9 tasks are more than job [0-9]+ has room for: 4 \(4 tasks of 1 cpus\); --overcommit starts them anyway' \
	'more tasks than the job has room for are refused'
like "$first" 'over: 9' '--overcommit starts them anyway'
like "$first" 'local: 0: 6' 'each task knows the number of tasks on its node'
like "$first" $'env: set\ninput' 'a step has the environment and the input of the script'
like "$first" 'cwd: /' 'a step has the directory of the script'
like "$first" 'code: 4' 'arun returns the highest exit code of a step'
like "$first" 'arun: warning: --mem has no effect inside job' 'arun names options without effect inside a job'

run asubmit --wait -n 2 --memory 100M --launch=all -o all-%t.out --wrap 'arun true'
is "$status" 1 'arun is refused where each task runs the script'
# the first task that ends also ends the other, perhaps before it has printed the error
like "$(cat all-?.out)" 'runs its program in each of its 2 tasks, so each of them would start this; submit it with --launch=first' \
	'the error names --launch=first'
run asubmit --wait -n 1 --cpus 4 --memory 100M -o wide.out --wrap 'arun -n 4 sh -c "echo \$ARMADA_STEP_RANK" | sort | tr "\n" " "; arun -n 2 -c 3 true'
like "$(cat wide.out)" '0 1 2 3 .*2 tasks are more' 'one task has room for as many steps as it has cpus'

# from outside of the job
asubmit --parsable -n 2 --memory 100M --name host -o /dev/null --wrap 'until [ -e go ]; do sleep 0.05; done' >/dev/null
await_job host RUNNING
run arun --job "$job" sh -c 'echo $ARMADA_JOB_ID $ARMADA_TASK_RANK'
is "$status:$out" "0:$job 0" '--job runs a step in a running job'
run arun --job "$job" --ranks 0-1 -l sh -c 'echo $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | tr '\n' ' ')" '0: 0 1: 1 ' '--ranks runs a step in several tasks'
run arun --job "$job" --ranks 7 true
like "$err" "job $job has tasks 0 to 1" 'a rank out of range is refused'
arun --job "$job" sleep 300 2>err.txt &
step=$!
ok 'a step runs' wait_until 20 eval 'pgrep -P $(pgrep -f "^[^ ]*arun-io" | paste -sd,) >/dev/null'
touch go
wait $step
is "$?" 143 'the step ends with its job'
ok 'the job has ended' wait_until 20 job_ended "$job"
run arun --job "$job" true
is "$status" 3 'an ended job runs no step'

# arun_ports: one port, which the first arun has and the second one wants
port=$(free_port)
echo "arun_ports = \"$port-$port\";" >>"$ARMADA_CONF"
arun --mem 100M sh -c 'echo runs; until [ -e go3 ]; do sleep 0.2; done' >ports.txt 2>err.txt &
first=$!
ok 'the task reaches arun on its port' wait_until 20 grep -qs runs ports.txt
like "$(cat /proc/net/tcp)" ":$(printf %04X "$port") 00000000:0000 0A" 'arun listens on the port of arun_ports'
run arun --mem 100M true
like "$err" "all ports from $port to $port \(arun_ports in armada.conf\) are in use on 127.0.0.1" \
	'without a free port arun says so'
is "$status" 1 'and fails'
touch go3
wait $first
is "$?" 0 'the first arun ends'
run arun --mem 100M echo again
is "$status:$out" 0:again 'the port can be used at once by the next one'
done_testing
