#!/bin/bash
# Limits of queues, priority classes and rounds, set in armada.conf and with actl, enforced and kept
# through a reload.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs jq

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

# running QUEUE: prints how many of its elements run
running()
{
	actl queue list "$1" --noheader --format running | tr -d ' '
}
runs()
{
	[ "$(running "$1")" = "$2" ]
}
# When this job has ended, a scheduling round has decided about every job submitted before it.
settled()
{
	asubmit --wait --queue free --output=/dev/null --wrap true
}

# a queue's limit
run asubmit --parsable --queue half --array 1-6 --output=/dev/null --wrap 'sleep 300'
half=$out
ok 'the queue fills half of the cluster' wait_until 20 runs half 4
ok 'a job of another queue runs beside it' settled
is "$(running half)" 4 'the queue starts no more'
ok 'the pending jobs of the queue name the limit' wait_until 10 eval \
	"aqueue --noheader --format reason --state pending $half | grep -q half"
like "$(actl queue show half | grep ^limits)" '^limits +cpu=0.5$' 'actl queue show shows the limit'
like "$(actl queue list half --json)" '"limits": \{[[:space:]]*"cpu": 0.5' 'actl queue list --json shows the limit'

# a limit changed with actl is durable
ok 'actl raises the limit' actl queue update half --limits cpu=0.625,memory=0.9
ok 'one more job starts' wait_until 20 runs half 5
"$devcluster" kill "$cluster" armctld >/dev/null
sed -i 's/name = "half"; limits = { cpu = 0.5; };/name = "half"; limits = { cpu = 0.75; };/' "$conf"
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'armada.conf overrides the limit at a start' wait_until 20 runs half 6
run actl queue create mine --limits cpu=0.1,gpu=0
is "$status" 0 'a queue is created with limits'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
is "$(actl queue list mine --noheader --format limits)" 'cpu=0.1,gpu=0' 'the limits outlive the controller'
ok 'actl removes the limits' actl queue update mine --limit none
is "$(actl queue list mine --noheader --format limits)" '' 'all limits are removed'
run actl queue update mine --limits cpu=2
is "$status" 2 'a limit above 1 is refused'
like "$err" 'cpu: 2 is out of range: expected 0 to 1' 'the error names the range'
run actl queue update mine --limits cores=0.5
is "$status" 2 'an unknown resource is refused'
like "$err" "'cores' is not a resource: expected cpu, memory or gpu" 'the error lists the known resources'
acancel "$half" >/dev/null
ok 'the cluster is empty' wait_until 20 job_ended "$half"

# the limit of a priority class, and a reload that changes it
run asubmit --parsable --queue free --priority-class small --array 1-6 --output=/dev/null --wrap 'sleep 300'
small=$out
ok 'the class fills a quarter of the cluster' wait_until 20 runs free 2
ok 'a job of another class runs beside it' settled
is "$(running free)" 2 'the class starts no more'
sed -i 's/max_fraction_per_queue = { cpu = 0.25; }/max_fraction_per_queue = { cpu = 0.5; }/' "$conf"
ok 'a reload raises the limit' actl reconfigure
ok 'two more jobs start' wait_until 20 runs free 4
sed -i 's/max_fraction_per_queue = { cpu = 0.5; }/max_fraction_per_queue = { cpus = 0.5; }/' "$conf"
run actl reconfigure
is "$status" 1 'a reload with an unknown resource is refused'
like "$err" "line [0-9]+: max_fraction_per_queue: 'cpus' is not a resource" 'the error names the line'
cp "$conf" broken.conf
sed 's/max_fraction_per_queue = { cpus = 0.5; }/max_fraction_per_queue = { cpu = 1; }/' broken.conf >"$conf"
ok 'a reload with a known resource is accepted' actl reconfigure
acancel "$small" >/dev/null
ok 'the cluster is empty again' wait_until 20 job_ended "$small"

# a gang that starts with fewer tasks outlives the controller
run asubmit --queue free --ntasks 10 --output=/dev/null --wrap true
is "$status" 1 'a gang that the empty cluster could never hold is refused'
like "$err" '10 tasks must start together; 2 of the 2 nodes .* at most 8 in all' 'the error gives the numbers'
run asubmit --parsable --queue free --ntasks 10 --min-tasks 5 --elastic=no --launch=all --output="$work/gang.%t" \
	--wrap 'echo $ARMADA_TASK_RANK of $ARMADA_TASK_COUNT on $ARMADA_NODE_LIST; until [ -e go ]; do sleep 0.1; done'
gang=$out
is "$status" 0 'a gang with --min-tasks is accepted'
ok 'the gang starts as many tasks as there is room for' wait_until 20 eval '[ "$(cat gang.* 2>/dev/null | wc -l)" = 8 ]'
is "$(sort -n gang.* | tr '\n' ' ')" "$(for i in 0 1 2 3 4 5 6 7; do printf '%s of 8 on n[1-2] ' $i; done)" \
	'the ranks have no gap, and each task knows the count and the nodes'
is "$(aqueue --noheader --format tasks,cpus "$gang" | tr -s ' ')" '8 8' 'aqueue shows the tasks that run'
like "$(aqueue --noheader --format reason "$gang")" '2 of 10 tasks were not started' 'the reason shows the tasks that were not started'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
run asubmit --parsable --queue free --output=/dev/null --wrap true
more=$out
ok 'a restarted controller knows that the cluster is full' wait_until 20 eval \
	"aqueue --noheader --format reason $more | grep -qv 'waits for its turn'"
