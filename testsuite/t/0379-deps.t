#!/bin/bash
# Jobs that wait for other jobs and for a time, are requeued and changed; a restart of the controller
# between; what became of jobs that have left memory is asked of the history.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 1 --cpus 8 --memory 8G

# submit [option...]: its id into $out
submit()
{
	run asubmit --parsable --mem 100M --output=/dev/null "$@"
}
state()
{
	aqueue --noheader --state all --format state "$1" | sort -u | tr -d ' ' | tr '\n' ' '
}
reason()
{
	aqueue --noheader --state all --format reason "$1"
}
why()
{
	aqueue --noheader --format why "$1" | tr -d ' '
}
becomes()
{
	ok "$3" wait_until 20 eval "[ \"\$(state $1)\" = '$2 ' ]"
}
cd "$work" || bail 'no directory to work in'
until_go='until [ -e go ]; do sleep 0.05; done'

# one after the other
submit --wrap "$until_go"
first=$out
submit --dependency "afterok:$first" --wrap true
second=$out
submit -d "afternotok:$first" --wrap true
third=$out
submit -d "afterok:$second,singleton" --job-name chain --wrap true
fourth=$out
submit -d "after:$first" --wrap true
started=$out
becomes "$started" COMPLETED 'after: when the other has started'
is "$(why "$second")" Dependency 'afterok waits'
is "$(reason "$second")" "waits for afterok:$first" 'and says for whom'
like "$(aexplain "$second")" 'Dependency: it waits for other jobs' 'aexplain too'
like "$(actl show job "$fourth")" "Dependency +afterok:$second and singleton" 'actl show lists them'
is "$(aqueue --noheader --format dependency "$second")" "afterok:$first" 'and a column'

# killed meanwhile: nothing is forgotten
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller is back' wait_until 20 actl ping
is "$(why "$third")" Dependency 'who waited waits'
touch go
becomes "$second" COMPLETED 'afterok: when it has completed'
becomes "$fourth" COMPLETED 'and the next of the chain'
becomes "$third" CANCELLED 'afternotok never holds then'
is "$(reason "$third")" "DependencyNeverSatisfied: afternotok:$first" 'and the reason names it'

# long ago
submit -d "afterok:$first:$second" --wrap true
becomes "$out" COMPLETED 'of jobs that have ended it holds at once'
submit -d "afterok:$third" --wrap true
becomes "$out" CANCELLED 'or never'
submit -d "afterok:$third" --kill-on-invalid-dep=no --wrap true
kept=$out
is "$(why "$kept")" DependencyNeverSatisfied 'it is kept where that was asked for'
run actl update "$kept" --dependency "afternotok:$third?afterok:$third"
is "$status" 0 'until somebody changes it'
becomes "$kept" COMPLETED 'then it goes'
submit -d afterok:99999 --wrap true
is "$status" 3 'a job that never was'
like "$err" 'there is no job 99999' 'is named'
submit -d afterokk:1 --wrap true
is "$status" 2 'a word that is none'
like "$err" 'did you mean afterok' 'is corrected'

# arrays
submit --array 0-3 --wrap '[ $ARMADA_ARRAY_TASK_ID != 2 ]'
array=$out
submit --array 0-3 -d "aftercorr:$array" --wrap true
each=$out
submit -d "afterok:${array}_1" --wrap true
one=$out
submit -d "afterok:$array" --wrap true
all=$out
becomes "$one" COMPLETED 'after one element'
becomes "$all" CANCELLED 'after all: one of them failed'
ok 'after each its own' wait_until 20 eval "[ \"\$(state $each)\" = 'CANCELLED COMPLETED ' ]"
is "$(state "${each}_2")" 'CANCELLED ' 'but for that of the one that failed'

# times
submit --begin now+1hour --wrap true
late=$out
is "$(why "$late")" BeginTime 'a begin time is waited for'
like "$(aexplain "$late")" 'Not before ' 'and told'
run actl update "$late" --begin now+1
becomes "$late" COMPLETED 'changed to one that comes'
submit --begin 25:61 --wrap true
like "$err" '"25:61" is not a time; write' 'what is no time is refused in words'

# requeued
rm -f go
submit --wrap "echo x >>tries; $until_go"
again=$out
ok 'it runs' wait_until 20 [ -e tries ]
run actl requeue "$again"
is "$out" 'Requeued 1 running' 'requeue says so'
ok 'and it runs again' wait_until 20 eval '[ "$(wc -l <tries)" = 2 ]'
run actl requeuehold "$again"
ok 'requeuehold keeps it' wait_until 20 eval '[ "$(why "$again")" = Held ]'
run actl update "$again" --name other --priority 5 --time 90 --cpus 2
is "$out" 'Updated 1 job' 'what waits can be changed'
is "$(aqueue --noheader --format name,priority,time_limit,cpus "$again" | tr -s ' ')" \
	'other 5 01:30:00 2' 'and is'
run actl update "$again" --cpus 99
is "$status" 1 'not beyond what there is'
touch go
run actl release "$again"
becomes "$again" COMPLETED 'released, it goes'
run actl requeue "$again"
like "$err" "job $again has ended: submit it again" 'what has ended does not come back'
run actl update "$again" --priority 1
is "$status" 3 'and is not changed'
run actl update state=pending
like "$err" 'nothing to change' 'nothing is not enough'

done_testing
