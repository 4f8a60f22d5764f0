#!/bin/bash
# The reason why a job is pending and what would start it, and the report of the last round. On a
# real, full cluster: a job that is submitted with the change that aexplain suggests starts.
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
# until FILE: runs until the file exists
until [ -e "$1" ]; do
	read -rt 0.1 <&9 || :
done 9<> <(:)
X
chmod 755 until

# job OPTION...: a job that runs until the file `go` exists; its id goes to $id
job()
{
	id=$(asubmit --parsable --memory 100M -o /dev/null -q a "$@" -- "$work/until" "$work/go") ||
		diag "asubmit $* failed"
}

state_is()
{
	[ "$(aqueue --noheader --state all --format state "$1")" = "$2" ]
}

# because ID WORD: the reason word of the pending job
because()
{
	[ "$(aqueue --noheader --format why "$1")" = "$2" ]
}

# change ID: prints the option that would start it
change()
{
	aexplain "$1" | sed -n 's/^  asubmit option: //p'
}

# starts_with WHAT ID OPTION...: the change that aexplain suggests for the job, which was submitted
# with these options, is applied to another one, and that one starts
starts_with()
{
	local what=$1 old=$2 option

	shift 2
	option=$(change "$old")
	ok "$what: aexplain suggests a change" test -n "$option"
	acancel --quiet "$old"
	job "$@" $option
	ok "$what: $option starts it" wait_until 10 state_is "$id" RUNNING
	acancel --quiet "$id"
	wait_until 10 job_ended "$id"
}

# --- a cluster that is nearly full: 1 cpu and some memory is free on each node
for n in 1 2; do
	job -c 3 --time 10
	wait_until 10 state_is "$id" RUNNING
	full[n]=$id
done
job -c 2 --name wide
wide=$id
ok 'a round gives the reason of a pending job' wait_until 10 because "$wide" Resources
like "$(aqueue --noheader "$wide")" '\(Resources\)$' 'aqueue shows the reason word'
like "$(aqueue --noheader --detail "$wide")" '2 cpu free now' '--detail shows the numbers'
run aexplain "$wide"
is "$status" 0 'aexplain succeeds'
like "$out" "^Job $wide \(wide\) of .* in queue a, PENDING" 'aexplain names the job'
like "$out" 'Resources: no eligible node has enough free resources now' 'aexplain explains the reason'
like "$out" '2  in total' 'aexplain counts the nodes'
like "$out" '2  with too few free resources: cpu' 'aexplain says what the nodes lack'
like "$out" 'The nearest node is n[12]; it lacks 1 cpu' 'aexplain names the nearest node'
like "$out" 'cpu +6 +8' 'aexplain shows the resources of the queue'
like "$out" 'position 1 of the 1 pending job' 'aexplain shows the place in the queue'
like "$out" 'nothing is tried before it' 'aexplain counts no gangs where there are none'
like "$out" 'Expected start' 'aexplain shows the expected start'
unlike "$out" $'\033' 'there are no colours in a pipe'
like "$out" "n[12]: job ${full[1]} of $(id -un), since 20..-..-..T..:..:.., until 20..-..-..T..:..:.. at the latest" \
	'aexplain names the job that holds the room, since when and until when'
run aqueue --start --noheader --format id,expected
like "$out" "^ *$wide +20..-..-..T" 'aqueue --start shows the expected start'
is "$(wc -l <<<"$out")" 1 'aqueue --start lists pending jobs only'
run aexplain --json "$wide"
like "$out" '"why": "Resources"' 'the JSON has the reason word'
like "$out" '"kind": "less"' 'the JSON has the change'
if has python3; then
	ok 'the JSON is valid' python3 -c 'import json, sys; json.loads(sys.argv[1])["jobs"][0]["change"]["amount"]' "$out"
else
	skip "the JSON is valid: $missing"
fi
like "$(aexplain "$wide")" "  actl update $wide --cpus=1" 'aexplain prints the command that would help'
starts_with 'fewer cpus' "$wide" -c 2
job -c 2
wait_until 10 because "$id" Resources
ok 'the command is accepted' $(aexplain "$id" | grep '^  actl update')
ok 'the job starts' wait_until 10 state_is "$id" RUNNING
acancel --quiet "$id"
wait_until 10 job_ended "$id"

