#!/bin/bash
# A cluster with order = "slices": two queues with factors 1 and 2 divide the free resources;
# reasons name the slice.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# Rounds are 2 s apart, so that the reasons of one round stay for a while.
cat >slices.conf <<'END'
plugins = { order = "slices"; preempt = "none"; };
scheduler = { cycle_period = "2s"; };
queues = ( { name = "one"; priority_factor = 1.0; }, { name = "two"; priority_factor = 2.0; }, { name = "other"; } );
END
test_under_armada 1 --cpus 12 --memory 24G --conf "$work/slices.conf"
conf=$cluster/armada.conf

# running QUEUE: prints how many of its elements run
running()
{
	actl queue list "$1" --noheader --format running | tr -d ' '
}
both_run()
{
	[ "$(running one)" = "$1" ] && [ "$(running two)" = "$2" ]
}
reason()
{
	aqueue --noheader --format reason "$1"
}
submit()
{
	run asubmit --parsable --queue "$1" --memory 100M --output=/dev/null "${@:2}"
}

submit other --cpus 12 --wrap 'sleep 600'
all=$out
ok 'one job has the whole cluster' wait_until 20 eval '[ "$(running other)" = 1 ]'
submit one --cpus 9 --priority 1 --wrap 'sleep 600'
large=$out
submit one --array 1-20 --priority 2 --wrap 'sleep 600'
ones=$out
submit two --array 1-20 --wrap 'sleep 600'
twos=$out
ok 'the other jobs wait for room' wait_until 20 eval 'reason $large | grep -q "no node has 9 cpu free"'

# weights 1 and 1/2 of 12 cores: slices of 8 and 4; the job of 9 cores is larger than its slice
acancel "$all" 2>/dev/null
ok 'two thirds and one third start' wait_until 30 both_run 8 4
ok 'the reason of the large job names the slice' wait_until 10 eval \
	"reason $large | grep -q 'asks for 9 cpu; its queue.s slice of the free resources was 8, and the rest went to'"
is "$(ashare --noheader --format queue,fair | grep -E '^ *(one|two) ' | tr -s ' ' | tr '\n' ' ')" \
	'one 66.7% two 33.3% ' 'ashare shows the fair shares'

# with one queue the slice is everything that is free
acancel "$ones" "$twos" >/dev/null 2>&1
ok 'the large job starts' wait_until 30 eval \
	'[ "$(aqueue --noheader --format state "$large" | tr -d " ")" = RUNNING ]'
is "$(running one)" 1 'no other job starts'
acancel "$large" 2>/dev/null

# options of the plugin are read and checked at a reconfigure
sed -i 's/order = "slices"/order = { name = "slices"; batch_size = 0; }/' "$conf"
run actl reconfigure
is "$status" 1 'a batch_size of 0 is refused'
like "$err$out" 'batch_size' 'the error names the option'
sed -i 's/batch_size = 0/probabilistic_only = true; batch_size = 5/' "$conf"
ok 'probabilistic_only with a batch size is accepted' actl reconfigure
submit other --array 1-12 --wrap true
array=$out
ok 'the jobs of the other queue end' wait_until 30 job_ended "$array"
done_testing
