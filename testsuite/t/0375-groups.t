#!/bin/bash
# Job files, task groups, and the policies for a failed task, with real daemons.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

test_under_armada 3 --cpus 4 --memory 8G --conf <(echo 'agents = { heartbeat = "500ms"; node_timeout = "3s"; avoid = "1s"; };')
cd "$work" || exit 99

state()
{
	aqueue --noheader --format state --state all "$1" | tr -d ' '
}
tasks()
{
	aqueue --noheader --format groups --state all "$1"
}
json()
{
	aqueue --json --state all "$1" | python3 -c "import json,sys; print(json.load(sys.stdin)['jobs'][0]$2)"
}
# pid_of FILE: prints the pid of the task that writes it there, once it has
pid_of()
{
	wait_until 20 test -s "$1" || return 1
	cat "$1"
}
submit()
{
	run asubmit --parsable --file "$@"
	id=$out
}

# --- a parameter server and its workers -----------------------------------------------------------
cat >worker.sh <<'EOF'
#!/bin/bash
echo "$ARMADA_GROUP_NAME $ARMADA_GROUP_RANK of $ARMADA_GROUP_SIZE as $ARMADA_TASK_RANK of $ARMADA_TASK_COUNT:" \
	"$1, $MODEL, $ARMADA_GROUP_PS_SIZE at $ARMADA_GROUP_PS_NODES, try $ARMADA_ATTEMPT" >>"said.$ARMADA_TASK_RANK"
echo $$ >"pid.$ARMADA_TASK_RANK"
until [ -e go ]; do read -rt 0.1 <&9 || :; done 9<> <(:)
EOF
cat >train.conf <<'EOF'
# as in the seed
name = "train"; time = "10m"; output = "%x-%g-%t.txt"; min_available = 3; elastic = "no";
env = { MODEL = "net"; };
groups = (
  { name = "ps"; service = true; cpus = 1; memory = "100M";
    command = ["/bin/sh", "-c", "echo $$ >pid.0; echo serving; exec sleep 600"]; },
  { name = "worker"; replicas = 3; cpus = 2; memory = "200M"; script = "worker.sh"; args = ["a b"];
    on_task_failure = "replace_task"; }
);
EOF
submit train.conf
is "$status" 0 'a job with two groups is accepted'
job=$id
ok 'all tasks of both groups run' wait_until 20 eval '[ "$(tasks $job)" = "ps 1 running; worker 3 running; at least 3" ]'
for rank in 1 2 3; do pid_of "pid.$rank" >/dev/null; done
node=$(aqueue --json "$job" | python3 -c 'import json,sys; print(json.load(sys.stdin)["jobs"][0]["nodelist"][0])')
is "$(cat said.2)" "worker 1 of 3 as 2 of 4: a b, net, 1 at $node, try 1" 'a task knows its group and the node of the server'
is "$(cat train-ps-0.txt)" serving '%g in the output path is the group name'
is "$(json "$job" '["cpus"]')" 7000 'cpus counts all groups'
is "$(json "$job" '["min_available"]')" 3 'the minimum is in the JSON'
is "$(json "$job" '["groups"][1]["replicas"]')" 3 'the groups are in the JSON'
like "$(actl show job "$job")" 'ps +1 task, each with cpu=1, memory=100M' 'actl shows the groups'
like "$(actl show job "$job")" 'On failure +replace_task' 'actl shows the failure policy of a group'
is "$(json "$job" '["groups"][0]["on_task_failure"]') $(json "$job" '["groups"][1]["on_task_failure"]')" 'fail_job replace_task' \
	'the JSON has that of each group'
like "$(aqueue --detail "$job")" 'ps 1 running; worker 3 running; at least 3' '--detail shows the task states of each group'

# a killed worker is restarted, without the other tasks
first=$(cat pid.2) other=$(cat pid.1) server=$(pid_of pid.0)
rm pid.2
kill -9 "$first"
ok 'a killed worker is restarted' pid_of pid.2
isnt=$(cat pid.2)
ok 'it is another process' test "$isnt" != "$first"
is "$(tail -n 1 said.2)" "worker 1 of 3 as 2 of 4: a b, net, 1 at $node, try 2" 'it has the same rank and the next attempt number'
ok 'the other tasks continue' kill -0 "$other" "$server"
is "$(state "$job")" RUNNING 'the job is running'

# a worker fails while the controller is down
ok 'all tasks run again' eval '[ "$(tasks $job)" = "ps 1 running; worker 3 running; at least 3" ]'
"$devcluster" kill "$cluster" armctld >/dev/null
rm pid.3
kill -9 "$(sed -n 1p pid.1)"
rm pid.1
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'a worker that fails while the controller is down is restarted later' pid_of pid.1
like "$(tail -n 1 said.1)" 'try 3' 'its attempt has a number of its own'
touch go
ok 'the job ends when its workers end' wait_until 20 job_ended "$job"
is "$(state "$job")" COMPLETED 'the job completed'
ok 'the service was ended' eval '! kill -0 "$server" 2>/dev/null'
is "$(json "$job" '["succeeded"]')" 4 'all four tasks count as succeeded'
rm -f go pid.* said.*

