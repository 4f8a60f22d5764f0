#!/bin/bash
# Accounting: what attempts used, in the forms that sacct has; sums that are calculated by hand; rights; bad input;
# history.db for sqlite3.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

needs sqlite3 python3
test_under_armada 2 --cpus 4 --memory 4G

refused()
{
	local code=$1 pattern=$2

	shift 2
	run "$@"
	is "$status" "$code" "$*: exit code $code"
	like "$err" "$pattern" "$*: the error gives the reason"
}
field()
{
	python3 -c 'import json, sys
for row in json.load(sys.stdin)["attempts"]:
	print(*[json.dumps(row[name]) for name in sys.argv[1:]])' "$@"
}
state_is()
{
	[ "$(aqueue -h --format state "$1")" = "$2" ]
}
runs_again()
{
	[ "$(aqueue -h --format state,attempt "$1" | sed 's/  */ /g')" = "RUNNING $2" ]
}

# what a job used
good=$(asubmit --parsable -J good --label project=alpha -c 2 --mem 100M --wrap 'i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; exit 0')
bad=$(asubmit --parsable -J bad -c 1 --mem 50M --wrap 'exit 3')
ok 'a job ends' wait_until 30 state_is "$good" COMPLETED
ok 'another fails' wait_until 30 state_is "$bad" FAILED
is "$(aacct -n -P --format=JobID,JobIDRaw,JobName,State,ExitCode,AllocCPUS,ReqMem,AllocTRES,NNodes,User -j "$good,$bad" | sed 's/cpu=2,memory=100M/X/; s/memory=100M,cpu=2/X/; s/memory=50M,cpu=1/Y/; s/cpu=1,memory=50M/Y/')" \
	"$good|$good|good|COMPLETED|0:0|2|100M|X|1|$(id -un)
$bad|$bad|bad|FAILED|3:0|1|50M|Y|1|$(id -un)" 'the fields of sacct, as its users type them'
is "$(aacct --parsable2 --format JobID,State "$good" | head -1)" 'JobID|State' 'the header has the names as they were given'
is "$(aacct -p -n -o state,name%2 "$good")" 'COMPLETED|go|' '--parsable ends with the separator, and a width cuts'
like "$(aacct -n -o MaxRSS,UserCPU,SystemCPU,TotalCPU,Elapsed,NodeList,Start,End,Submit,Reason "$bad")" ' n[12] .*exit code 3' 'other fields'
is "$(aacct --json "$good" | field job state requeued exit_code cpus memory lost)" "$good \"COMPLETED\" false 0 2000 104857600 \"\"" \
	'--json has one list with an object for each attempt'
like "$(aacct --json "$good" | field cpu_time user_time cpu_efficiency read_bytes)" '^[1-9][0-9]* [1-9][0-9]* 0\.[0-9]+ [0-9]+$' \
	'processor time, its part in user mode and the efficiency'
is "$(aacct --csv -o id,state,cpus,memory,cpu_efficiency,reason "$bad" | sed 's/0\.[0-9]*/E/')" \
	$'id,state,cpus,memory,cpu_efficiency,reason\n'"$bad,FAILED,1000,52428800,E,exit code 3" '--csv has plain numbers'
is "$(aacct -n -o by,lost "$good" | tr -d ' ')" '' 'nobody ended a good job'

# a preempted attempt and its second one; a cancelled job
again=$(asubmit --parsable -J again -c 1 --mem 50M --wrap 'exec sleep 1000')
ok 'a job runs' wait_until 20 runs_again "$again" 1
actl preempt "$again" >/dev/null
ok 'preempted, it runs again' wait_until 30 runs_again "$again" 2
is "$(aacct -n -P -o attempt,state,lost,by,requeued "$again")" "1|PREEMPTED|preemption|$(id -un)|yes
2|RUNNING|||no" 'each attempt has a row, also the one that runs'
acancel "$again" >/dev/null
ok 'it is cancelled' wait_until 20 state_is "$again" CANCELLED
is "$(aacct -n -P -o attempt,state,lost,by "$again")" "1|PREEMPTED|preemption|$(id -un)
2|CANCELLED||$(id -un)" 'who cancelled it'

