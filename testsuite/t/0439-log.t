#!/bin/bash
# The log: a line for each event that matters, lines of JSON, levels of areas while the daemons run.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 2 --memory 2G
log=$cluster/log/armctld.log

logged()
{
	grep -qE -- "$1" "$log"
}
has_line()
{
	ok "the log says: $1" wait_until 20 logged "$1"
}

# armd reports the start and the end of a very short task at a time; then there is no line of its start
waits="until [ -e $work/go ]; do sleep 0.05; done"
run asubmit --parsable --job-name parse --output /dev/null --nodelist n1 --wrap "$waits; exit 3"
job=$out
has_line "info: job $job: submitted by [a-z]+ to queue [^ ]+, name parse$"
has_line "info: job $job: started on n1$"
touch "$work/go"
has_line "info: job $job: FAILED( after [^:]*)?: exit code 3$"
run asubmit --parsable --output /dev/null --array 1-3 --wrap true
has_line "info: job ${out}_2: COMPLETED"
run asubmit --parsable --output /dev/null --hold --wrap "$(printf 'sleep 1 #\n')" --job-name $'forged\nline'
is "$status" 2 'a name with a line feed is refused'
run asubmit --parsable --output /dev/null --nodelist n2 --wrap 'exec sleep 1000'
has_line "info: job $out: started on n2"
acancel "$out" >/dev/null
has_line "info: job $out: is being ended: cancelled"
has_line "info: job $out: CANCELLED"
actl queue create physics --factor 2 >/dev/null
has_line 'notice: queue physics: made by root$'
anode drain n2 'new disk' >/dev/null
has_line 'notice: node n2: DRAINED by root: new disk$'
anode resume n2 >/dev/null
has_line 'notice: node n2: UP by root'

# --- levels
run actl log
is "$status" 0 'actl log shows the levels'
like "$out" $'AREA +LEVEL +SET BY +CONTENTS\nmain +info +armada.conf' 'one line for each area'
run actl log job=notice sched=debug
like "$out" 'job +notice +actl' 'a level is changed'
has_line 'levels of the log set by root: job=notice sched=debug'
run asubmit --parsable --output /dev/null --wrap true
ok 'a job ends' wait_until 20 job_ended "$out"
has_line ' debug: round [0-9]+: '
ok 'its lines are not written' test -z "$(grep "job $out:" "$log")"
run actl log net=loud
is "$status" 2 'an unknown level is refused'
like "$err" 'error, warn, notice, info, debug or default' 'with the levels that exist'
run actl log nett=debug
like "$err" "'nett' is no area of the log; the areas are: main, net, job, node, queue, sched, state, notify, all" \
	'an unknown area is refused'
run actl --json log all=default
is "$(jq -r '[.log[].set] | unique | join(" ")' <<<"$out")" armada.conf 'all areas follow armada.conf again'

# --- JSON, by a reload
printf 'log_format = "json";\n' >>"$cluster/armada.conf"
actl reconfigure >/dev/null
rm -f "$work/go"
run asubmit --parsable --output /dev/null --nodelist n1 --wrap "$waits"
job=$out
in_json()
{
	grep -a '^{' "$log" | jq -es --argjson job "$job" '[.[] | select(.job == $job and
		.message == "job \($job): started on n1" and .node == "n1" and .user == "root" and
		.level == "info" and .area == "job" and .daemon == "armctld")] | length == 1' >/dev/null
}
ok 'a line of JSON has the job, its node and its user' wait_until 20 in_json
touch "$work/go"

# --- armd has levels by signals
pid=$(cat "$cluster/n1.pid")
kill -USR1 "$pid"
says()
{
	grep -qE -- "$1" "$cluster/log/n1.log"
}
ok 'SIGUSR1 sets all areas of armd to debug' wait_until 20 says 'SIGUSR1: the log has all messages'
kill -USR2 "$pid"
ok 'SIGUSR2 ends that' wait_until 20 says 'SIGUSR2: the log has its level of before'
ok 'the node works on' wait_until 20 job_ended "$job"
done_testing
