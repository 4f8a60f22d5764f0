#!/bin/bash
# What queues and users may have running: from armada.conf to the reasons that people read, lowered and
# raised while jobs run, by a reload and by hand, through a restart of the controller.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

me=$(id -un)
cat >"$work/most.conf" <<END
queues = (
	{ name = "few"; max_running = 2; },
	{ name = "each"; user_max_running = 3; user_max_memory = "3G"; },
	{ name = "free"; }
);
user_limits = { max_cpus = "6"; };
users = ( { name = "daemon"; max_running = 0; } );
END
test_under_armada 2 --cpus 8 --memory 8G --conf "$work/most.conf"
conf=$cluster/armada.conf

# submit QUEUE [option...]: its id into $out
submit()
{
	run asubmit --parsable --output=/dev/null --mem 100M --queue "$@"
}
running()
{
	actl queue list "$1" --noheader --format running | tr -d ' '
}
runs()
{
	[ "$(running "$1")" = "$2" ]
}
# waits_for WORD ID: the first of it that waits
waits_for()
{
	[ "$(aqueue --noheader --format why --state pending "$2" | head -n 1 | tr -d ' ')" = "$1" ]
}
reason()
{
	aqueue --noheader --format reason --state pending "$1" | head -n 1
}
gone()
{
	acancel "$@" >/dev/null && wait_until 20 job_ended "$@"
}
cd "$work" || bail 'no directory to work in'

# a queue
submit few --array 0-4 --wrap 'sleep 300'
few=$out
ok 'a queue fills up to its limit' wait_until 20 runs few 2
ok 'the others wait for that' wait_until 10 waits_for QueueJobsLimit "$few"
is "$(reason "$few")" 'queue few has 2 of at most 2 jobs running (limit of queue few: max_running)' \
	'and say which limit it is, how many run and may'
explained=$(aexplain "$few")
like "$explained" 'QueueJobsLimit: as many jobs of its queue run as may at once' 'aexplain knows the word'
unlike "$explained" 'instead of' 'and that to ask for less is of no use'
submit free --wait --wrap true
is "$status" 0 'other queues go on'

# each user in a queue
submit each --array 0-4 --wrap 'sleep 300'
each=$out
ok 'a user fills a queue up to the limit' wait_until 20 runs each 3
ok 'and waits for that' wait_until 10 waits_for UserJobsLimit "$each"
is "$(reason "$each")" \
	"user $me has 3 of at most 3 jobs running (limit of queue each for each user: user_max_running)" \
	'which is said'

# each user in all queues
submit free --cpus-per-task 3 --wrap 'sleep 300'
wide=$out
ok 'what all queues together would exceed waits' wait_until 10 waits_for UserCpuLimit "$wide"
is "$(reason "$wide")" \
	"user $me uses 5 of at most 6 cpus, this job asks for 3 (limit of each user: user_limits.max_cpus)" \
	'with what it would be'
like "$(aexplain "$wide")" '1 cpu instead of 3' 'aexplain says what would fit'
submit free --cpus-per-task 7 --wrap true
is "$status" 1 'what never could is refused'
like "$err" 'cpu: 7 at once is more than the 6 that each user may use \(user_limits.max_cpus\)' 'with the limit'
submit each --mem 4G --wrap true
is "$status" 1 'also for the limits of a queue'
like "$err" "memory: 4G at once is more than the 3G that each user in queue 'each' may use \(user_max_memory\)" \
	'by its name'

# lowered: nothing ends; raised: more starts
sed -i 's/max_cpus = "6"/max_cpus = "2"/' "$conf"
ok 'a reload lowers it' actl reconfigure
is "$(running few)$(running each)" 23 'and ends nothing'
ok 'the reason follows' wait_until 10 waits_for BeyondLimit "$wide"
like "$(reason "$wide")" \
	'it asks for 3 cpus, user .* may use 2 \(limit of each user: user_limits.max_cpus\): it never starts so' \
	'with the new limit'
sed -i "s/max_cpus = \"2\"/max_cpus = \"16\"/; s/name = \"daemon\"; max_running = 0/name = \"$me\"; max_running = 7/" \
	"$conf"
ok 'another one raises it' actl reconfigure
ok 'who waited for it starts' wait_until 20 runs free 1
ok 'a queue is given more by hand' actl queue update few --max-running 5
ok 'one more starts, up to what the user may in all' wait_until 20 runs few 3
ok 'who still waits waits for that' wait_until 10 waits_for UserJobsLimit "$few"
is "$(reason "$few")" "user $me has 7 of at most 7 jobs running (limit of user $me: users.max_running)" \
	'the exception by name'

# a controller that comes back counts the same
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
submit free --wrap 'sleep 300'
late=$out
ok 'after a restart a new one waits, too' wait_until 20 waits_for UserJobsLimit "$late"
ok 'one goes' gone "$wide"
ok 'and another comes' wait_until 20 runs free 1
ok 'all go' gone "$few" "$each" "$late"
done_testing
