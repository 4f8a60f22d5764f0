#!/bin/bash
# Queues of armada.conf: named users must exist, defaults of jobs, limits on pending jobs and on
# submissions, priority classes that are added and removed; changed by actl, by a reload and through
# a restart of the controller.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"
needs python3

me=$(id -un)
classes='priority_classes = ( { name = "armada-default"; }, { name = "nice"; priority = 10; } );'
queues()
{
	cat <<END
$classes
queues = (
	{ name = "few"; max_waiting = 5; user_max_waiting = 4; },
	{ name = "slow"; submit_rate = "2/h"; submit_burst = 2; },
	{ name = "big"; default_resources = [ "cpu=2", "memory=300M" ]; default_class = "nice";
	  labels = [ "site=west" ]; class_limits = [ "nice:cpu=0.5" ]; permissions = [ "all=submit,watch" ]; },
	{ name = "free"; }
);
END
}
queues >"$work/queues.conf"
test_under_armada 2 --cpus 4 --memory 4G --conf "$work/queues.conf"
conf=$cluster/armada.conf
cd "$work" || bail 'no directory to work in'

submit()
{
	run asubmit --parsable --output=/dev/null --memory 100M --hold --queue "$@"
}
runs()
{
	[ "$(actl queue list "$1" --noheader --format running | tr -d ' ')" = "$2" ]
}
waits_for()
{
	[ "$(aqueue --noheader --format why --state pending "$2" | head -n 1 | tr -d ' ')" = "$1" ]
}
# again LINES: replaces the queues of armada.conf with LINES
again()
{
	python3 - "$conf" "$1" <<'END'
import re, sys
path, queues = sys.argv[1:]
text = open(path).read()
begin = min(text.index(word) for word in ("priority_classes = (", "queues = (") if word in text)
end = text.index(");", text.index("queues = (")) + 2
open(path, "w").write(text[:begin] + queues + text[end:])
END
}

# the number of pending elements
submit few --array 0-2 --wrap true
is "$status" 0 'three elements of at most four are accepted'
submit few --array 0-1 --wrap true
is "$status" 1 'two more elements are refused'
like "$err" "user $me in queue 'few': 3 elements wait; with 2 more the limit of 4 would be exceeded \(user_max_waiting\)" \
	'the error names the count and the limit'
submit few --wrap true
is "$status" 0 'one more element is accepted'
moved=$out
submit free --array 0-1 --wrap true
run actl update "$out" --queue few
is "$status" 1 'a job cannot be moved into a full queue'
like "$err" "queue 'few': 4 elements wait; with 2 more the limit of 5 would be exceeded \(max_waiting\)" 'the error names the limit of the queue'
ok 'a job is moved to another queue' actl update "$moved" --queue free
submit few --wrap true
is "$status" 0 'a job is accepted in its place'

# the submission rate
submit slow --array 0-99 --wrap true
is "$status" 0 'an array counts as one job'
submit slow --wrap true
is "$status" 0 'a burst of two jobs is accepted'
submit slow --retry-for 0 --wrap true
is "$status" 75 'a third job gives exit code 75'
like "$err" "queue 'slow': 0 jobs may be submitted now, and the request has 1; at most 2/h and 2 at once \(submit_rate\): try again in" \
	'the error says when to try again'
submit free --wrap true
is "$status" 0 'a job for another queue is accepted'

# defaults
run asubmit --parsable --hold --output=/dev/null --queue big --wrap true
big=$out
is "$(aqueue --noheader --format class "$big" | tr -d ' ')" nice 'a job gets the default class of the queue'
is "$(aqueue --noheader --format cpus,memory "$big" | tr -s ' ' | sed 's/^ //;s/ *$//')" '2 300M' 'a job gets the default resources of the queue'
run asubmit --parsable --hold --output=/dev/null --queue big --priority-class armada-default --cpus 1 --wrap true
is "$(aqueue --noheader --format cpus "$out" | tr -d ' ')" 1 'an option overrides the default of the queue'

# the limit of a class in a queue
run asubmit --parsable --output=/dev/null --queue big --nodes 2 --ntasks 4 --cpus 2 --mem 100M --wrap true
is "$status" 1 'a job larger than the class limit is refused'
like "$err" "cpu: 8 at once is more than the 4 \(0\.5 of all\) that queue 'big' in class 'nice' may hold" 'the error names the class limit'
run asubmit --parsable --output=/dev/null --queue big --array 0-2 --mem 100M --wrap 'sleep 300'
array=$out
ok 'jobs run up to the class limit' wait_until 20 runs big 2
ok 'the other elements wait for the class limit' wait_until 20 waits_for ClassLimit "$array"
like "$(aqueue --noheader --format reason --state pending "$array")" \
	'queue big would use 6 of at most 4 cpu in class nice by its own limit' 'the reason names the limit of the queue'

# invalid values
for line in 'owners = [ "anne-of-none" ]|owners: there is no user .anne-of-none. on this machine' \
	'group_owners = [ "no-group-here" ]|group_owners: there is no group .no-group-here.' \
	'permissions = [ "user:anne-of-none=submit" ]|permissions: there is no user .anne-of-none.' \
	'permissions = [ "all=dance" ]|dance' \
	'permissions = [ "all=watch", "all=submit" ]|permissions: ' \
	'priority_factor = 0|0 is out of range' \
	'limits = { cpu = 1.5; }|1.5 is out of range: expected 0 to 1' \
	'class_limits = [ "mice:cpu=0.5" ]|not in priority_classes; did you mean .nice' \
	'submit_burst = 3|submit_burst needs submit_rate' \
	'max_waiting = -1|-1 is out of range'; do
	again "$classes
queues = (
	{ name = \"few\"; ${line%%|*}; }
);"
	run actl reconfigure
	is "$status" 1 "refused: ${line%%|*}"
	like "$err" "${line#*|}" 'the error names the problem'
	like "$err" 'armada\.conf' 'the error names the file'
done
again "$(queues)"
run actl queue create new --owners anne-of-none
is "$status" 1 'a queue with an unknown owner is refused'
like "$err" "there is no user 'anne-of-none' on the controller.s machine" 'the error names the unknown user'
run actl queue show new
is "$status" 3 'the refused queue does not exist'
ok 'a queue with a known owner is created' actl queue create new --owners "$me"

# a class is removed while jobs of it exist
again "$(classes='priority_classes = ( { name = "armada-default"; } );'; queues | grep -v 'labels =' |
	sed 's/default_class = "nice";/permissions = [ "all=submit" ]; },/')"
ok 'a reload removes the default class of a queue' actl reconfigure
run asubmit --parsable --hold --output=/dev/null --queue big --wrap true
is "$(aqueue --noheader --format class "$out" | tr -d ' ')" armada-default 'jobs get the default class of the cluster'
"$devcluster" kill "$cluster" armctld >/dev/null
"$devcluster" restart "$cluster" armctld >/dev/null
ok 'the controller restarts' wait_until 20 actl ping
is "$(aqueue --noheader --format queue "$big" | tr -d ' ')" big 'the jobs are still in their queues'
submit few --array 0-3 --wrap true
like "$err" '4 elements wait; with 4 more' 'pending elements are counted after a restart'
submit slow --wrap true
is "$status" 0 'the submission rate starts anew after a restart'
acancel --all >/dev/null 2>&1 || acancel --user "$me" >/dev/null 2>&1
done_testing
