#!/bin/bash
# Jobs with dependencies and begin times, requeued and updated jobs, with a restart of the
# controller meanwhile; dependencies on jobs that only the history knows.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

test_under_armada 1 --cpus 8 --memory 8G

# submit [option...]: the job id goes to $out
submit()
{
	run asubmit --parsable --memory 100M --output=/dev/null "$@"
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
until_go=$(until_exists go)

# a chain of jobs
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
becomes "$started" COMPLETED 'after: the job starts when the other has started'
is "$(why "$second")" Dependency 'afterok: the job is pending'
is "$(reason "$second")" "waits for afterok:$first (wrap)" 'the reason names the dependency, and the other job'
like "$(aexplain "$second")" 'Dependency: it waits for other jobs' 'aexplain names the dependency'
like "$(actl show job "$fourth")" "Dependency +afterok:$second and singleton" 'actl show job lists the dependencies'
is "$(aqueue --noheader --format dependency "$second")" "afterok:$first" 'the column dependency shows it'

# the controller is killed meanwhile: the dependencies are kept
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller is back' wait_until 20 actl ping
is "$(why "$third")" Dependency 'the dependent job still waits'
touch go
becomes "$second" COMPLETED 'afterok: the job runs when the other has completed'
becomes "$fourth" COMPLETED 'the next job of the chain runs'
becomes "$third" CANCELLED 'afternotok: the job is cancelled when the other has completed'
is "$(reason "$third")" "DependencyNeverSatisfied: afternotok:$first: job $first succeeded" \
	'the reason names the dependency that can never hold, and what the other job did'

# dependencies on jobs that ended before the submission
submit -d "afterok:$first:$second" --wrap true
becomes "$out" COMPLETED 'a dependency that holds already does not delay the job'
submit -d "afterok:$third" --wrap true
becomes "$out" CANCELLED 'a dependency that can never hold cancels the job'
submit -d "afterok:$third" --kill-on-invalid-dep=no --wrap true
kept=$out
is "$(why "$kept")" DependencyNeverSatisfied 'with --kill-on-invalid-dep=no the job is kept'
is "$(reason "$kept")" "can never hold: afterok:$third: job $third did not succeed" 'with the reason'
run actl update "$kept" --dependency "afternotok:$third?afterok:$third"
is "$status" 0 'its dependency can be changed'
becomes "$kept" COMPLETED 'the job runs when the new dependency holds'
submit -d afterok:99999 --wrap true
is "$status" 3 'a dependency on an unknown job gives exit code 3'
like "$err" 'there is no job 99999' 'the error names the unknown job'
submit -d afterokk:1 --wrap true
is "$status" 2 'an unknown kind of dependency is a usage error'
like "$err" 'did you mean afterok' 'the error suggests a known kind'

# arrays
submit --array 0-3 --wrap '[ $ARMADA_ARRAY_TASK_ID != 2 ]'
array=$out
submit --array 0-3 -d "aftercorr:$array" --wrap true
each=$out
submit -d "afterok:${array}_1" --wrap true
one=$out
submit -d "afterok:$array" --wrap true
all=$out
becomes "$one" COMPLETED 'afterok on one element: the job runs'
becomes "$all" CANCELLED 'afterok on an array with a failed element: the job is cancelled'
ok 'aftercorr: each element depends on the element of the same index' wait_until 20 eval "[ \"\$(state $each)\" = 'CANCELLED COMPLETED ' ]"
is "$(state "${each}_2")" 'CANCELLED ' 'aftercorr: the element of the failed one is cancelled'

# begin times
submit --begin now+1hour --wrap true
late=$out
is "$(why "$late")" BeginTime 'a job waits for its begin time'
like "$(aexplain "$late")" 'Not before ' 'aexplain names the begin time'
run actl update "$late" --begin now+1
becomes "$late" COMPLETED 'the job runs when its begin time is changed'
submit --begin 25:61 --wrap true
like "$err" "'25:61' is not a time; write" 'an invalid time is refused'

# requeue
rm -f go
submit --wrap "echo x >>tries; $until_go"
again=$out
ok 'the job runs' wait_until 20 [ -e tries ]
run actl requeue "$again"
is "$out" 'Requeued 1 running' 'actl requeue reports one job'
ok 'the job runs again' wait_until 20 eval '[ "$(wc -l <tries)" = 2 ]'
run actl requeuehold "$again"
ok 'actl requeuehold requeues and holds the job' wait_until 20 eval '[ "$(why "$again")" = Held ]'
run actl update "$again" --name other --priority 5 --time 90 --cpus 2
is "$out" 'Updated 1 job' 'a pending job can be updated'
is "$(aqueue --noheader --format name,priority,time_limit,cpus "$again" | tr -s ' ')" \
	'other 5 01:30:00 2' 'the job has the new values'
run actl update "$again" --cpus 99
is "$status" 1 'an update beyond the size of the cluster is refused'
touch go
run actl release "$again"
becomes "$again" COMPLETED 'a released job runs'
run actl requeue "$again"
like "$err" "job $again has ended; submit it again" 'an ended job cannot be requeued'
run actl update "$again" --priority 1
is "$status" 3 'an ended job cannot be updated'
run actl update state=pending
like "$err" 'no changes given' 'an update without fields is refused'

done_testing
