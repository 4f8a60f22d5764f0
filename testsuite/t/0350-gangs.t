#!/bin/bash
# Gangs of separate jobs: they start together or not at all, are refused when they disagree, and
# outlive the controller.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 8G

# member GANG CARDINALITY [option...]: submits a member; its id goes to $out
member()
{
	run asubmit --parsable --gang-id "$1" --gang-cardinality "$2" --memory 100M "${@:3}"
}
state()
{
	aqueue --noheader --format state "$1"
}
states()
{
	aqueue --noheader --format state "$@" | tr -d ' ' | tr '\n' ' '
}
reason()
{
	aqueue --noheader --format reason "$1"
}
show='echo $ARMADA_GANG_ID of $ARMADA_GANG_CARDINALITY'
until_go=$(until_exists go)

# members submitted one after the other
member train 3 --cpus 1 --output="$work/first.txt" --wrap "$show; $until_go"
first=$out
is "$status" 0 'the first of three members is accepted'
is "$(reason "$first")" 'gang train waits for 2 of its 3 members' 'the first member waits for the two others'
like "$(aexplain "$first")" ', one of the 3 jobs of gang train, .*
.*
GangIncomplete.*
.*waits for 2 of its 3 members' 'aexplain gives the same reason'
is "$(aqueue --noheader --format gang,gang_cardinality "$first" | tr -s ' ')" 'train 3' 'aqueue shows the gang'
like "$(aqueue --json "$first")" '"gang": "train"' 'aqueue --json shows the gang'
like "$(actl show job "$first")" 'train, 3 jobs, at least 3' 'actl show job shows the gang'
member train 4 --wrap true
is "$status" 1 'a member with another cardinality is refused'
like "$err" "gang train: this job \(wrap\) has cardinality 4, and job $first has 3" 'the error names the job that disagrees'
member train 3 --array 1-2 --wrap true
like "$err" 'an array cannot be a member of a gang' 'an array is refused as a member'
run asubmit --gang-cardinality 3 --wrap true
like "$err" 'give --gang-id too' 'a gang without an id is refused'

# a complete gang without room
run asubmit --parsable --cpus 4 --mem 100M --output=/dev/null --wrap "$until_go"
other=$out
ok 'another job occupies one of the nodes' wait_until 20 eval '[ "$(state $other)" = RUNNING ]'
member train 3 --cpus 3 --output="$work/second.txt" --wrap "$show; $until_go"
second=$out
member train 3 --cpus 2 --output="$work/third.txt" --wrap "$show; $until_go"
third=$out
is "$status" 0 'the other two members are accepted'
run asubmit --wait --time 1 --cpus 1 --mem 100M --output=/dev/null --wrap true
is "$status" 0 'a small job starts beside the pending gang'
is "$(states "$first" "$second" "$third")" 'PENDING PENDING PENDING ' 'the gang waits for room for all its tasks'
ok 'the reason of the gang counts the tasks that have room' wait_until 10 eval 'reason $third | grep -q "needs room for 3 tasks at once"'
is "$(reason "$first")" "$(reason "$third")" 'all members have the same reason'
member train 3 --wrap true
like "$err" "one too many: the gang has 3 members already \($first, $second, $third\)" 'a fourth member is refused and the three are named'

# the controller restarts
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(states "$first" "$second" "$third")" 'PENDING PENDING PENDING ' 'a restarted controller knows the members'
acancel "$other" >/dev/null
ok 'the gang starts when there is room for all' wait_until 20 eval '[ "$(state $third | tr -d " ")" != PENDING ]'
unlike "$(states "$first" "$second" "$third")" PENDING 'all members start together'
ok 'all members run' wait_until 20 eval '[ "$(states $first $second $third)" = "RUNNING RUNNING RUNNING " ]'
ok 'each task knows its gang' wait_until 10 eval '[ "$(sort -u first.txt second.txt third.txt)" = "train of 3" ]'
touch go
ok 'all members end' wait_until 20 job_ended "$first" "$second" "$third"
is "$(states "$first" "$second" "$third")" 'COMPLETED COMPLETED COMPLETED ' 'all members are completed'
is "$(aqueue --noheader --format gang --state completed "$first")" train 'the history knows the gang'
rm go