# --- restart_job ----------------------------------------------------------------------------------
cat >some.conf <<'EOF'
ntasks = 4; launch = "all"; min_available = 3; elastic = "no"; on_task_failure = "restart_job"; memory = "50M"; output = "/dev/null";
wrap = "echo $ARMADA_ATTEMPT >>tries.$ARMADA_TASK_RANK; echo $$ >pid.$ARMADA_TASK_RANK; until [ -e go ]; do sleep 0.05; done";
EOF
submit some.conf
job=$id
for rank in 0 1 2 3; do pid_of "pid.$rank" >/dev/null; done
kill -9 "$(cat pid.3)"
ok 'one of four tasks fails' wait_until 20 eval '[ "$(tasks $job)" = "3 running, 1 failed; at least 3" ]'
is "$(state "$job")" RUNNING 'the job continues'
rm pid.0
kill -9 "$(cat pid.1)"
ok 'the whole job restarts when too few tasks are left' pid_of pid.0
is "$(cat tries.0 | tr '\n' ' ')" '1 2 ' 'all tasks are in the next attempt'
ok 'four tasks run again' wait_until 20 eval '[ "$(tasks $job)" = "4 running; at least 3" ]'
for rank in 1 2 3; do ok "task $rank runs in the second attempt" wait_until 20 eval '[ "$(tail -n 1 tries.$rank)" = 2 ]'; done
wait_until 20 eval 'kill -0 $(cat pid.2) 2>/dev/null' && kill -9 "$(cat pid.2)"
ok 'one task fails again' wait_until 20 eval '[ "$(tasks $job)" = "3 running, 1 failed; at least 3" ]'
touch go
ok 'the job ends' wait_until 20 job_ended "$job"
is "$(state "$job")" COMPLETED 'the job completed with its minimum of tasks'
like "$(aqueue --noheader --state all --format reason "$job")" '1 of 4 tasks failed' 'the reason counts the failed tasks'
rm -f go pid.* tries.*

# the number of restarts is limited, and there is a pause before the second one
run asubmit --parsable --requeue=2 --ntasks 2 --memory 10M --launch=all --on-task-failure restart_job --output=/dev/null --wrap \
	'echo >>tried.$ARMADA_TASK_RANK; exit 3'
job=$out
ok 'a job that fails twice pauses' wait_until 20 eval 'aqueue --noheader --format reason "$job" | grep -q "^restarts in [0-9]* s after 2 failures; "'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
like "$(aqueue --noheader --format reason "$job")" '^restarts in [0-9]+ s after 2 failures; attempt 2: ' 'a restarted controller knows the pause'
like "$(aqueue --json "$job")" '"begin": ?[0-9]' 'aqueue has its end'
like "$(aexplain "$job")" 'RestartPause' 'so has aexplain'
ok 'the job has ended' wait_until 30 job_ended "$job"
is "$(aqueue --noheader --format state,exit_code "$job" | tr -s ' ')" 'FAILED 3' 'a job that fails in every attempt has failed in the end'
events=$(awatch --json --exit-when-done --from 0 "$job")
like "$(grep '"event":"failed"' <<<"$events")" '"attempt":3,' 'it had a limited number of attempts'
like "$(grep '"event":"requeued"' <<<"$events" | tail -n 1)" '"not_before_us":[0-9]' 'the event has the end of the pause'

# --- replace_task without room --------------------------------------------------------------------
run asubmit --parsable --ntasks 3 --cpus 3 --memory 50M --min-tasks 2 --elastic=no --launch=all --on-task-failure replace_task --output=/dev/null \
	--wrap 'echo $$ >pid.$ARMADA_TASK_RANK; echo $ARMADA_NODE_NAME >node.$ARMADA_TASK_RANK; '"$(until_exists go)"
job=$out
for rank in 0 1 2; do pid_of "pid.$rank" >/dev/null; done
node=$(cat node.1)
anode drain "$node" for a test >/dev/null
kill -9 "$(cat pid.1)"
ok 'a replaced task without room is pending' wait_until 20 eval '[ "$(tasks $job)" = "2 running, 1 pending; at least 2" ]'
rm pid.1
ok 'the reason of the job names the pending task' wait_until 20 eval 'aqueue --noheader --format reason $job | grep -q "^1 of 3 tasks waits for a node: .*cpu"'
like "$(aexplain "$job")" 'it runs, and 1 of 3 tasks waits for a node: ' 'aexplain names the pending task'
is "$(state "$job")" RUNNING 'the job is running'
anode resume "$node" >/dev/null
ok 'the task starts when there is room' pid_of pid.1
touch go
ok 'the job ends' wait_until 20 job_ended "$job"
is "$(state "$job")" COMPLETED 'the job completed'
rm -f go pid.* node.*

