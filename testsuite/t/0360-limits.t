#!/bin/bash
# Limits of queues, classes and rounds: from armada.conf and actl to what runs, through a reload.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >limits.conf <<'END'
scheduler = { max_jobs_per_round = 1000; max_resource_fraction_per_round = { cpu = 1; }; };
priority_classes = (
	{ name = "armada-default"; },
	{ name = "small"; preemptible = false; max_fraction_per_queue = { cpu = 0.25; }; }
);
queues = ( { name = "half"; limits = { cpu = 0.5; }; }, { name = "free"; } );
END
test_under_armada 2 --cpus 4 --memory 8G --conf "$work/limits.conf"
conf=$cluster/armada.conf

# running QUEUE: how many of its elements run
running()
{
	actl queue list "$1" --noheader --format running | tr -d ' '
}
runs()
{
	[ "$(running "$1")" = "$2" ]
}
# A round that came after everything before has started nothing more.
settled()
{
	asubmit --wait --queue free --output=/dev/null --wrap true
}

# a queue's limit
run asubmit --parsable --queue half --array 1-6 --output=/dev/null --wrap 'sleep 300'
half=$out
ok 'half of the cluster fills' wait_until 20 runs half 4
ok 'others run beside it' settled
is "$(running half)" 4 'and not more'
ok 'the others of the queue say why' wait_until 10 eval \
	"aqueue --noheader --format reason --state pending $half | grep -q half"
like "$(actl queue show half | grep ^limits)" '^limits +cpu=0.5$' 'actl shows the limit'
like "$(actl queue list half --json)" '"limits": \{[[:space:]]*"cpu": 0.5' 'in JSON too'

# changed by hand, durable
ok 'actl raises it' actl queue update half --limits cpu=0.625,memory=0.9
ok 'one more starts' wait_until 20 runs half 5
"$devcluster" kill "$cluster" armctld >/dev/null
sed -i 's/name = "half"; limits = { cpu = 0.5; };/name = "half"; limits = { cpu = 0.75; };/' "$conf"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'armada.conf has the last word at a start' wait_until 20 runs half 6
run actl queue create mine --limits cpu=0.1,gpu=0
is "$status" 0 'a queue is made with limits'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(actl queue list mine --noheader --format limits)" 'cpu=0.1,gpu=0' 'which outlive the controller'
ok 'and are taken away' actl queue update mine --limit none
is "$(actl queue list mine --noheader --format limits)" '' 'all of them'
run actl queue update mine --limits cpu=2
is "$status" 2 'more than all is refused'
like "$err" 'cpu: 2 is out of range: expected 0 to 1' 'in words'
run actl queue update mine --limits cores=0.5
is "$status" 2 'so is an unknown resource'
like "$err" "'cores' is no resource: expected cpu, memory or gpu" 'saying which there are'
acancel "$half" >/dev/null
ok 'the cluster is empty' wait_until 20 job_ended "$half"

# a class's limit, and a reload that changes it
run asubmit --parsable --queue free --priority-class small --array 1-6 --output=/dev/null --wrap 'sleep 300'
small=$out
ok 'a quarter of the cluster fills' wait_until 20 runs free 2
ok 'others run beside it' settled
is "$(running free)" 2 'and not more'
sed -i 's/max_fraction_per_queue = { cpu = 0.25; }/max_fraction_per_queue = { cpu = 0.5; }/' "$conf"
ok 'a reload that raises it is taken' actl reconfigure
ok 'and starts two more' wait_until 20 runs free 4
sed -i 's/max_fraction_per_queue = { cpu = 0.5; }/max_fraction_per_queue = { cpus = 0.5; }/' "$conf"
run actl reconfigure
is "$status" 1 'a reload with a word that is none is refused'
like "$err" "line [0-9]+: max_fraction_per_queue: 'cpus' is no resource" 'with its place'
cp "$conf" broken.conf
sed 's/max_fraction_per_queue = { cpus = 0.5; }/max_fraction_per_queue = { cpu = 1; }/' broken.conf >"$conf"
ok 'one without is taken' actl reconfigure
acancel "$small" >/dev/null
ok 'the cluster is empty again' wait_until 20 job_ended "$small"