is "$(aqueue --noheader --format state "$more")" PENDING 'the new job is pending'
touch go
ok 'all jobs end' wait_until 20 job_ended "$gang" "$more"
is "$(aqueue --noheader --format state,tasks "$gang" | tr -s ' ')" 'COMPLETED 8' 'the history has the number of tasks'
like "$(aqueue --noheader --format reason "$gang")" 'gang minimum met without them' 'the history has the reason'

# jobs beyond a limit of a round or of a second start in the next, without another event
sed -i 's/max_jobs_per_round = 1000;/max_jobs_per_round = 2;/' "$conf"
ok 'a reload limits a round to two jobs' actl reconfigure
run asubmit --parsable --queue free --array 1-7 --output=/dev/null --wrap 'sleep 300'
many=$out
ok 'all seven jobs start' wait_until 20 runs free 7
acancel "$many" >/dev/null
ok 'all seven jobs end' wait_until 20 job_ended "$many"
sed -i 's/max_jobs_per_round = 2;/rate = 5; burst = 2;/' "$conf"
ok 'a reload sets a rate' actl reconfigure
begun=${EPOCHREALTIME/./}
run asubmit --parsable --queue free --array 1-6 --output=/dev/null --wrap 'sleep 300'
many=$out
ok 'six jobs start' wait_until 20 runs free 6
took=$((${EPOCHREALTIME/./} - begun))
ok 'two start at once, the others take at least 0.7 s' [ "$took" -ge 700000 ]
acancel "$many" >/dev/null
ok 'all six jobs end' wait_until 20 job_ended "$many"
run asubmit --queue free --ntasks 3 --output=/dev/null --wrap true
like "$err" 'more than the 2 that the cluster starts at once' 'a gang larger than the burst is refused'

# a job that today's nodes could never hold waits if scheduler.hold_impossible is set
run asubmit --queue free --cpus 64 --output=/dev/null --wrap true
is "$status" 1 'a job larger than every node is refused'
sed 's/^scheduler = {/& hold_impossible = true;/' "$conf" >hold.conf
cp hold.conf "$conf"
ok 'a reload sets hold_impossible' actl reconfigure
run asubmit --parsable --queue free --cpus 64 --output=/dev/null --wrap true
is "$status" 0 'such a job is accepted'
ok 'its reason names the cpus' wait_until 10 eval \
	"aqueue --noheader --format reason $out | grep -q '64 cpu'"

# the bounds of what one user makes the controller keep, and what is used of them
# limit NAME OF COLUMNS: prints columns of a row of actl show limits
limit()
{
	actl show limits --json | jq -r --arg name "$1" --arg of "$2" \
		".limits[] | select(.limit == \$name and .of == \$of) | $3"
}
like "$(actl show limits | head -1)" '^LIMIT +OF +USED +BOUND +OPTION +USERS' 'actl show limits has a heading'
is "$(limit jobs user '"\(.bound) \(.option)"')" '4000000 limits.jobs_per_user' 'a row has the bound and its option'
is "$(limit connections user '"\(.used) \(.users[0].user)"')" "1 $(id -un)" 'the controller counts this connection'
is "$(limit output connection .used)" null 'what is not counted is null'
for name in a b; do
	{ echo '#!/bin/sh'; head -c 600000 /dev/zero | tr '\0' $name | sed 's/^/# /'; } >"large-$name.sh"
done
jobs=$(limit jobs all .used)
cp "$conf" before.conf
sed "\$a limits = { stored_per_user = \"1M\"; jobs_per_user = $((jobs + 2)); };" before.conf >"$conf"
ok 'a reload changes the bounds' actl reconfigure
run asubmit --parsable --queue free --hold --output=/dev/null large-a.sh
first=$out
is "$status" 0 'a large script is accepted'
like "$(limit stored user .used)" '^6[0-9]{5}$' 'it is counted'
run asubmit --retry-for 0 --queue free --hold --output=/dev/null large-b.sh
is "$status" 75 'a second one is above the bound and refused'
like "$err" 'with [0-9.]+K more the limit of 1M would be exceeded \(limits.stored_per_user\)' 'the refusal has the numbers'
run asubmit --parsable --queue free --hold --output=/dev/null large-a.sh
second=$out
is "$status" 0 'the same script for another job is accepted'
like "$(limit stored user .used)" '^6[0-9]{5}$' '... and counts once'
run asubmit --retry-for 0 --queue free --output=/dev/null --wrap true
is "$status" 75 'a job above the number is refused'
like "$err" 'limits.jobs_per_user' 'the refusal names the option'
acancel "$second" >/dev/null
asubmit --wait --queue free --hold --output=/dev/null --wrap true >/dev/null 2>&1 &
waiter=$!
ok 'a wait is counted' wait_until 20 eval '[ "$(limit waits user .used)" = 1 ]'
is "$(limit waits user '.users[0].user')" "$(id -un)" '... for its user'
acancel --queue free >/dev/null
wait "$waiter"
is "$(limit waits all .used)" 0 'a job that has ended has no waits'
ok 'the ends give the bytes back' wait_until 20 eval '[ "$(limit stored user .used)" = 0 ]'
done_testing
