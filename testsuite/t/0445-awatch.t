#!/bin/bash
# Job events with awatch: from any number, over restarts of the controller without gap or repeat, by job, in JSON;
# what it refuses; --wait and --exit-when-done.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

test_under_armada 2 --cpus 4 --memory 4G

# the events of a file of JSON lines as words: "submitted queued"
kinds()
{
	python3 -c 'import json,sys; print(" ".join(json.loads(l)["event"] for l in open(sys.argv[1])))' "$1"
}
# numbers FILE: the first and the last number, and "whole" if there is no gap and no repeat
numbers()
{
	python3 - "$1" <<'EOF'
import json, sys
n = [json.loads(l)["number"] for l in open(sys.argv[1])]
print(n[0], n[-1], "whole" if n == list(range(n[0], n[0] + len(n))) else "broken: %s" % n)
EOF
}
last_number()
{
	tail -n1 "$1" | sed -n 's/.*"number":\([0-9]*\),.*/\1/p'
}
has_event()
{
	grep -q "\"event\":\"$2\"" "$1"
}

# ---- one job, in text and JSON
one=$(asubmit --parsable --job-set first --wrap 'sleep 0.3; exit 3')
run awatch --job-set first --exit-when-done
is "$status" 1 'awatch --exit-when-done exits 1 when a job has failed'
like "$out" 'TIME +NUMBER +ID +EVENT' 'the table has a header'
like "$out" "failed +attempt=1 exit_code=3 category=error fault=user: exit code 3" 'the end says what happened'
awatch --job-set first --exit-when-done --json >"$work/first"
is "$(kinds "$work/first")" 'submitted queued leased pending running usage failed' 'the events of a job'
is "$(numbers "$work/first")" '1 7 whole' 'they are numbered from 1'
like "$(tail -n1 "$work/first")" "\"job_set\":\"first\",\"job\":$one,.*\"exit_code\":3,.*\"category\":\"error\"" \
	'JSON has the fields'
like "$(head -n1 "$work/first")" "\"queue\":\"$(id -un)\"" 'the queue is the one that asubmit chose'
is "$(awatch --job-set first --exit-when-done --noheader --format event | tr -d ' ' | tr '\n' ' ')" \
	'submitted queued leased pending running usage failed ' '--format chooses columns'
is "$(awatch --job-set first --from 6 --exit-when-done --noheader --format number | tr -d ' ' | tr '\n' ' ')" '6 7 ' \
	'--from is the first number'

# ---- jobs by label
for labels in team=a team=b,stage=x team=a,stage=x; do
	asubmit --parsable --job-set marked --label "$labels" --wrap true >>marked
done
marked_jobs()
{
	awatch --job-set marked --exit-when-done --noheader --format job "$@" | tr -d ' ' | sort -nu | tr '\n' ' '
}
is "$(marked_jobs --label team=a)" "$(sed -n '1p;3p' marked | tr '\n' ' ')" '--label: the jobs that have the label'
is "$(marked_jobs --label team,stage=x)" "$(sed -n '2p;3p' marked | tr '\n' ' ')" 'all labels are required'
is "$(marked_jobs --label '!stage')" "$(sed -n 1p marked) " 'or the absence of one'
awatch --job-set marked --label team=a --json >new 2>/dev/null &
watcher=$!
late()
{
	asubmit --parsable --job-set marked --label team=a --wrap true >late
	asubmit --parsable --job-set marked --label team=b --wrap true >/dev/null
	wait_until 5 grep -q '"event":"succeeded"' new
}
ok 'a follower learns of new jobs' wait_until 30 late
kill "$watcher"
wait "$watcher"
is "$(grep -c "\"job\":$(sed -n 1p marked)," new)" 0 'it does not show what was before'
unlike "$(cat new)" "team=b" 'nor jobs with other labels'
run awatch --label team=a 12
is "$status" 2 'labels and ids exclude each other'
run awatch --label 'a b' --job-set marked
is "$status" 2 'a label of a forbidden form is refused'

# ---- jobs by id
two=$(asubmit --parsable --job-set first --wrap true)
three=$(asubmit --parsable --wrap true)
ok 'two jobs end' wait_until 20 job_ended "$two" && wait_until 20 job_ended "$three"
run awatch --exit-when-done --json "$two" "$three"
is "$status" 0 'all jobs have succeeded'
is "$(grep -c '"event":"succeeded"' <<<"$out")" 2 'jobs of several sets are watched by id'
unlike "$out" "\"job\":$one," 'other jobs of the set are not shown'

