#!/bin/bash
# A record of a task in the node's spool is damaged: armd names the file, the task and what follows. The
# attempt is lost, and the job runs again.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

runs()
{
	[ "$(aqueue --noheader --format state "$1")" = RUNNING ]
}

# logged FILE TEXT: armd's log has the text about this file.
logged()
{
	grep -qF "error: $tasks/$1: $2" "$cluster/log/n1.log"
}

# overwrite FILE OFFSET
overwrite()
{
	printf 'damage' | dd of="$1" bs=1 seek="$2" conv=notrunc 2>/dev/null
}

test_under_armada 1
tasks=$cluster/spool/n1/tasks
job=$(asubmit --parsable --requeue=3 -o /dev/null --wrap "until [ -e $work/go ]; do sleep 0.05; done")
ok 'a job runs' wait_until 20 runs "$job"
"$devcluster" power-off "$cluster" n1
order=$(ls "$tasks" | grep -v ctl | head -n 1)
overwrite "$tasks/$order" 4700
"$devcluster" restart "$cluster" n1
ok 'armd names the file of a damaged order' wait_until 20 logged "$order" \
	"the record of the order of task ${job}_0.0/1 is damaged: the attempt is reported as lost"
touch go
ok 'the job runs again and ends' wait_until 30 job_ended "$job"
is "$(aqueue --state all --noheader --format state "$job")" COMPLETED 'and completes'

rm go
job=$(asubmit --parsable --requeue=3 -o /dev/null --wrap "until [ -e $work/go ]; do sleep 0.05; done")
ok 'another job runs' wait_until 20 runs "$job"
"$devcluster" power-off "$cluster" n1
end=$(ls -t "$tasks" | grep -v ctl | grep -vxF "$order" | head -n 1)
overwrite "$tasks/$end" 100
"$devcluster" restart "$cluster" n1
ok 'and that of a damaged end' wait_until 20 logged "$end" \
	"the record of the end of task ${job}_0.0/1 is damaged or incomplete: its exit code is not known"
ok 'the file of the damaged order is still there' test -e "$tasks/$order"
touch go
ok 'the second job ends' wait_until 30 job_ended "$job"
done_testing
