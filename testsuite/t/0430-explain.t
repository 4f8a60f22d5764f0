#!/bin/bash
# Why a job waits and what would start it; what the last round did. On a real, full cluster: what
# aexplain suggests is done, and it starts.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >conf <<'X'
queues = ( { name = "a"; owners = [ "ME" ]; }, { name = "b"; owners = [ "ME" ]; priority_factor = 3.0; } );
priority_classes = (
	{ name = "armada-default"; priority = 1000; },
	{ name = "armada-preemptible"; priority = 1000; fair_share_preemptible = true; }
);
scheduler = { cycle_period = "50ms"; };
X
sed -i "s/ME/$(id -un)/g" conf

test_under_armada 2 --cpus 4 --memory 4G --conf conf

cat >until <<'X'
#!/bin/bash
# until FILE: runs until the file is there
until [ -e "$1" ]; do
	read -rt 0.02 <> <(:)
done
X
chmod 755 until

# job OPTION...: one that runs until the file `go` is there; its id in $id
job()
{
	id=$(asubmit --parsable --mem 100M -o /dev/null -q a "$@" -- "$work/until" "$work/go") ||
		diag "asubmit $* failed"
}

state_is()
{
	[ "$(aqueue --noheader --state all --format state "$1")" = "$2" ]
}

# because ID WORD: this is why it waits
because()
{
	[ "$(aqueue --noheader --format why "$1")" = "$2" ]
}

# change ID: the option that would start it
change()
{
	aexplain "$1" | sed -n 's/^  asubmit option: //p'
}

# starts_with WHAT ID OPTION...: what aexplain suggests for the job, which was submitted with these
# options, is asked for in another, and that one starts
starts_with()
{
	local what=$1 old=$2 option

	shift 2
	option=$(change "$old")
	ok "$what: there is a change" test -n "$option"
	acancel --quiet "$old"
	job "$@" $option
	ok "$what: $option starts it" wait_until 10 state_is "$id" RUNNING
	acancel --quiet "$id"
	wait_until 10 job_ended "$id"
}

# --- a cluster that is nearly full: 1 cpu and some memory is left on each node
for n in 1 2; do
	job -c 3 --time 10
	wait_until 10 state_is "$id" RUNNING
	full[n]=$id
done
job -c 2 --name wide
wide=$id
ok 'a round says why a job waits' wait_until 10 because "$wide" Resources
like "$(aqueue --noheader "$wide")" '\(Resources\)$' 'in a word'
like "$(aqueue --noheader --detail "$wide")" '2 cpu free now' '--detail: with its numbers'
run aexplain "$wide"
is "$status" 0 'it is explained'
like "$out" "^Job $wide \(wide\) of .* in queue a, PENDING" 'what it is about'
like "$out" 'Resources: no node it may use has enough free now' 'the reason and what it means'
like "$out" '2  known' 'the nodes there are'
like "$out" '2  with too little free now: cpu' 'what keeps it off them'
like "$out" 'The nearest is n[12]: it lacks 1 cpu' 'and the nearest'
like "$out" 'cpu +6 +8' 'what its queue has and wants'
like "$out" 'number 1 of the 1 jobs' 'its place'
like "$out" 'Expected start' 'when it will start'
unlike "$out" $'\033' 'no colours in a pipe'
run aqueue --start --noheader --format id,expected
like "$out" "^ *$wide +20..-..-..T" '--start has the same'
is "$(wc -l <<<"$out")" 1 'and nothing that does not wait'
run aexplain --json "$wide"
like "$out" '"why": "Resources"' 'JSON: the word'
like "$out" '"kind": "less"' 'and the change'
if has python3; then
	ok 'which is JSON' python3 -c 'import json, sys; json.loads(sys.argv[1])["jobs"][0]["change"]["amount"]' "$out"
else
	skip "which is JSON: $missing"
fi
starts_with 'fewer cpus' "$wide" -c 2

job --mem 4G
ok 'too much memory' wait_until 10 because "$id" Resources
starts_with 'less memory' "$id" --mem 4G
job --exclusive
wait_until 10 because "$id" Resources
old=$id
like "$(aexplain "$old")" 'in use, and it wants whole ones' 'a whole node'
acancel --quiet "$old"

job -N 2 -c 2
ok 'a gang' wait_until 10 eval "! because $id Priority"
like "$(aexplain "$id")" 'What would start it now' 'is explained'
acancel --quiet "$id"