job --memory 4G
ok 'a job with too much memory is pending' wait_until 10 because "$id" Resources
starts_with 'less memory' "$id" --memory 4G
job --exclusive
wait_until 10 because "$id" Resources
old=$id
like "$(aexplain "$old")" 'in use although it needs whole nodes' 'a job for a whole node is explained'
acancel --quiet "$old"

job -N 2 -c 2
ok 'a gang is pending' wait_until 10 eval "! because $id Priority"
like "$(aexplain "$id")" 'What would start it now' 'aexplain suggests a change for a gang'
acancel --quiet "$id"

anode drain n2 for a test >/dev/null
job -w n2
ok 'a job for a drained node is pending' wait_until 10 because "$id" Constraints
run aexplain "$id"
like "$out" '1  down, drained or silent' 'aexplain counts the drained node'
like "$out" "n2 is drained \(since 20..-..-..T..:..:.., by $(id -un)\): for a test" 'aexplain says why the node is drained'
like "$(aexplain --json "$id")" '"reason": "for a test"' 'the JSON has the reason of the node'
acancel --quiet "$id"
anode resume n2 >/dev/null

# --- arrays, held jobs, and jobs that are not pending
job -c 4 -a 1-5
array=$id
wait_until 10 because "$array" Resources
like "$(aexplain "$array")" "^Job ${array}_\[1-5\] .* 5 elements" 'aexplain explains the pending part of an array'
like "$(aexplain "${array}_3")" "^Job ${array}_3 " 'aexplain explains one element'
row=$(aqueue --noheader --format id "$array" | tr -d ' ')
is "$row" "${array}_[1-5]" 'aqueue prints the pending part'
like "$(aexplain "$row")" "^Job ${array}_1 .*PENDING" 'aexplain accepts the id that aqueue prints'
like "$(aexplain "${array}_[2,4-5]")" "^Job ${array}_2 .*PENDING" 'and a list of elements'
acancel --quiet "${array}_2"
ok 'aexplain finds an ended element in the history' wait_until 10 sh -c "aexplain ${array}_2 | grep -q 'It is not pending: it has ended'"
run aexplain "${array}_77"
is "$status" 3 'an unknown element gives exit code 3'
like "$err" 'has no element 77' 'the error names the element'
acancel --quiet "$array"
# a quiet cluster, where no further round comes: the limit of the array shows at once
job -c 1 -a 1-9%1
array=$id
wait_until 10 sh -c "aqueue --noheader -t R --format id $array | grep -q ." || diag 'no element runs'
is "$(aqueue --noheader -t PD --format why "$array")" ArrayLimit 'aqueue shows the limit of the array at once'
like "$(aexplain "$array")" 'ArrayLimit: ' 'aexplain says the same'
unlike "$(aexplain "$array")" 'would end before it tries' 'and nothing of a round, which would not try it'
acancel --quiet "$array"
wait_until 10 job_ended "$array"
# a cordon shows at once, for each of several like jobs, and is gone when it is lifted
job -c 4
cordoned=$id
job -c 4
actl queue update a --cordon >/dev/null
is "$(aqueue --noheader --format why "$cordoned" "$id" | tr -d ' ' | tr '\n' ' ')" 'QueueCordoned QueueCordoned ' \
	'aqueue shows the cordon for both jobs'
like "$(aexplain "$id")" 'QueueCordoned: .*actl queue update a --uncordon' 'aexplain says the same, and what would help'
actl queue update a --uncordon >/dev/null
unlike "$(aqueue --noheader --format why "$cordoned" "$id")" Cordoned 'the cordon is gone at once'
acancel --quiet "$cordoned" "$id"
job --hold
run aexplain "$id"
like "$out" 'Held: it is held until it is released' 'a held job is explained'
like "$out" "actl release $id" 'aexplain names actl release'
held=$id
like "$(aexplain "${full[1]}")" 'It is not pending: it runs on n[12] since' 'a running job is explained'
run aexplain 999999 "$held"
is "$status" 3 'an unknown job gives exit code 3'
like "$err" 'there is no job 999999' 'the error names the unknown job'
like "$out" "^Job $held " 'a known job beside it is explained'
run aexplain
is "$status" 2 'aexplain without an id is refused'
like "$err" 'no job given' 'the error asks for a job'
run aexplain 12-15
is "$status" 2 'a range of ids is refused'
like "$err" 'names several jobs' 'the error says what a range is'
acancel --quiet "$held"