# --- a node is lost -------------------------------------------------------------------------------
run asubmit --parsable --ntasks 3 --cpus 3 --memory 50M --min-tasks 1 --elastic=no --launch=all --on-task-failure replace_task --output=/dev/null \
	--wrap 'echo $ARMADA_ATTEMPT >try.$ARMADA_TASK_RANK; echo $ARMADA_NODE_NAME >node.$ARMADA_TASK_RANK; '"$(until_exists go)"
job=$out
for rank in 0 1 2; do pid_of "node.$rank" >/dev/null; done
node=$(cat node.2)
rm node.2
"$devcluster" power-off "$cluster" "$node" >/dev/null 2>&1
ok 'the node is unknown' wait_until 30 eval 'anode --noheader --format state $node | grep -qi unknown'
is "$(tasks "$job")" '2 running, 1 unknown; at least 1' 'the task on the silent node does not count as running'
run anode confirm-dead --yes "$node" seen it
is "$status" 0 'an administrator confirms that the node is dead'
ok 'only the task of that node is pending' wait_until 30 eval '[ "$(tasks $job)" = "2 running, 1 pending; at least 1" ]'
is "$(cat try.0 try.1 | tr '\n' ' ')" '1 1 ' 'the other tasks were not restarted'
"$devcluster" restart "$cluster" "$node" >/dev/null 2>&1
anode resume "$node" >/dev/null 2>&1
ok 'the task runs when there is room' pid_of node.2
ok 'it is in its second attempt' wait_until 20 eval '[ "$(cat try.2)" = 2 ]'
touch go
ok 'the job ends' wait_until 20 job_ended "$job"
is "$(state "$job")" COMPLETED 'the job completed'
rm -f go try.* node.*

# --- fail_job -------------------------------------------------------------------------------------
run asubmit --wait --quiet --ntasks 2 --memory 10M --launch=all --output=/dev/null \
	--wrap 'if [ $ARMADA_TASK_RANK = 1 ]; then exit 5; fi; sleep 600'
is "$status" 5 'without a policy the first failed task ends the job'

# each group may have a rule of its own: here that of the job is for the workers
cat >server.conf <<'EOF'
memory = "10M"; output = "/dev/null"; min_available = 1; elastic = "no"; on_task_failure = "restart_job";
groups = ( { name = "server"; on_task_failure = "fail_job"; wrap = "until [ -e lost ]; do sleep 0.2; done; exit 4"; },
           { name = "worker"; replicas = 2;
             wrap = "[ $ARMADA_GROUP_RANK = 1 ] || exec sleep 600; echo >lost; exit 5"; } );
EOF
run asubmit --wait --quiet --file server.conf
is "$status" 4 'a failed worker is left out; the failed server fails the job'

# --- command line over file, minimum --------------------------------------------------------------
cat >large.conf <<'EOF'
name = "large"; memory = "10M"; output = "/dev/null"; min_available = 2; elastic = "no";
groups = ( { name = "head"; command = ["sleep", "600"]; },
           { name = "tail"; replicas = 30; command = ["sleep", "600"]; } );
EOF
submit large.conf --name small
is "$status" 0 'a job with a minimum may have more tasks than there is room for'
job=$id
ok 'it starts as many tasks as there is room for' wait_until 20 eval '[ "$(tasks $job)" = "head 1 running; tail 11 running; at least 2" ]'
like "$(aqueue --noheader --format name,reason "$job")" '^small +19 of 31 tasks were not started' 'an option of the command line overrides the file'
acancel "$job"
ok 'the job is cancelled' wait_until 20 job_ended "$job"
is "$(state "$job")" CANCELLED 'all of its tasks are cancelled'

# --- a minimum in each group ----------------------------------------------------------------------
cat >minima.conf <<'EOF'
name = "minima"; memory = "10M"; output = "/dev/null"; on_task_failure = "restart_job";
groups = (
  { name = "ps"; replicas = 2; min_available = 1; cpus = 1; command = ["sleep", "600"]; },
  { name = "worker"; replicas = 5; min_available = 2; cpus = 3;
    wrap = "echo $ARMADA_ATTEMPT >try.$ARMADA_GROUP_RANK; echo $$ >pid.$ARMADA_GROUP_RANK; exec sleep 600"; } );
EOF
submit minima.conf
job=$id
ok 'tasks beyond the minima of the groups join while there is room' wait_until 20 eval \
	'[ "$(tasks $job)" = "ps 2 running (at least 1); worker 3 running, 2 pending (at least 2)" ]'