# filters
array=$(asubmit --parsable -J arr -a 3-4 --job-set night -c 0.5 --mem 20M --wrap 'exit $((ARMADA_ARRAY_TASK_ID - 3))')
ok 'an array ends' wait_until 30 state_is "${array}_4" FAILED
ok 'both elements' wait_until 30 state_is "${array}_3" COMPLETED
ids()
{
	aacct -n -P -o JobID "$@" | paste -sd' '
}
is "$(ids -a)" "$good $bad $again $again ${array}_3 ${array}_4" 'all attempts of today'
is "$(ids -j "${array}_4")" "${array}_4" 'an element as aqueue prints it'
is "$(ids "$array")" "${array}_3 ${array}_4" 'an array'
is "$(ids --job-set night)" "${array}_3 ${array}_4" 'a job set'
is "$(ids -s failed)" "$bad ${array}_4" 'a state'
is "$(ids -s PR,CA)" "$again $again" 'states in short'
is "$(ids --name good,bad)" "$good $bad" 'names'
is "$(ids -q "$(id -un)" -s completed)" "$good ${array}_3" 'a queue'
is "$(ids -u "$(id -un)" --name arr)" "${array}_3 ${array}_4" 'a user and a name'
is "$(ids -a -N n1,n2 -s failed)" "$bad ${array}_4" 'nodes'
is "$(ids -a -S now-2hours -E now-1hour)" '' 'nothing ran an hour ago'
is "$(ids -S 2020-01-01 -E 2020-02-01 "$good")" '' 'a named job outside of the period'
is "$(ids -a -S yesterday -E tomorrow | wc -w)" 6 'words for times'

# asubmit on a terminal: jobs of ten seconds, made of one that ran
"$devcluster" kill "$cluster" armctld
db=$cluster/state/history.db
sqlite3 "$db" "UPDATE accounting SET name = 'greedy' WHERE job = $good"
python3 - "$db" "$good" <<'END'
import sqlite3, sys
# the packed row gets an end of twenty seconds later
conn = sqlite3.connect(sys.argv[1])
(row,) = conn.execute("SELECT row FROM row WHERE job = ?", (sys.argv[2],)).fetchone()
def number(i):
    n = shift = 0
    while True:
        n |= (row[i] & 127) << shift
        i, shift = i + 1, shift + 7
        if row[i - 1] < 128:
            return n, i
out, at = b"", 0
while at < len(row):
    key, end = number(at)
    value, after = number(end) if key & 7 in (0, 2) else (0, end)
    after += value if key & 7 == 2 else 8 if key & 7 == 1 else 4 if key & 7 == 5 else 0
    if key >> 3 == 18:
        value, packed = value + 20000000, b""
        while value > 127:
            packed, value = packed + bytes([value & 127 | 128]), value >> 7
        out += row[at:end] + packed + bytes([value])
    else:
        out += row[at:after]
    at = after
conn.execute("UPDATE row SET row = ? WHERE job = ?", (out, sys.argv[2]))
conn.commit()
END
"$devcluster" restart "$cluster" armctld
terminal()
{
	python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@" </dev/null | tr -d '\r'
}
hint="the last job 'greedy' used at most .* of 4G memory and 0.* of 4 cpus .aacct --name greedy."
like "$(terminal asubmit -J greedy --hold -c 4 --mem 4G --wrap true)" "$hint" 'asubmit on a terminal says what the last job used'
unlike "$(terminal asubmit -J greedy --hold -c 1 --mem 100M --wrap true)" 'the last job' 'not where it differs little'
unlike "$(terminal asubmit -J greedy --no-usage-hint --hold -c 4 --mem 4G --wrap true)" 'the last job' 'an option turns it off'
unlike "$(asubmit -J greedy --hold -c 4 --mem 4G --wrap true 2>&1)" 'the last job' 'without a terminal there is no such line'
unlike "$(terminal asubmit -J other --hold -c 4 --mem 4G --wrap true)" 'the last job' 'nor for another name'

# sums by label
like "$(aacct --usage --by label:project -n -P -o label,attempts)" '(^|'$'\n'')alpha\|1($|'$'\n'')' 'sums by label have the job with the label'
is "$(aacct --usage --by label:project --json | python3 -c 'import json, sys
print({r["label"] for r in json.load(sys.stdin)["usage"]} == {"", "alpha"})')" True 'and one sum for all without it'
is "$(sqlite3 -readonly "$db" "SELECT value FROM job_labels WHERE job_id = $good AND label = 'project'")" alpha 'the view of labels'

