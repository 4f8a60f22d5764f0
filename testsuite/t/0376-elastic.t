#!/bin/bash
# Elastic jobs with real daemons: tasks join the running job when there is room, the others learn of it by the
# file of hosts and a signal, preemption takes them back first, and a controller that is killed loses none.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2

tasks()
{
	aqueue --json "$1" | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    print(j["pending"], j["running"], j["succeeded"], j["failed"])'
}
now() { [ "$(tasks "$1")" = "$2" ]; }
# OLD-NEW of each job event scaled
scaled()
{
	awatch --json --exit-when-done --from 0 "$1" | python3 -c '
import json, sys
events = [json.loads(line) for line in sys.stdin]
print(*("%d-%d" % (e["old_tasks"], e["tasks"]) for e in events if e["event"] == "scaled"))'
}
hosts() { grep -vc '^#' "$1"; }

cat >member.sh <<'EOF'
#!/bin/bash
echo "$ARMADA_HOST_FILE" >"file.$ARMADA_TASK_RANK"
echo "$ARMADA_TASK_RANK of $ARMADA_TASK_COUNT, $ARMADA_TASK_MIN to $ARMADA_TASK_MAX, try $ARMADA_ATTEMPT" >>"said.$ARMADA_TASK_RANK"
trap 'grep -vc "^#" "$ARMADA_HOST_FILE" >>"told.$ARMADA_TASK_RANK"' WINCH
until [ -e go ]; do read -rt 0.1 <&9 || :; done 9<> <(:)
EOF
chmod +x member.sh

# --- tasks join -----------------------------------------------------------------------------------
run asubmit --parsable --cpus 3 --ntasks 2 --launch=all --memory 10M --output=/dev/null --wrap "$(until_exists leave)"
first=$out
ok 'a job runs on most of the cluster' wait_until 20 now "$first" '0 2 0 0'
run asubmit --parsable -n 6 --min-tasks 2 --cpus 1 --memory 10M --elastic-signal WINCH --priority-class armada-preemptible \
	--output=/dev/null -- ./member.sh
job=$out
is "$status" 0 'a job of a command with a minimum is accepted'
ok 'it starts with its minimum' wait_until 20 now "$job" '4 2 0 0'
ok 'its tasks run' wait_until 20 test -s said.1
is "$(cat said.1)" '1 of 2, 2 to 6, try 1' 'a task knows how many tasks there may be'
is "$(hosts "$(cat file.0)")" 2 'the file of hosts has the tasks that run'
like "$(aqueue --noheader --format reason "$job")" '^4 of 6 tasks wait for room' 'aqueue says what the others wait for'
touch leave
ok 'the others join when there is room' wait_until 20 now "$job" '0 6 0 0'
ok 'they run' wait_until 20 test -s said.5
like "$(cat said.5)" '^5 of 6, 2 to 6, try [3-6]$' 'each has the next rank and an attempt number of its own'
ok 'the file of hosts of the first task has all of them' wait_until 20 eval '[ "$(hosts "$(cat file.0)")" = 6 ]'
ok 'so has that of the last one' wait_until 20 eval '[ "$(hosts "$(cat file.5)")" = 6 ]'
ok 'a signal said so' wait_until 20 eval '[ "$(tail -n 1 told.0)" = 6 ]'
run arun --job "$job" -n 6 sh -c 'echo $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | tr '\n' ' ')" '0 1 2 3 4 5 ' 'arun reaches the tasks that joined'
like "$(actl show job "$job")" '6 running; at least 2' 'actl counts the tasks'

# --- preemption takes them back -------------------------------------------------------------------
run asubmit --parsable --cpus 2 --memory 10M --ntasks 2 --launch=all --output=/dev/null --wrap "$(until_exists leave2)"
second=$out
ok 'a more urgent job starts' wait_until 20 now "$second" '0 2 0 0'
is "$(tasks "$job")" '2 4 0 0' 'the elastic job runs on with fewer tasks'
is "$(wc -l <said.0) $(wc -l <said.1)" '1 1' 'its first tasks were not restarted'
ok 'the file of hosts has the tasks that are left' wait_until 20 eval '[ "$(hosts "$(cat file.0)")" = 4 ]'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'a restarted controller knows the tasks' wait_until 20 now "$job" '2 4 0 0'
touch leave2
ok 'the tasks join again' wait_until 20 now "$job" '0 6 0 0'
ok 'under their ranks and new attempt numbers' wait_until 20 eval '[ "$(cat said.* | wc -l)" = 8 ]'
is "$(cat said.* | sed 's/.*try //' | sort -u | wc -l)" 7 'no attempt number is used twice'
ok 'the file of hosts is complete again' wait_until 20 eval '[ "$(hosts "$(cat file.0)")" = 6 ]'

touch go
ok 'the job ends' wait_until 20 job_ended "$job"
is "$(aqueue --noheader --format state,tasks "$job" | tr -s ' ')" 'COMPLETED 6' 'it has completed with all its tasks'
is "$(scaled "$job")" '2-3 3-4 4-5 5-6 6-5 5-4 4-5 5-6' 'the job events tell each task that joined or was taken back'
charged()
{
	aacct -j "$job" --json | python3 -c 'import json, sys
r = json.load(sys.stdin)["attempts"][0]
sys.exit(not (r["cpus"] == 6000 and 2 * r["elapsed"] < r["reserved_time"] < 6 * r["elapsed"]))'
}
ok 'accounting charges the tasks that joined for the time they ran' wait_until 20 charged