# a member is cancelled
member pair 2 --output=/dev/null --wrap "$until_go"
one=$out
member pair 2 --hold --output=/dev/null --wrap "$until_go"
two=$out
is "$(reason "$one")" "job $two of its gang pair is held" 'a held member holds the other'
acancel "$two" >/dev/null
is "$(reason "$one")" 'gang pair lost a member: submit another with the same gang id, or cancel the rest' \
	'the reason says that a member was cancelled'
member pair 2 --output=/dev/null --wrap "$until_go"
three=$out
ok 'another member takes its place' wait_until 20 eval '[ "$(states $one $three)" = "RUNNING RUNNING " ]'
acancel "$one" >/dev/null
ok 'a running member is cancelled' wait_until 20 job_ended "$one"
is "$(state "$three" | tr -d ' ')" RUNNING 'the other member continues'
acancel "$three" >/dev/null
ok 'the other member is cancelled too' wait_until 20 job_ended "$three"

# a minimum below the cardinality
for i in 1 2 3; do
	member few 3 --gang-min 2 --cpus 3 --output=/dev/null --wrap "$until_go"
	few[i]=$out
done
ok 'two of three members start' wait_until 20 eval '[ "$(states --state running ${few[*]} | wc -w)" = 2 ]'
is "$(states "${few[@]}" | tr ' ' '\n' | sort | tr '\n' ' ')" 'FAILED RUNNING RUNNING ' 'the third member has failed'
like "$(aqueue --noheader --format reason --state failed "${few[@]}")" 'gang minimum met without it' "the third member's reason names the gang minimum"
member huge 3 --cpus 3 --output=/dev/null --wrap true
is "$status" 1 'a gang that the cluster could never hold is refused with its first member'
like "$err" 'gang huge, if each later member asks for as much as this job \(wrap\).*: cpu: 9 at once is more than the 2 nodes it may use have: 8' \
	'the error has the numbers'
for i in 1 3 4; do
	member uneven 3 --cpus $i --output=/dev/null --job-set set$i --wrap true
	uneven[i]=$out
done
acancel "${few[@]}" >/dev/null
ok 'the other jobs end' wait_until 20 job_ended "${few[@]}"
ok 'members of different size and job set are one gang' wait_until 20 job_ended "${uneven[@]}"
is "$(states "${uneven[@]}" | tr -d '\n')" 'COMPLETED COMPLETED COMPLETED ' 'it ran'

# a preempted gang is requeued as a whole and starts again as a whole
for i in left right; do
	member back 2 --cpus 4 --priority-class armada-preemptible --output=/dev/null --wrap "$until_go"
	declare "$i=$out"
done
ok 'a gang of two runs, one member on each node' wait_until 20 eval '[ "$(states $left $right)" = "RUNNING RUNNING " ]'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(states "$left" "$right")" 'RUNNING RUNNING ' 'the gang continues while the controller restarts'
actl queue create neighbour >/dev/null
run asubmit --parsable --queue neighbour --cpus 2 --mem 100M --output=/dev/null --wrap "$(until_exists stop)"
third=$out
ok 'a queue below its share gets room' wait_until 20 eval '[ "$(states $third)" = "RUNNING " ]'
ok 'the whole gang is pending' wait_until 20 eval '[ "$(states $left $right)" = "PENDING PENDING " ]'
touch stop
ok 'the gang runs again when there is room' wait_until 20 eval '[ "$(states $left $right)" = "RUNNING RUNNING " ]'
is "$(aqueue --noheader --format attempt "$left" "$right" | tr -d ' ' | tr '\n' ' ')" '2 2 ' 'both members are in their second attempt'
touch go
ok 'the gang ends' wait_until 20 job_ended "$left" "$right"
is "$(states "$left" "$right")" 'COMPLETED COMPLETED ' 'both members are completed'

# a gang that lacks a member for too long is held until it comes
printf 'scheduler : { gang_timeout = "1s"; };\n' >>"$cluster/armada.conf"
ok 'gang_timeout is a line of armada.conf' actl reconfigure
member late 2 --output=/dev/null --wrap true
late=$out
ok 'an incomplete gang is held' wait_until 20 eval 'aqueue "$late" | grep -q GangTimeout'
run actl release "$late"
is "$status" 4 'its owner cannot release it'
like "$err" "job $late is held: gang late had 1 of its 2 members for longer than scheduler.gang_timeout; submit the others" \
	'the error says what to do'
member late 2 --output=/dev/null --wrap true
ok 'the missing member starts it' wait_until 20 job_ended "$late" "$out"
done_testing
