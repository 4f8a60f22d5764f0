#!/bin/bash
# Readers of job events: who may watch which set in a private cluster, with the same answer for what is hidden and for
# what does not exist; and readers that are slow or begin late, behind a small memory of events.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/armada.sh"
needs python3

[ "$(id -u)" = 0 ] || skip_all 'only root can become several users'
for user in games mail backup; do
	id -u "$user" >/dev/null 2>&1 || skip_all "there is no user $user here"
done

cat >site.conf <<'END'
security = { min_uid = 0; allow_root_jobs = true; };
private = true;
limits = { event_memory = "64K"; jobs_per_request = 2000; watches_per_user = 3; output_timeout = "16s"; };
queues = ( { name = "free"; }, { name = "q"; permissions = [ "user:games=submit", "user:backup=watch" ]; } );
END
test_under_armada 1 --cpus 2 --conf "$work/site.conf"
mkdir bin
for program in asubmit awatch; do
	install -m 755 "$(command -v "$program")" bin/
done
as()
{
	local user=$1 program=$2

	shift 2
	(cd / && exec setpriv --reuid "$user" --regid "$(id -g "$user")" --init-groups \
		"$work/bin/$program" "$@")
}
submit()
{
	local user=$1

	shift
	as "$user" asubmit --parsable --mem 10M --output /dev/null "$@" --wrap true
}
# users FILE: whose jobs the events of a file are about
users()
{
	python3 -c 'import json,pwd,sys
print(" ".join(sorted({pwd.getpwuid(json.loads(l)["uid"]).pw_name for l in sys.stdin})))'
}

# ---- who sees what
mine=$(submit mail --queue free --job-set shared)
other=$(submit games --queue free --job-set shared)
secret=$(submit games --queue q --job-set secret)
ok 'the jobs end' wait_until 20 job_ended "$mine" "$other" "$secret"
is "$(as mail awatch --queue free --job-set shared --from 0 --exit-when-done --json | users)" mail \
	'who began a set sees in it the own jobs alone'
is "$(awatch --queue free --job-set shared --exit-when-done --json | users)" 'games mail' 'an administrator sees all'
is "$(as backup awatch --queue q --job-set secret --exit-when-done --json | users)" games \
	'the right to watch a queue shows its sets'
run as mail awatch --queue q --job-set secret
hidden="$status $err"
run as mail awatch --queue q --job-set nothere
is "${hidden//secret/}" "$status ${err//nothere/}" 'a hidden set gives the answer of one that does not exist'
is "$status" 3 'which is that there is none'
run as games awatch --queue free --job-set shared
is "$status" 3 'so for who has only jobs that have ended in the set of another'
held=$(submit games --queue free --job-set shared --hold)
(cd / && exec setpriv --reuid games --regid "$(id -g games)" --init-groups "$work/bin/awatch" --json "$held") \
	>"$work/own" 2>&1 &
watcher=$!
ok 'a job that has not ended shows its owner the own events' wait_until 20 grep -q '"event":"submitted"' "$work/own"
acancel "$held" >/dev/null
ok 'to the end' wait_until 20 grep -q '"event":"cancelled"' "$work/own"
is "$(users <"$work/own")" games 'and no others'
kill "$watcher"
wait "$watcher" 2>/dev/null

# ---- a reader that does not read, and one that begins late
python3 - "$work" <<'END'
import json, sys
json.dump({"defaults": {"queue": "free", "job_set": "many", "hold": True, "memory": "10M", "command": "/bin/true"},
           "jobs": [{"name": "job%d" % i} for i in range(2000)]}, open(sys.argv[1] + "/many.json", "w"))
END
first=$(asubmit --parsable --queue free --job-set many --hold --mem 10M --wrap true)
awatch --queue free --job-set many --from 0 --json >"$work/slow" 2>"$work/slow.err" &
slow=$!
ok 'a reader begins' wait_until 20 test -s "$work/slow"
kill -STOP "$slow"
for _ in 1 2 3; do
	asubmit --quiet --file "$work/many.json" >/dev/null 2>"$work/many.err" || diag "$(cat "$work/many.err")"
done
begin=${EPOCHREALTIME/./}
acancel --quiet --job-set many
ok 'requests are answered although a reader does not read' test $((${EPOCHREALTIME/./} - begin)) -lt 20000000
awatch --queue free --job-set many --exit-when-done --json >"$work/late"
is "$(python3 - "$work/late" <<'END'
import json, sys
n = [json.loads(l)["number"] for l in open(sys.argv[1])]
print(n == list(range(1, len(n) + 1)), len(n) > 12000)
END
)" 'True True' 'a late reader gets all events from the history'
none()
{
	actl show limits | grep -qE '^watched job sets +all +0 '
}
ok 'a reader that reads nothing for half of limits.output_timeout loses its watch' wait_until 60 none
kill -CONT "$slow"
same_size()
{
	[ "$(wc -l <"$work/slow")" -ge "$(wc -l <"$work/late")" ]
}
ok 'the slow reader catches up' wait_until 40 same_size
kill "$slow"
wait "$slow" 2>/dev/null
diag "the slow reader: $(cat "$work/slow.err")"
ok 'it goes on at its number, without gap or repeat' cmp "$work/slow" "$work/late"

# ---- bounds
for _ in 1 2 3; do
	awatch --queue free --job-set many --json >/dev/null 2>&1 &
	pids+=($!)
done
three()
{
	actl show limits | grep -qE '^watched job sets +all +3 '
}
ok 'three watch' wait_until 20 three
run awatch --queue free --job-set many --exit-when-done
is "$status" 75 'one more is over the bound of the user'
like "$err" 'limits.watches_per_user allows' 'which the error names'
kill "${pids[@]}"
ok 'watches end with their connections' wait_until 20 none
like "$(actl show limits)" 'job events in memory +all +6[0-9.]+K +64K' 'the memory of events has its bound'
done_testing
