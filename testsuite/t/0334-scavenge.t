#!/bin/bash
# Jobs that scavenge, on a real cluster: they run in room that is reserved for a gang, make room when it starts, and run
# again afterwards.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >conf <<'X'
scheduler = { cycle_period = "100ms"; };
X

cat >task <<'X'
#!/bin/bash
# task FILE: note the start, and run until the file is there; obey SIGTERM at once
echo "start $ARMADA_JOB_ID $ARMADA_ATTEMPT" >>"${0%/*}/journal"
trap 'exit 143' TERM
until [ -e "${0%/*}/$1" ]; do
	read -rt 0.1 <&9 || :
done 9<> <(:)
X
chmod 755 task
: >journal
chmod 666 journal

test_under_armada 2 --cpus 4 --memory 8G --conf conf

# submit FILE [option...]: prints the id of a job that runs until the file is there
submit()
{
	local until=$1

	shift
	asubmit --parsable --memory 100M --output=/dev/null "$@" -- "$work/task" "$until"
}

state_of()
{
	aqueue --noheader --state all --format state "$1" | tr -d ' '
}

# is_now STATE ID...: all of these jobs are in this state
is_now()
{
	local state=$1 id

	shift
	for id; do
		[ "$(state_of "$id")" = "$state" ] || return 1
	done
}

# --- the room of a gang that waits for a long job

long=$(submit long -c 4 -t 60 -w n1)
ok 'a long job has one of two nodes' wait_until 20 is_now RUNNING "$long"
gang=$(submit gang -N 2 -n 2 -c 4 -t 60)
wait_until 20 sh -c "ashare | grep -q 'reserved for $gang on n\[1-2\]'"
result $? 'a gang waits for both nodes, and holds a reservation'
slow=$(submit go -c 2 -t 120)
short=$(submit short -c 1 -t 1)
lent=$(submit go -c 2 -t 120 --scavenge)
again=$(submit go -c 1 --no-requeue --time=UNLIMITED --scavenge)
ok 'a job whose time limit ends before the start of the gang uses the room' \
	wait_until 20 is_now RUNNING "$short"
ok 'so do jobs that scavenge, whatever their time limits' wait_until 20 is_now RUNNING "$lent" "$again"
is "$(state_of "$slow")" PENDING 'a job that would delay the gang does not'
# room_is NEED IDLE RECOVERED: the reserved room after the last round, its idle part in tenths
room_is()
{
	[ "$(ashare --json | python3 -c 'import json, sys
v = json.load(sys.stdin)["round"]["reservation"]
print(v and (v["need"], round(v["idle"], 1), v["recovered"]))')" = "($1, $2, $3)" ]
}
ok 'ashare --json: of the whole cluster that the gang needs, the half without the long job is used' \
	wait_until 20 room_is 1.0 0.0 0.5
like "$(ashare)" 'It needs 100\.0% of the cluster there: 1\.2% is idle, 50\.0% is used by jobs that do not delay it\.' \
	'ashare says it; the idle part is memory'
like "$(ashare --rounds)" 'ROUND .*PART.* [0-9.]+% +100\.0% +1\.2% +50\.0% +97\.[0-9]%' 'ashare --rounds lists the round'
like "$(aexplain "$slow")" 'Reserved: ' 'its reason is the reservation'
is "$(state_of "$gang")" PENDING 'the gang waits'
like "$(aqueue -l "$lent")" 'only while no other job needs them \(--scavenge\)' 'aqueue -l says that a job scavenges'
like "$(actl show job "$lent")" 'Scavenges +yes' 'actl show job says it'
is "$(aqueue --json "$lent" | python3 -c 'import json, sys; print(json.load(sys.stdin)["jobs"][0]["scavenge"])')" True \
	'JSON says it'

# --- it starts

touch short long
ok 'the gang starts when the long job has ended' wait_until 30 is_now RUNNING "$gang"
ok 'one scavenging job waits again' wait_until 20 is_now PENDING "$lent"
ok 'the other one, which is not to be requeued, has ended' wait_until 20 is_now PREEMPTED "$again"
like "$(aexplain "$again" 2>&1; aacct --noheader -j "$again" --format reason)" \
	"scavenging preemption: made room for job $gang of its own queue .*, because it scavenges" \
	'the reason of its end names the gang'
like "$(ashare)" "$lent .* $gang +made room for job $gang of its own queue" 'ashare lists the preemptions'
is "$(state_of "$slow")" PENDING 'the job that would have delayed it waits still'
touch gang
ok 'after the gang the scavenging job runs again' wait_until 30 is_now RUNNING "$lent"
is "$(grep -c "^start $lent " journal)" 2 'it has started twice'

is "$(ashare --json | python3 -c 'import json, sys
r = json.load(sys.stdin)["reserved"]
print(r["recovered_time"] > 0, abs(r["recovered"] - r["recovered_time"] / (r["recovered_time"] + r["idle_time"])) < 1e-6)')" \
	'True True' 'the share of the room that was recovered is known later, too'
is "$(ashare --rounds --json | python3 -c 'import json, sys
d = json.load(sys.stdin)
r = d["rounds"]
used = sum(x["recovered"] * x["lasts"] for x in r)
idle = sum(x["idle"] * x["lasts"] for x in r)
print(len(r) <= 128, [x["round"] for x in r] == sorted((x["round"] for x in r), reverse=True),
      abs(d["recovered"] - used / (used + idle)) < 1e-6, sum(x["preempted"] for x in r) >= 2)')" \
	'True True True True' 'so do the rounds that ashare --rounds lists, and their part over time'
run ashare --rounds --history
like "$status $err" '2 .*--rounds excludes --history' '--rounds excludes other listings'
like "$(ashare)" 'Of all reserved room that could be used meanwhile, [0-9.]+% was used since the controller started\.' \
	'ashare says it, too'

# --- refused and changed

run asubmit --scavenge --exclusive --wrap true
like "$status $err" '^1 .*scavenge: a job that wants whole nodes .* cannot scavenge' 'whole nodes are refused'
run asubmit --scavenge --gang-id g --gang-cardinality 2 --wrap true
like "$status $err" '^1 .*gang g: --scavenge is not for a gang of jobs' 'a gang of jobs is refused'
run asubmit --scavenge=perhaps --wrap true
like "$status $err" "^2 .*'perhaps': expected yes or no" 'another word is refused'
held=$(submit go -H)
run actl update "$held" --scavenge
like "$status $(actl show job "$held")" '^0.*Scavenges +yes' 'a waiting job can be made to scavenge'
run actl update "$held" --scavenge=no
is "$status $(actl show job "$held" | grep -c Scavenges)" '0 0' 'and no longer'
run actl update "$lent" --scavenge=no
like "$status $err" "^1 .*$lent.*scavenge" 'a running one cannot be changed'

cat >job.yaml <<'X'
name: from-yaml
scavenge: true
hold: true
command: [ /bin/true ]
X
cat >job.conf <<'X'
scavenge = true; hold = true; command = [ "/bin/true" ];
X
for file in job.yaml job.conf; do
	id=$(asubmit --parsable --file "$file")
	like "$(actl show job "$id")" 'Scavenges +yes' "$file: scavenge is true"
done
touch go
done_testing