# a known history: times and amounts by hand
"$devcluster" kill "$cluster" armctld
hour=3600000000
day=$(date -d 2026-03-01 +%s)000000
sqlite3 "$db" "DELETE FROM accounting;"
attempt()
{ # job user start(h) hours state lost cpus gpus used(h; NULL)
	sqlite3 "$db" "INSERT INTO accounting (end_us, job, first_element, attempt, last_element, start_us, eligible_us, state,
		lost, uid, gid, requeued, submit_us, exit_code, exit_signal, for_job, for_element, tasks, node_count, cpu_milli,
		memory_bytes, gpus, cpu_us, peak_bytes, user, account, queue, job_set, name, class, reason, by_user, for_queue,
		nodes, resources)
		VALUES ($day + ($3 + $4) * $hour, $1, 0, 1, 0, $day + $3 * $hour, $day + $3 * $hour - 60000000 * ($1 - 100), $5, $6, 1, 1, $6,
		$day, 0, 0, 0, 0, 1, 1, $7 * 1000, 1000, $8, $9 * $hour, 250, '$2', 'acct-$2', 'q', '', '', 'normal', '', '', '', 'n1', '{}')"
}
attempt 101 ann 1 2 6 0 4 0 6    # 8 cpu-hours, 6 used
attempt 102 ann 2 1 10 1 4 2 1   # 4 lost to a preemption, with 2 gpu-hours
attempt 103 bob 3 1 11 2 2 0 NULL # 2 lost to a node; its use is not known
attempt 104 bob 20 8 6 0 1 1 2   # 8 hours, of which 4 are of the next day
"$devcluster" restart "$cluster" armctld
month='--from 2026-03-01 --to 2026-03-03'
is "$(aacct --usage $month --by user --csv -o user,attempts,cpu_hours,used,idle,lost_preemption,lost_node,gpu_hours,gpu_lost_preemption)" \
	'user,attempts,cpu_hours,used,idle,lost_preemption,lost_node,gpu_hours,gpu_lost_preemption
ann,2,12,7,5,4,0,2,2
bob,2,10,2,6,0,2,8,0' 'sums by user'
is "$(aacct --usage $month --by account -n -P -o account,cpu_hours)" $'acct-ann|12.00\nacct-bob|10.00' 'by account'
is "$(aacct --usage $month --by day -n -P -o day,attempts,cpu_hours,used,gpu_hours)" \
	$'2026-03-01|4|18.00|8.00|6.00\n2026-03-02|1|4.00|1.00|4.00' 'by day: an attempt is divided'
is "$(aacct --usage $month --by queue -n -P -o queue,wait_p50,wait_p95)" 'q|00:02:00|00:04:00' 'waiting times'
is "$(aacct --usage $month --by class --json | python3 -c 'import json, sys
print(*[(r["class"], r["cpu_hours"], r["wait_p95"]) for r in json.load(sys.stdin)["usage"]])')" "('normal', 22.0, 240000000)" 'JSON'
is "$(aacct --usage --from 2026-03-01T02:00 --to 2026-03-01T03:00 -n -P -o user,cpu_hours,idle)" 'ann|8.00|4.00' \
	'only the part of an attempt in the period counts'
is "$(aacct --usage $month -u bob -n -P -o user,cpu_hours)" 'bob|10.00' 'of a user'
is "$(aacct --efficiency $month -n -P -o user,idle,cpu_efficiency,memory_efficiency)" \
	$'bob|6.00|25.0%|25.0%\nann|5.00|58.3%|25.0%' 'efficiency: those that waste the most first'

# --truncate
long=$(asubmit --parsable -J long -c 1 --mem 50M --wrap 'exec sleep 1000')
ok 'a job runs' wait_until 20 runs_again "$long" 1
like "$(aacct -n -T -S now-1second -o ElapsedRaw "$long")" '^ *[012]$' '--truncate: the run time within the period'
acancel "$long" >/dev/null

# history.db
ok 'the job ends' wait_until 20 state_is "$long" CANCELLED
aacct "$long" >/dev/null
is "$(sqlite3 -readonly "$db" "SELECT state, round(cpus, 1), by_user FROM attempts WHERE job_id = $long")" "CANCELLED|1.0|$(id -un)" \
	'sqlite3 reads the views while the controller runs'
is "$(sqlite3 -readonly "$db" "SELECT user, sum(cpu_hours) FROM usage_by_day WHERE day >= '2026-02-28' AND day < '2026-03-05' GROUP BY user")" \
	$'ann|12.0\nbob|10.0' 'sums by SQL'
is "$(actl show limits | grep -cE ' 50G history_size| 1095 history_keep')" 2 'actl show limits has the retention'

# bad input
refused 2 "'monday' is not a time; write 2027-01-31" aacct -S monday
refused 2 'the period is empty: its start .2026-03-05. is not before its end .2026-03-01.' aacct --usage --from 2026-03-05 --to 2026-03-01
refused 2 "no column 'MaxRS'; did you mean max_rss" aacct --format JobID,MaxRS
refused 2 "no column 'usr'; did you mean user" aacct --usage --format usr
refused 2 'expected user, account, queue, class, day or label:KEY' aacct --usage --by month
refused 2 'label:KEY' aacct --usage --by label:
refused 2 'needs --usage or --efficiency' aacct --by user
refused 2 'give one' aacct --usage --efficiency
refused 2 'exclude each other' aacct --json --csv
refused 2 'cannot be selected by node' aacct --usage -N n1
refused 3 'there is no job 99999' aacct 99999
refused 3 "queue 'nosuch' does not exist" aacct -q nosuch
done_testing
