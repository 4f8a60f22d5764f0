#!/bin/bash
# Elastic jobs that are scaled while they run, with real daemons: tasks join and leave, the others learn of it and
# run on, and what is refused is said.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 1G

tasks()
{
	aqueue --json "$1" | python3 -c '
import json, sys
for j in json.load(sys.stdin)["jobs"]:
    print(j["pending"], j["running"], j["succeeded"], j["failed"])'
}
now() { [ "$(tasks "$1")" = "$2" ]; }
hosts() { grep -vc '^#' "$1"; }
refuses()
{
	local text=$1 what=$2

	shift 2
	run actl update "$job" "$@"
	is "$status" 1 "$what is refused"
	like "$err" "$text" "the error says: $text"
}

cat >member.sh <<'EOF'
#!/bin/bash
exec 3<>"fifo.$ARMADA_TASK_RANK"
echo "$ARMADA_HOST_FILE" >"file.$ARMADA_TASK_RANK"
echo "$ARMADA_ATTEMPT" >>"said.$ARMADA_TASK_RANK"
trap 'echo "left" >>"said.$ARMADA_TASK_RANK"; exit 0' TERM
until read -t 0.5 -r line <&3; do :; done
EOF
chmod +x member.sh
for i in 0 1 2 3 4 5 6 7; do mkfifo "fifo.$i"; done

run asubmit --parsable -n 3 --min-tasks 2 --cpus 1 --memory 10M --output=/dev/null -- ./member.sh
job=$out
ok 'an elastic job runs with all its tasks' wait_until 30 now "$job" '0 3 0 0'
run actl update "$job" --ntasks 6
is "$out" 'Updated 1 job' 'it is scaled up while it runs'
ok 'the new tasks join' wait_until 30 now "$job" '0 6 0 0'
ok 'they run' wait_until 30 test -s said.5
ok 'the file of hosts of the first task has them' wait_until 30 eval '[ "$(hosts "$(cat file.0)")" = 6 ]'
run arun --job "$job" -n 6 sh -c 'echo $ARMADA_TASK_RANK'
is "$(sort <<<"$out" | tr '\n' ' ')" '0 1 2 3 4 5 ' 'arun reaches them'

run actl update "$job" --ntasks 4
is "$out" 'Updated 1 job' 'it is scaled down'
ok 'tasks leave' wait_until 30 eval '[ "$(hosts "$(cat file.0)")" = 4 ]'
ok 'the highest ranks got SIGTERM' wait_until 30 eval '[ "$(tail -n 1 said.4) $(tail -n 1 said.5)" = "left left" ]'
ok 'four run on' wait_until 30 eval '[ "$(tasks "$job" | cut -d " " -f 1,2)" = "0 4" ]'
is "$(wc -l <said.0) $(wc -l <said.3)" '1 1' 'they were not restarted'

refuses 'the minimum of 2 tasks is more than the 1 task' 'fewer than the minimum' --ntasks 1
refuses '2 tasks started together and stay' 'fewer than started together' --ntasks 1 --min-tasks 1
refuses 'the job started with 2 tasks; --restart' 'a minimum above them' --min-tasks 3
refuses 'limits.tasks_per_job' 'more than any job may have' --ntasks 1000000
is "$(tasks "$job" | cut -d ' ' -f 1,2)" '0 4' 'nothing has changed'

"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'a restarted controller takes another change' actl update "$job" --ntasks 7
ok 'more tasks than before join' wait_until 30 eval '[ "$(tasks "$job" | cut -d " " -f 1,2)" = "0 7" ]'
for i in 0 1 2 3 4 5 6; do echo go >"fifo.$i"; done
ok 'the job ends' wait_until 30 job_ended "$job"
is "$(aqueue --noheader --format state "$job" | tr -d ' ')" COMPLETED 'it has completed'
like "$(awatch --json --exit-when-done --from 0 "$job")" '"reason": *"the job was scaled down"' 'the job events say why tasks left'

run asubmit --parsable -n 2 --launch=all --cpus 1 --memory 10M --output=/dev/null -- ./member.sh
job=$out
ok 'a job runs that is not elastic' wait_until 30 now "$job" '0 2 0 0'
refuses '--restart would restart it whole' 'another number for it' --ntasks 3
acancel "$job" >/dev/null
ok 'it is cancelled' wait_until 30 job_ended "$job"
done_testing