begin=${EPOCHREALTIME/./}
run awatch --exit-when-done --json "$one"
is "$status" 1 'a job that has failed'
ok 'is known to be over although later events of its set are about others' \
	test $((${EPOCHREALTIME/./} - begin)) -lt 10000000

# ---- waiting
run awatch --wait "$one" "$two"
is "$status" 3 'awatch --wait has the highest exit code'
like "$err" "awatch: job $one: exit code 3" 'and says why'
run awatch --wait "$two" "$three"
is "$status" 0 'and 0 if all have succeeded'

# ---- what is refused
run awatch --job-set nothing
is "$status" 3 'a set that does not exist'
like "$err" "there is no job set 'nothing' in queue" 'the error names it'
run awatch --queue nowhere --job-set first
is "$status" 3 'a queue that does not exist'
run awatch --job-set first --from 1000
is "$status" 1 'a number beyond the end'
like "$err" 'event 1000 does not exist yet: the next one of this set is 1[0-9]$' 'the error has the next one'
run awatch --job-set first --from x
is "$status" 2 'a number that is none'
run awatch 999999
is "$status" 3 'a job that does not exist'
run awatch --wait
is "$status" 2 '--wait without a job'
run awatch --job-set first "$one"
is "$status" 2 'ids and a set'

# ---- over restarts of the controller
awatch --job-set long --from 0 --json >"$work/none" 2>&1
ok 'a set without jobs does not exist yet' grep -q 'there is no job set' "$work/none"
first=$(asubmit --parsable --job-set long --wrap 'exec sleep 1000')
awatch --job-set long --from 0 --json --quiet >"$work/live" 2>"$work/live.err" &
watcher=$!
ok 'a watcher sees it run' wait_until 20 has_event "$work/live" running
for _ in 1 2; do
	"$devcluster" kill "$cluster" armctld
	"$devcluster" restart "$cluster" armctld
	id=$(asubmit --parsable --job-set long --wrap true)
	ok 'after a kill of the controller a job ends' wait_until 30 job_ended "$id"
done
acancel "$first" >/dev/null
ok 'the watcher sees the cancel' wait_until 40 has_event "$work/live" cancelled
kill "$watcher"
wait "$watcher" 2>/dev/null
is "$(numbers "$work/live")" "1 $(last_number "$work/live") whole" 'without gap or repeat over both kills'
awatch --job-set long --exit-when-done --json >"$work/again"
ok 'a later reader gets the same events' cmp "$work/live" "$work/again"
like "$(tail -n1 "$work/again")" "\"by\":\"$(id -un)\"" 'the end says who cancelled'

# ---- preempted and requeued by an administrator
job=$(asubmit --parsable --job-set away --wrap 'exec sleep 1000')
awatch --job-set away --from 0 --json >"$work/away" 2>/dev/null &
watcher=$!
ok 'a job runs' wait_until 20 has_event "$work/away" running
actl requeue "$job" >/dev/null
ok 'a requeue is an event' wait_until 30 has_event "$work/away" requeued
acancel "$job" >/dev/null
ok 'and the end' wait_until 30 has_event "$work/away" cancelled
kill "$watcher"

# ---- a listing that follows the events
held=$(asubmit --parsable --job-set listed --hold --wrap 'exec sleep 1000')
aqueue --watch --job-set listed --noheader --format state >"$work/listing" 2>&1 &
watcher=$!
ok 'aqueue --watch lists the job' wait_until 20 grep -q PENDING "$work/listing"
actl release "$held" >/dev/null
ok 'and lists it again when it runs' wait_until 20 grep -q RUNNING "$work/listing"
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
actl suspend "$held" >/dev/null 2>&1 || acancel "$held" >/dev/null
ok 'also after a restart of the controller' wait_until 30 grep -qE 'SUSPENDED|COMPLETING' "$work/listing" ||
	diag "$(cat "$work/listing")"
ok 'it goes on' kill -0 "$watcher"
kill "$watcher"
wait "$watcher" 2>/dev/null
acancel "$held" >/dev/null 2>&1

# ---- what the controller keeps
like "$(actl show limits)" 'watched job sets +all' 'actl show limits has the watches'
like "$(actl show limits)" 'job events in memory +all' 'and the memory of events'
done_testing
