#!/bin/bash
# Limits on what queues and users may have running: from armada.conf to the reasons in a listing,
# lowered and raised while jobs run, by a reload and by actl, through a restart of the controller.
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

# submit QUEUE [option...]: the job id goes to $out
submit()
{
	run asubmit --parsable --output=/dev/null --memory 100M --queue "$@"
}
running()
{
	actl queue list "$1" --noheader --format running | tr -d ' '
}
runs()
{
	[ "$(running "$1")" = "$2" ]
}
# waits_for WORD ID: the reason word of its first pending element
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

# the limit of a queue
submit few --array 0-4 --wrap 'sleep 300'
few=$out
ok 'a queue fills up to its limit' wait_until 20 runs few 2
ok 'the other elements wait for the queue limit' wait_until 10 waits_for QueueJobsLimit "$few"
is "$(reason "$few")" 'queue few has 2 of at most 2 jobs running (limit of queue few: max_running)' \
	'the reason names the limit and the counts'
submit few --wrap 'sleep 300'
ok 'a job behind them has the same reason' wait_until 10 waits_for QueueJobsLimit "$out"
is "$(reason "$out")" "$(reason "$few")" 'in the same words'
gone "$out"
explained=$(aexplain "$few")
like "$explained" 'QueueJobsLimit: its queue already runs as many jobs as its limit allows' 'aexplain explains the word'
unlike "$explained" 'instead of' 'aexplain does not suggest a smaller request'
submit free --wait --wrap true
is "$status" 0 'a job of another queue runs'

# the limit of each user in a queue
submit each --array 0-4 --wrap 'sleep 300'
each=$out
ok 'a user fills a queue up to the user limit' wait_until 20 runs each 3
ok 'the other elements wait for the user limit' wait_until 10 waits_for UserJobsLimit "$each"
is "$(reason "$each")" \
	"user $me has 3 of at most 3 jobs running (limit of queue each for each user: user_max_running)" \
	'the reason names the limit'
submit each --wrap 'sleep 300'
ok 'a job behind them has the same reason' wait_until 10 waits_for UserJobsLimit "$out"
is "$(reason "$out")" "$(reason "$each")" 'in the same words'
gone "$out"

# the limit of each user in all queues
submit free --cpus-per-task 3 --wrap 'sleep 300'
wide=$out
ok 'a job above the limit of all queues waits' wait_until 10 waits_for UserCpuLimit "$wide"
is "$(reason "$wide")" \
	"user $me uses 5 of at most 6 cpus, this job asks for 3 (limit of each user: user_limits.max_cpus)" \
	'the reason names the request'
like "$(aexplain "$wide")" '1 cpu instead of 3' 'aexplain suggests a request that fits'
submit free --cpus-per-task 7 --wrap true
is "$status" 1 'a job larger than the limit is refused'
like "$err" 'cpu: 7 at once is more than the 6 that each user may use \(user_limits.max_cpus\)' 'the error names the limit'
submit each --memory 4G --wrap true
is "$status" 1 'a job larger than a limit of the queue is refused'
like "$err" "memory: 4G at once is more than the 3G that each user in queue 'each' may use \(user_max_memory\)" \
	'the error names that limit'

# a lowered limit ends nothing; a raised limit starts more
sed -i 's/max_cpus = "6"/max_cpus = "2"/' "$conf"
ok 'a reload lowers the limit' actl reconfigure
is "$(running few)$(running each)" 23 'no running job ends'
ok 'the reason of a job above the new limit changes' wait_until 10 waits_for BeyondLimit "$wide"
like "$(reason "$wide")" \
	'it asks for 3 cpus, user .* may use 2 \(limit of each user: user_limits.max_cpus\): it can never start' \
	'the reason names the new limit'
sed -i "s/max_cpus = \"2\"/max_cpus = \"16\"/; s/name = \"daemon\"; max_running = 0/name = \"$me\"; max_running = 7/" \
	"$conf"
ok 'a reload raises the limit' actl reconfigure
ok 'the job that waited for it starts' wait_until 20 runs free 1
ok 'actl raises the limit of a queue' actl queue update few --max-running 5
ok 'one more job starts, up to the limit of the user' wait_until 20 runs few 3
ok 'the others wait for the limit of the user' wait_until 10 waits_for UserJobsLimit "$few"
is "$(reason "$few")" "user $me has 7 of at most 7 jobs running (limit of user $me: users.max_running)" \
	'the reason names the limit of that user'

# a restarted controller has the same counts
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
submit free --wrap 'sleep 300'
late=$out
ok 'a new job waits after the restart' wait_until 20 waits_for UserJobsLimit "$late"
ok 'one job is cancelled' gone "$wide"
ok 'the new job runs' wait_until 20 runs free 1
ok 'all jobs end' gone "$few" "$each" "$late"
done_testing
