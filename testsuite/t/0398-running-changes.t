#!/bin/bash
# Changes of running jobs through the real daemons: the time limit, also while armd is down and the controller is
# killed, and suspend and resume.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
test_under_armada 2 --cpus 2 --memory 1G

column()
{
	aqueue --noheader --state all --format "$2" "$1" | sed 's/ *$//'
}
state_is()
{
	[ "$(column "$1" state)" = "$2" ]
}
count()
{
	cat "$1" 2>/dev/null || echo 0
}
# moves FILE: the number in the file has grown within a second
moves()
{
	local before

	before=$(count "$1")
	wait_until 5 eval "[ \$(count $1) -gt $before ]"
}
# stands FILE: the number stays the same; a counter adds one every 20 ms
stands()
{
	local before last

	before=$(count "$1")
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.05
		last=$(count "$1")
	done
	[ "$before" = "$last" ]
}
submit()
{
	id=$(asubmit --parsable --mem 50M --output=/dev/null "$@")
	wait_until 10 state_is "$id" RUNNING
}

# --- the time limit
submit --time 3s -- sleep 600
ok 'an administrator extends a running job' actl update "$id" --time=+1h
like "$(column "$id" time_limit)" '1:00:03' 'aqueue shows the new limit'
submit -w n2 --time 1h -- sleep 601
"$devcluster" kill "$cluster" n2 >/dev/null
ok 'the limit changes while armd is down' actl update "$id" --time=10s
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" n2 >/dev/null
ok 'the node learns it from the controller that was restarted' wait_until 60 state_is "$id" TIMEOUT
like "$(column "$id" reason)" 'time limit of 10 s .changed by actl update' 'the reason names the change'
is "$(column 1 state)" RUNNING 'the extended job runs on after its first limit'
run actl update 1 --time=1s
is "$status" 1 'a limit that has passed is refused'
like "$err" 'it has run for .* acancel ends it' 'the error says how long the job has run'
run actl update 1 --time=-9h
like "$err" 'nothing would be left' 'so is a change that leaves nothing'
run actl update 1 --time=+UNLIMITED
like "$err" "UNLIMITED.: expected a time" 'so is a relative limit without a number'
acancel 1 >/dev/null

# --- suspend
cat >counter.sh <<'EOF'
#!/bin/sh
trap 'echo ended >term; exit 0' TERM
i=0
while :; do i=$((i + 1)); echo $i >count.new; mv count.new count; sleep 0.02; done
EOF
submit counter.sh
ok 'the counter counts' moves count
if [ "$(anode --noheader --format containment n1 | tr -d ' ')" = rlimit ]; then
	run actl suspend "$id"
	is "$status" 1 'a task without control groups cannot be suspended'
	like "$err" 'cannot freeze processes .its containment is rlimit' 'the error names the node and its containment'
	skip 'suspend: the tasks here have no control groups'
else
	run actl suspend "$id"
	like "$out" 'Suspended 1 running' 'a running job is suspended'
	ok 'its state is SUSPENDED' state_is "$id" SUSPENDED
	is "$(aqueue --noheader --state suspended --format id | tr -d ' ')" "$id" 'the state can be selected'
	ok 'its processes stand still' wait_until 10 stands count
	acancel --signal WINCH "$id" >/dev/null
	ok 'a signal does not wake them' wait_until 10 stands count
	"$devcluster" kill "$cluster" armctld >/dev/null
	"$devcluster" restart "$cluster" armctld >/dev/null
	ok 'the controller remembers it' wait_until 20 state_is "$id" SUSPENDED
	"$devcluster" restart "$cluster" n1 >/dev/null
	ok 'they stand still after a restart of armd' wait_until 20 stands count
	run actl resume "$id"
	like "$out" 'Resumed 1 running' 'it is resumed'
	ok 'the counter counts again' moves count
	run actl resume "$id"
	like "$out" 'Nothing to do' 'resuming twice does nothing'
	actl suspend "$id" >/dev/null
	ok 'it is suspended again' wait_until 10 stands count
	acancel "$id" >/dev/null
	ok 'a suspended job gets SIGTERM when it is cancelled' wait_until 10 test -s term
fi
done_testing
