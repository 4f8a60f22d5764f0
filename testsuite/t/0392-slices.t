#!/bin/bash
# A cluster with order = "slices": two queues of factors 1 and 2 divide what becomes free; reasons name the slice.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

# Rounds are apart, so that what one said stands for a while.
cat >slices.conf <<'END'
plugins = { order = "slices"; preempt = "none"; };
scheduler = { cycle_period = "2s"; };
queues = ( { name = "one"; priority_factor = 1.0; }, { name = "two"; priority_factor = 2.0; }, { name = "other"; } );
END
test_under_armada 1 --cpus 12 --memory 24G --conf "$work/slices.conf"
conf=$cluster/armada.conf

# running QUEUE: how many of its elements run
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
	run asubmit --parsable --queue "$1" --mem 100M --output=/dev/null "${@:2}"
}

submit other --cpus 12 --wrap 'sleep 600'
all=$out
ok 'one job has all there is' wait_until 20 eval '[ "$(running other)" = 1 ]'
submit one --cpus 9 --priority 1 --wrap 'sleep 600'
large=$out
submit one --array 1-20 --priority 2 --wrap 'sleep 600'
ones=$out
submit two --array 1-20 --wrap 'sleep 600'
twos=$out
ok 'the others wait for room' wait_until 20 eval 'reason $large | grep -q "no node has 9 cpu free"'

# weights 1 and 1/2 of 12 cores: slices of 8 and 4; the job of 9 is larger than its own
acancel "$all" 2>/dev/null
ok 'two thirds and one third start' wait_until 30 both_run 8 4
ok 'the job that is larger than its slice is told so' wait_until 10 eval \
	"reason $large | grep -q 'asks for 9 cpu, its queue.s slice of what was free was 8, and what remained went to'"
is "$(ashare --noheader --format queue,fair | grep -E '^ *(one|two) ' | tr -s ' ' | tr '\n' ' ')" \
	'one 66.7% two 33.3% ' 'ashare shows what they are entitled to'

# again, by one queue alone: all that is free is its slice
acancel "$ones" "$twos" >/dev/null 2>&1
ok 'then all is its slice, and it starts' wait_until 30 eval \
	'[ "$(aqueue --noheader --format state "$large" | tr -d " ")" = RUNNING ]'
is "$(running one)" 1 'that job alone'
acancel "$large" 2>/dev/null

# options: read at a reconfigure, and held to what they may be
sed -i 's/order = "slices"/order = { name = "slices"; batch_size = 0; }/' "$conf"
run actl reconfigure
is "$status" 1 'a batch_size of 0 is refused'
like "$err$out" 'batch_size' 'with its name'
sed -i 's/batch_size = 0/probabilistic_only = true; batch_size = 5/' "$conf"
ok 'lots alone are taken' actl reconfigure
submit other --array 1-12 --wrap true
array=$out
ok 'and start what there is room for' wait_until 30 job_ended "$array"
done_testing
