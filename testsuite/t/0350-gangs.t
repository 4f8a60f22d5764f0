#!/bin/bash
# Gangs of separate jobs: they begin together or not at all, are refused when they disagree, and outlive
# the controller.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 2 --cpus 4 --memory 8G

# member GANG CARDINALITY [option...]: its id into $out
member()
{
	run asubmit --parsable --gang-id "$1" --gang-cardinality "$2" --mem 100M "${@:3}"
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
until_go='until [ -e go ]; do sleep 0.05; done'

# one after the other
member train 3 --cpus 3 --output="$work/first.txt" --wrap "$show; $until_go"
first=$out
is "$status" 0 'the first of three is taken'
is "$(reason "$first")" 'gang train waits for 2 of its 3 members' 'and waits for two'
like "$(aexplain "$first")" ', one of the 3 jobs of gang train, .*
.*
GangIncomplete.*
.*waits for 2 of its 3 members' 'aexplain says the same'
is "$(aqueue --noheader --format gang,gang_cardinality "$first" | tr -s ' ')" 'train 3' 'a listing shows the gang'
like "$(aqueue --json "$first")" '"gang": "train"' 'in JSON too'
like "$(actl show job "$first")" 'train, 3 jobs, at least 3' 'actl shows it'
member train 4 --wrap true
is "$status" 1 'one that disagrees is refused'
like "$err" "gang train: this job \(wrap\) says cardinality 4, and job $first said 3" 'in words, with who said otherwise'
member train 3 --array 1-2 --wrap true
like "$err" 'an array cannot be a member of a gang' 'so is an array'
run asubmit --gang-cardinality 3 --wrap true
like "$err" 'say --gang-id too' 'and a gang without a name'

# all there, and no room
run asubmit --parsable --cpus 4 --mem 100M --output=/dev/null --wrap "$until_go"
other=$out
ok 'somebody has one of the nodes' wait_until 20 eval '[ "$(state $other)" = RUNNING ]'
member train 3 --cpus 1 --output="$work/second.txt" --wrap "$show; $until_go"
second=$out
member train 3 --cpus 2 --output="$work/third.txt" --wrap "$show; $until_go"
third=$out
is "$status" 0 'the other two are taken'
run asubmit --wait --time 1 --cpus 1 --mem 100M --output=/dev/null --wrap true
is "$status" 0 'a small one starts beside it'
is "$(states "$first" "$second" "$third")" 'PENDING PENDING PENDING ' 'the gang waits for room for all of it'
ok 'and says so' wait_until 10 eval 'reason $third | grep -q "needs room for 3 tasks at once"'
is "$(reason "$first")" "$(reason "$third")" 'each the same'
member train 3 --wrap true
like "$err" "one too many: it has its 3 members \($first, $second, $third\)" 'a fourth is refused, the three are named'

# the controller may come and go
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(states "$first" "$second" "$third")" 'PENDING PENDING PENDING ' 'a new controller knows them'
acancel "$other" >/dev/null
ok 'there is room for all now' wait_until 20 eval '[ "$(state $third | tr -d " ")" != PENDING ]'
unlike "$(states "$first" "$second" "$third")" PENDING 'when one begins none waits'
ok 'and all run' wait_until 20 eval '[ "$(states $first $second $third)" = "RUNNING RUNNING RUNNING " ]'
ok 'each knows its gang' wait_until 10 eval '[ "$(sort -u first.txt second.txt third.txt)" = "train of 3" ]'
touch go
ok 'and each ends' wait_until 20 job_ended "$first" "$second" "$third"
is "$(states "$first" "$second" "$third")" 'COMPLETED COMPLETED COMPLETED ' 'well'
is "$(aqueue --noheader --format gang --state completed "$first")" train 'the history knows the gang'
rm go

# a member is cancelled
member pair 2 --output=/dev/null --wrap "$until_go"
one=$out
member pair 2 --hold --output=/dev/null --wrap "$until_go"
two=$out
is "$(reason "$one")" "job $two of its gang pair is held" 'who is held holds the others'
acancel "$two" >/dev/null
is "$(reason "$one")" 'gang pair lost a member: submit another with the same gang id, or cancel the rest' \
	'one that is cancelled is missed'
member pair 2 --output=/dev/null --wrap "$until_go"
three=$out
ok 'another takes its place' wait_until 20 eval '[ "$(states $one $three)" = "RUNNING RUNNING " ]'
acancel "$one" >/dev/null
ok 'a running one is cancelled' wait_until 20 job_ended "$one"
is "$(state "$three" | tr -d ' ')" RUNNING 'and the other goes on'
acancel "$three" >/dev/null
ok 'until it ends' wait_until 20 job_ended "$three"

# fewer will do
for i in 1 2 3; do
	member few 3 --gang-min 2 --cpus 3 --output=/dev/null --wrap "$until_go"
	few[i]=$out
done
ok 'two of three begin' wait_until 20 eval '[ "$(states --state running ${few[*]} | wc -w)" = 2 ]'
is "$(states "${few[@]}" | tr ' ' '\n' | sort | tr '\n' ' ')" 'FAILED RUNNING RUNNING ' 'the third has failed'
like "$(aqueue --noheader --format reason --state failed "${few[@]}")" 'gang minimum met without it' 'with the reason'
for i in 1 2 3; do
	member huge 3 --cpus 3 --output=/dev/null --wrap true
done
is "$status" 1 'a gang that the cluster could never hold is refused'
like "$err" 'gang huge, whole with this job \(wrap\): cpu: 9 at once is more than the 2 nodes it may use have: 8' \
	'with its last member'
acancel "${few[@]}" >/dev/null
ok 'the rest ends' wait_until 20 job_ended "${few[@]}"

# preempted, it goes back whole and begins again whole, whoever leads
for i in left right; do
	member back 2 --cpus 4 --priority-class armada-preemptible --output=/dev/null --wrap "$until_go"
	declare "$i=$out"
done
ok 'two of them, a node each' wait_until 20 eval '[ "$(states $left $right)" = "RUNNING RUNNING " ]'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(states "$left" "$right")" 'RUNNING RUNNING ' 'go on without the controller'
actl queue create neighbour >/dev/null
run asubmit --parsable --queue neighbour --cpus 2 --mem 100M --output=/dev/null --wrap 'until [ -e stop ]; do sleep 0.05; done'
third=$out
ok 'a queue below its share gets room' wait_until 20 eval '[ "$(states $third)" = "RUNNING " ]'
ok 'and the whole gang waits' wait_until 20 eval '[ "$(states $left $right)" = "PENDING PENDING " ]'
touch stop
ok 'until there is room for it again' wait_until 20 eval '[ "$(states $left $right)" = "RUNNING RUNNING " ]'
is "$(aqueue --noheader --format attempt "$left" "$right" | tr -d ' ' | tr '\n' ' ')" '2 2 ' 'for its second try'
touch go
ok 'it ends' wait_until 20 job_ended "$left" "$right"
is "$(states "$left" "$right")" 'COMPLETED COMPLETED ' 'well'
done_testing