# --- steps run in the tasks that run now -----------------------------------------------------------
rm -f leave leave2
mkfifo ctl
cat >leader.sh <<'EOF'
#!/bin/sh
exec 3<>ctl
echo "$ARMADA_HOST_FILE" >leader.hosts
while read -r name options <&3; do
	arun -Q $options sh -c 'echo $ARMADA_TASK_RANK' >ranks 2>"err.$name"
	echo "$? $(sort ranks | tr '\n' ' ')" >new && mv new "step.$name"
done
EOF
# the exit code and the ranks of a step of the first task
step()
{
	echo "$*" >ctl
	wait_until 30 test -e "step.$1" && cat "step.$1"
}
run asubmit --parsable --cpus 3 --ntasks 2 --launch=all --memory 10M --output=/dev/null --wrap "$(until_exists leave)"
ok 'a job runs on most of the cluster' wait_until 20 now "$out" '0 2 0 0'
run asubmit --parsable -n 6 --min-tasks 2 --elastic=yes --cpus 1 --memory 10M --priority-class armada-preemptible \
	--output=/dev/null leader.sh
job=$out
ok 'a script with steps starts with its minimum' wait_until 20 now "$job" '4 2 0 0'
is "$(step one)" '0 0 1 ' 'a step runs in the tasks of the start'
touch leave
ok 'the others join' wait_until 20 now "$job" '0 6 0 0'
is "$(step joined)" '0 0 1 2 3 4 5 ' 'a step that begins then runs in all of them'
is "$(step some --ranks 4-5)" '0 4 5 ' '--ranks reaches the tasks that joined'
run asubmit --parsable --cpus 2 --memory 10M --ntasks 2 --launch=all --output=/dev/null --wrap "$(until_exists leave2)"
ok 'two tasks are taken back' wait_until 20 now "$job" '2 4 0 0'
ok 'the file of hosts has the tasks that are left' wait_until 20 eval '[ "$(hosts "$(cat leader.hosts)")" = 4 ]'
left=$(awk '!/^#/ { printf "%d ", NR - 1 }' "$(cat leader.hosts)")
gone=$(awk '/^#/ { print NR - 1; exit }' "$(cat leader.hosts)")
is "$(step left)" "0 $left" 'a step that begins then runs in them'
is "$(step gone --ranks "0,$gone")" '1 ' 'a step in a task that has left is refused'
like "$(cat err.gone)" "--ranks: task $gone of job $job does not run now" 'the error names the task'
is "$(step host --nodelist n3)" '1 ' 'so is a step on a node without tasks'
like "$(cat err.host)" "no task of job $job runs on n3 now" 'the error names the node'
run arun --job "$job" -n 4 sh -c 'echo $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | tr '\n' ' ')" "$left" 'arun from outside uses the tasks that run'
touch leave2
acancel "$job" >/dev/null
ok 'the job is cancelled' wait_until 20 job_ended "$job"

# --- a node is lost -------------------------------------------------------------------------------
rm -f go said.*
run asubmit --parsable -n 8 --min-tasks 2 --cpus 1 --memory 10M --on-task-failure replace_task --output=/dev/null -- ./member.sh
job=$out
ok 'a job grows over both nodes' wait_until 20 now "$job" '0 8 0 0'
here=$(aqueue --json "$job" | python3 -c 'import json,sys; print(json.load(sys.stdin)["jobs"][0]["nodelist"][0])')
other=n1
[ "$here" = n1 ] && other=n2
"$devcluster" kill "$cluster" "$other" >/dev/null
ok 'its node falls silent' wait_until 60 eval '[ "$(anode --noheader --format state "$other")" != UP ]'
ok 'an administrator confirms that the node is dead' wait_until 60 anode confirm-dead --yes "$other" seen it
ok 'the tasks of that node wait' wait_until 20 now "$job" '4 4 0 0'
is "$(cat said.* | wc -l)" 8 'the others were not restarted'
acancel "$job" >/dev/null
ok 'the job is cancelled' wait_until 20 job_ended "$job"

# --- what is refused, and what stays as it was ----------------------------------------------------
run asubmit -n 4 --elastic --output=/dev/null -- true
is "$status" 2 'a job without a minimum is not elastic'
like "$err" '--elastic needs --min-tasks, with fewer tasks than --ntasks' 'the error says what is needed'
run asubmit -n 4 --min-tasks 2 --elastic=no --elastic-signal USR1 --output=/dev/null -- true
like "$err" '--elastic-signal needs a job that tasks join' 'a signal that would never come is refused'
run asubmit -N 2 --ntasks-per-node 2 --min-tasks 2 --elastic=yes --output=/dev/null -- true
like "$err" 'is not for several tasks on each of a number of nodes' 'so is a number of tasks on each node'
run arun --elastic -n 2 true
like "$err" 'option of asubmit' 'arun starts with all of its tasks'
done_testing