anode drain n2 for a test >/dev/null
job -w n2
ok 'a node that is drained' wait_until 10 because "$id" Constraints
like "$(aexplain "$id")" '1  down, drained or silent' 'is counted as such'
acancel --quiet "$id"
anode resume n2 >/dev/null

# --- arrays, holds, and what does not wait
job -c 4 -a 1-5
array=$id
wait_until 10 because "$array" Resources
like "$(aexplain "$array")" "^Job ${array}_\[1-5\] .* 5 elements" 'the waiting part of an array'
like "$(aexplain "${array}_3")" "^Job ${array}_3 " 'one element'
acancel --quiet "${array}_2"
ok 'its end reaches the history' wait_until 10 sh -c "aexplain ${array}_2 | grep -q 'It does not wait: it has ended'"
run aexplain "${array}_77"
is "$status" 3 'an element that is not there'
like "$err" 'has no element 77' 'in words'
acancel --quiet "$array"
job --hold
run aexplain "$id"
like "$out" 'Held: it is held until somebody releases it' 'a held job'
like "$out" "actl release $id" 'and how it is released'
held=$id
like "$(aexplain "${full[1]}")" 'It does not wait: it runs on n[12] since' 'one that runs'
run aexplain 999999 "$held"
is "$status" 3 'one that never was'
like "$err" 'there is no job 999999' 'in words'
like "$out" "^Job $held " 'beside one that is'
run aexplain
is "$status" 2 'no id'
like "$err" 'say which job' 'is a mistake'
run aexplain 12-15
is "$status" 2 'nor is a range one job'
acancel --quiet "$held"

# --- the last round
run ashare
is "$status" 0 'ashare'
like "$out" '^Round [0-9]+, .* took .* ms: [0-9]+ started, [0-9]+ preempted' 'says which round'
like "$out" 'Everything that could start was looked at' 'how it ended'
like "$out" 'Started:' 'and what was started last'
is "$(ashare --noheader --format queue,cpus,fair a | tr -s ' ')" 'a 6/6 100.0%' 'a queue alone has all'
run ashare nosuch
is "$status" 3 'a queue that has nothing is not there'
run ashare --format nosuch
is "$status" 2 'nor is such a column'

# b may have a quarter of what it wants; a holds the rest and gives way
acancel --quiet "${full[@]}"
wait_until 10 job_ended "${full[@]}"
victims=()
for n in 1 2 3 4 5 6 7 8; do
	job -c 1 --priority-class armada-preemptible
	victims+=("$id")
done
wait_until 20 sh -c '[ "$(aqueue --noheader -t R --format id | wc -l)" -eq 8 ]' || diag 'a does not fill it'
job -q b -c 1 --priority-class armada-preemptible
ok 'ashare says who was preempted' wait_until 20 sh -c 'ashare | grep -q ^Preempted:'
run ashare
like "$out" "FOR +REASON" 'with what for'
like "$out" " $id +made room for" 'and for whom'
like "$out" 'Started:' 'and who was started in its place'
job -q b -c 1 --priority-class armada-preemptible
ok 'the other queue gets its share' wait_until 20 sh -c '[ "$(aqueue --noheader -q b -t R --format id | wc -l)" -eq 2 ]'
ok 'two wait again' wait_until 20 sh -c '[ "$(aqueue --noheader -q a -t PD --format id | wc -l)" -eq 2 ]'
is "$(ashare --noheader --format queue,weight,fair | tr -s ' ')" $'a 1 75.0%\nb 0.3333 25.0%' 'shares by weight'
shares_are()
{
	[ "$(ashare --noheader --format cpus | tr -s ' ' | sort)" = "$1" ]
}
ok 'what both have and want, as a round sees it when it begins' wait_until 10 shares_are $'2/2\n6/8'
is "$(ashare --json | sed -n 's/^ *"adjusted": //p' | awk '{sum += $1} END {printf "%.3f", sum}')" 1.000 \
	'adjusted shares add up'
run ashare --json
like "$out" '"end": "done"' 'JSON: how it ended'
like "$(sed -n '/"acted"/,$p' <<<"$out")" '"started_count": [1-9]|"preempted_count": [1-9]' 'and the last that acted'
if has python3; then
	ok 'which is JSON' python3 -c 'import json, sys; json.loads(sys.argv[1])["queues"][0]["allocated"]["cpu"]' "$out"
else
	skip "which is JSON: $missing"
fi
touch go
wait_until 20 job_ended "${victims[@]}" || diag 'they do not end'

done_testing