# --- the last round
run ashare
is "$status" 0 'ashare succeeds'
like "$out" '^Round [0-9]+, .* took [0-9.]+ (us|ms|s): [0-9]+ started, [0-9]+ preempted' 'ashare shows the round'
like "$out" 'Everything that could start was tried' 'ashare shows how the round ended'
like "$out" 'Started:' 'ashare shows the started jobs'
fair_share_of_a()
{
	ashare --noheader --format queue,cpus,fair a | tr -s ' '
}
ok 'a single queue has a fair share of 100 %' wait_until 20 eval '[ "$(fair_share_of_a)" = "a 6/6 100.0%" ]'
run ashare nosuch
is "$status" 3 'a queue without jobs gives exit code 3'
run ashare --format nosuch
is "$status" 2 'an unknown column is refused'

# the fair share of b is a quarter; a has the rest and is preempted
acancel --quiet "${full[@]}"
wait_until 10 job_ended "${full[@]}"
victims=()
for n in 1 2 3 4 5 6 7 8; do
	job -c 1 --priority-class armada-preemptible
	victims+=("$id")
done
wait_until 20 sh -c '[ "$(aqueue --noheader -t R --format id | wc -l)" -eq 8 ]' || diag 'a does not fill it'
job -q b -c 1 --priority-class armada-preemptible
ok 'ashare lists the preempted job' wait_until 20 sh -c 'ashare | grep -q ^Preempted:'
run ashare
like "$out" "FOR +REASON" 'ashare shows the reason of the preemption'
like "$out" " $id +made room for" 'ashare names the preempting job'
like "$out" 'Started:' 'ashare lists the job that was started'
job -q b -c 1 --priority-class armada-preemptible
ok 'the other queue gets its share' wait_until 20 sh -c '[ "$(aqueue --noheader -q b -t R --format id | wc -l)" -eq 2 ]'
ok 'two jobs are pending again' wait_until 20 sh -c '[ "$(aqueue --noheader -q a -t PD --format id | wc -l)" -eq 2 ]'
is "$(ashare --noheader --format queue,weight,fair | tr -s ' ')" $'a 1 75.0%\nb 0.3333 25.0%' 'the fair shares follow the weights'
shares_are()
{
	[ "$(ashare --noheader --format cpus | tr -s ' ' | sort)" = "$1" ]
}
ok 'ashare shows the resources of both queues at the start of a round' wait_until 10 shares_are $'2/2\n6/8'
is "$(ashare --json | sed -n 's/^ *"adjusted": //p' | awk '{sum += $1} END {printf "%.3f", sum}')" 1.000 \
	'the adjusted shares add up to 1'
run ashare --json
like "$out" '"end": "done"' 'the JSON has the end of the round'
like "$(sed -n '/"acted"/,$p' <<<"$out")" '"started_count": [1-9]|"preempted_count": [1-9]' 'the JSON has the last round that changed something'
if has python3; then
	ok 'the JSON is valid' python3 -c 'import json, sys; json.loads(sys.argv[1])["queues"][0]["allocated"]["cpu"]' "$out"
else
	skip "the JSON is valid: $missing"
fi
touch go
wait_until 20 job_ended "${victims[@]}" || diag 'they do not end'

# --- after a restart of the controller, before the nodes register again
"$devcluster" kill "$cluster" n1
"$devcluster" kill "$cluster" n2
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
rm go
job
like "$(aqueue --noheader --format why "$id")" '^NodesMissing$' 'the nodes are missing, not down'
like "$(aqueue --noheader --detail "$id")" '2 of 2 nodes have not registered yet' 'aqueue counts them'
like "$(aexplain "$id")" 'NodesMissing: .*' 'aexplain says the same'
like "$(anode --noheader --format state,reason n1)" '^up +has not registered since the controller started' \
	'anode says the same'
"$devcluster" restart "$cluster" n1
ok 'the job starts when a node has registered' wait_until 20 state_is "$id" RUNNING
touch go
wait_until 10 job_ended "$id" || diag 'it does not end'

done_testing