is "$(json "$job" '["min_available"]') $(json "$job" '["groups"][1]["min_available"]')" '3 2' 'the minima are in the JSON'
like "$(actl show job "$job")" 'At least +2 tasks of the group' 'actl shows that of a group'
run actl update --group worker=1 "$job"
ok 'a group is not scaled below its minimum' test "$status" -ne 0
like "$err" 'group worker: its minimum is 2 tasks, so it cannot have 1' 'the error says so'
for rank in 0 1 2; do pid_of "pid.$rank" >/dev/null; done
kill -9 "$(cat pid.2)"
ok 'a worker beyond the minimum fails alone, and the next one joins in its room' wait_until 20 eval \
	'[ "$(tasks $job)" = "ps 2 running (at least 1); worker 3 running, 1 pending, 1 failed (at least 2)" ]'
rm pid.*
echo 0 >try.0
acancel --signal KILL "$job" >/dev/null
ok 'the job restarts whole when a group falls below its minimum' wait_until 40 eval '[ "$(cat try.0)" -ge 2 ]'
acancel "$job"
ok 'the job ends' wait_until 20 job_ended "$job"
rm -f try.* pid.*

# --- a group whose first task alone runs the program ----------------------------------------------
cat >steps.conf <<'EOF'
memory = "200M"; output = "steps-%g.txt";
groups = (
  { name = "plain"; replicas = 2; wrap = "echo plain $ARMADA_GROUP_RANK; until [ -e ended ]; do sleep 0.05; done"; },
  { name = "first"; replicas = 3; launch = "first";
    wrap = "echo script $ARMADA_LAUNCH $ARMADA_TASK_RANK; arun -l sh -c 'echo $ARMADA_GROUP_NAME $ARMADA_TASK_RANK'; echo >ended"; }
);
EOF
run asubmit --wait --quiet --file steps.conf
is "$status" 0 'a job ends when all its tasks but the standby tasks have ended'
is "$(sort steps-plain.txt | tr '\n' ' ')" 'plain 0 plain 1 ' 'a script runs in each task of a group'
is "$(sort steps-first.txt | tr '\n' ' ')" '0: first 2 1: first 3 2: first 4 script first 2 ' \
	'with launch = "first" it runs once, and arun uses the other tasks of the group'

# --- invalid job files ----------------------------------------------------------------------------
refused()
{
	echo "$1" >bad.conf
	run asubmit --file bad.conf
	ok "refused: $2" test "$status" -ne 0
	like "$err" "$2" 'the error names the place and the accepted values'
}
refused 'groups = ( { name = "a"; replica = 2; } );' "bad.conf: line 1: replica: unknown key; did you mean 'replicas'"
refused 'memory = 4;' 'bad.conf: line 1: memory: must be a string with a unit, as in "4G"'
refused 'groups = ( { name = "a"; command = ["true"]; cpus = 64; }, { name = "b"; command = ["true"]; } );' \
	'group a: cpu: 64 is more than any node has'
refused 'groups = ( { name = "a"; command = ["true"]; replicas = 7; cpus = 2; }, { name = "b"; command = ["true"]; } );' \
	'group a: 7 tasks must start together; .* at most 6 in all'
refused 'groups = ( { name = "a"; command = ["true"]; replicas = 3; cpus = 3; }, { name = "b"; command = ["true"]; replicas = 3; cpus = 2; } );' \
	'cpu: 15 at once is more than the 3 nodes it may use have: 12'
refused 'groups = ( { name = "a"; command = ["true"]; service = true; }, { name = "b"; service = true; command = ["true"]; } );' \
	'all groups are services'
refused 'groups = ( { name = "a"; command = ["true"]; replicas = 2; launch = "some"; } );' "'some' must be all or first"
refused 'groups = ( { name = "a"; wrap = "true"; replicas = 2; launch = "first"; } ); on_task_failure = "restart_job";' \
	'add --launch=all'
refused 'groups = ( { name = "a"; wrap = "true"; on_task_failure = "replace_task"; }, { name = "b"; wrap = "true"; } ); no_requeue = true;' \
	'on-task-failure=replace_task runs tasks again, which --no-requeue forbids'
refused 'groups = ( { name = "a"; wrap = "true"; priority_class = "high"; }, { name = "b"; wrap = "true"; } );' \
	'group a: priority_class: the groups of a job start and are preempted together'
refused 'wrap = "true"; no_requeue = true; on_task_failure = "restart_job";' 'runs tasks again, which --no-requeue forbids'
run asubmit --file nowhere.conf
like "$err" 'nowhere.conf' 'the error names a missing file'
run asubmit --file train.conf -- hostname
like "$err" 'every group of train.conf has its own program' 'a command beside groups is refused'

done_testing