# a gang that can do with less, which outlives the controller
run asubmit --queue free --ntasks 10 --output=/dev/null --wrap true
is "$status" 1 'a gang that the empty cluster could never hold is refused'
like "$err" '10 tasks must start together; 2 of the 2 nodes .* no more than 8 in all' 'with the numbers'
run asubmit --parsable --queue free --ntasks 10 --min-tasks 5 --output="$work/gang.%t" \
	--wrap 'echo $ARMADA_TASK_RANK of $ARMADA_TASK_COUNT on $ARMADA_NODE_LIST; until [ -e go ]; do sleep 0.1; done'
gang=$out
is "$status" 0 'one that can do with less is taken'
ok 'and starts with what there is room for' wait_until 20 eval '[ "$(cat gang.* 2>/dev/null | wc -l)" = 8 ]'
is "$(sort -n gang.* | tr '\n' ' ')" "$(for i in 0 1 2 3 4 5 6 7; do printf '%s of 8 on n[1-2] ' $i; done)" \
	'its ranks have no gap, and each knows how many run and where'
is "$(aqueue --noheader --format tasks,cpus "$gang" | tr -s ' ')" '8 8' 'a listing shows what runs'
like "$(aqueue --noheader --format reason "$gang")" '2 of 10 tasks were not started' 'and what does not'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
run asubmit --parsable --queue free --output=/dev/null --wrap true
more=$out
ok 'a new controller knows that the cluster is full' wait_until 20 eval \
	"aqueue --noheader --format reason $more | grep -qv 'waits for its turn'"
is "$(aqueue --noheader --format state "$more")" PENDING 'so that others wait'
touch go
ok 'all ends' wait_until 20 job_ended "$gang" "$more"
is "$(aqueue --noheader --format state,tasks "$gang" | tr -s ' ')" 'COMPLETED 8' 'the history says with how many'
like "$(aqueue --noheader --format reason "$gang")" 'gang minimum met without them' 'and why'

# what a round or a second does not start is started in the next, though nothing happens meanwhile
sed -i 's/max_jobs_per_round = 1000;/max_jobs_per_round = 2;/' "$conf"
ok 'a round may start two' actl reconfigure
run asubmit --parsable --queue free --array 1-7 --output=/dev/null --wrap 'sleep 300'
many=$out
ok 'and seven start' wait_until 20 runs free 7
acancel "$many" >/dev/null
ok 'and end' wait_until 20 job_ended "$many"
sed -i 's/max_jobs_per_round = 2;/rate = 5; burst = 2;/' "$conf"
ok 'a rate instead' actl reconfigure
begun=${EPOCHREALTIME/./}
run asubmit --parsable --queue free --array 1-6 --output=/dev/null --wrap 'sleep 300'
many=$out
ok 'six start' wait_until 20 runs free 6
took=$((${EPOCHREALTIME/./} - begun))
ok 'two at once, and the others in no less than four fifths of a second' [ "$took" -ge 700000 ]
acancel "$many" >/dev/null
ok 'and end' wait_until 20 job_ended "$many"
run asubmit --queue free --ntasks 3 --output=/dev/null --wrap true
like "$err" 'more than the 2 that the cluster starts at once' 'a gang larger than the burst is refused'

# what today's nodes could never hold waits where that is asked for
run asubmit --queue free --cpus 64 --output=/dev/null --wrap true
is "$status" 1 'what no node is large enough for is refused'
sed 's/^scheduler = {/& hold_impossible = true;/' "$conf" >hold.conf
cp hold.conf "$conf"
ok 'unless nodes come and go' actl reconfigure
run asubmit --parsable --queue free --cpus 64 --output=/dev/null --wrap true
is "$status" 0 'then it is taken'
ok 'and says why it waits' wait_until 10 eval \
	"aqueue --noheader --format reason $out | grep -q '64 cpu'"
done_testing
