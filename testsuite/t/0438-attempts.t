#!/bin/bash
# Every attempt of a job is kept and shown; rows say nothing untrue of jobs that never started or that wait.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 2 --memory 2G

cells()
{
	aqueue --noheader --format "$@" | sed 's/  */ /g; s/^ //; s/ $//'
}
state_is()
{
	[ "$(cells state "$1")" = "$2" ]
}
runs_again()
{
	[ "$(cells state,attempt "$1")" = "RUNNING $2" ]
}
field()
{
	python3 -c 'import json, sys
for job in json.load(sys.stdin)["jobs"]:
	print(*[json.dumps(job[name]) for name in sys.argv[1:]])' "$@"
}
sleeper()
{
	asubmit --parsable --cpus 0.5 --mem 100M "$@" --wrap 'exec sleep 1000'
}

job=$(sleeper -J again)
ok 'a job runs' wait_until 20 runs_again "$job" 1
actl requeue "$job" >/dev/null
ok 'requeued, it runs again' wait_until 30 runs_again "$job" 2
is "$(cells attempt,state,requeued -D "$job")" $'1 PREEMPTED yes\n2 RUNNING no' 'aqueue -D has both attempts'
is "$(aqueue --json --attempts "$job" | field attempt requeued exit_signal reason time_left | sed 's/[0-9][0-9]*$/N/')" \
	$'1 true 15 "requeued by '"$(id -un)"$'" null\n2 false null "" N' 'so has JSON'
actl requeue "$job" >/dev/null
ok 'once more' wait_until 30 runs_again "$job" 3

"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'after kill -9 of the controller it still runs' wait_until 30 runs_again "$job" 3
is "$(cells attempt -D "$job" | tr '\n' ' ')" '1 2 3 ' 'the attempts are kept, each once'
text=$(actl show job "$job")
like "$text" 'Earlier attempts.* attempt 1 on n[12] from .* to .*exit 0:15.* attempt 2 on' 'actl show job has them'
acancel "$job"
ok 'its end' wait_until 20 state_is "$job" CANCELLED
is "$(cells attempt,state -D "$job")" $'1 PREEMPTED\n2 PREEMPTED\n3 CANCELLED' 'the ended job has three attempts'
is "$(cells attempt,state "$job")" '3 CANCELLED' 'without -D only the last'
is "$(cells attempt -D -t preempted -j "$job" | tr '\n' ' ')" '1 2 ' 'by state'
is "$(cells id -D | wc -l)" 0 'attempts of ended jobs are not among those of active jobs'

array=$(sleeper -a 7-8)
all_run()
{
	[ "$(aqueue -h -r -t running "$1" | wc -l)" = "$2" ]
}
ok 'an array runs' wait_until 20 all_run "$array" 2
actl requeuehold "$array" >/dev/null
waits_all()
{
	[ "$(aqueue -h -r -t pending "$1" | wc -l)" = 2 ]
}
ok 'requeued and held, it waits' wait_until 20 waits_all "$array"
before="${array}_7: attempt 1: requeued by $(id -un); and 1 other element waits again after an attempt"
like "$(aqueue -l "$array")" "Before +$before" 'aqueue -l tells how it came to wait'
is "$(aqueue --json "$array" | field last_end)" "\"$before\"" 'JSON, too'
like "$(actl show job "$array")" "before: $before" 'actl show job, too'
like "$(aexplain "$array")" "Before: .*attempt 1: requeued by" 'aexplain, too'
is "$(cells id,attempt,state -D "$array")" \
	"${array}_7 1 PREEMPTED
${array}_7 1 PENDING
${array}_8 1 PREEMPTED
${array}_8 1 PENDING" 'aqueue -D has a line for each attempt'
acancel "$array"

# nothing untrue of a job that never started
never=$(asubmit --parsable --chdir /nonexistent --wrap true)
ok 'a job whose directory does not exist fails' wait_until 20 state_is "$never" FAILED
is "$(cells exit,time_left "$never")" '- -' 'it has no exit code and no time left'
is "$(aqueue --json "$never" | field exit_code exit_signal)" 'null null' 'nor in JSON'
waits=$(asubmit --parsable --hold --wrap true)
is "$(aqueue --json "$waits" | field exit_code exit_signal)" 'null null' 'nor has a job that waits'
is "$(cells exit_code,exit_signal "$waits")" '- -' 'in no listing'
acancel "$waits" >/dev/null
unlike "$(aqueue -l "$never")" 'exit|Used' 'nor in its block'
unlike "$(actl show job "$never")" 'exit 0:0' 'nor in actl show job'
unlike "$(aexplain "$never")" 'exit code' 'nor in aexplain'

# what is known of a job that waits
held=$(sleeper --hold -N 2 -n 4 -t 5)
is "$(cells nodes,time_left "$held")" '2 00:05:00' 'a pending job shows the nodes and the time that it asks for'
none=$(sleeper --hold -t 0)
is "$(cells nodes,time_left "$none")" '1 UNLIMITED' 'and that it has no limit'
is "$(aqueue --json "$none" | field time_left)" null 'which is null in JSON'
done_testing
