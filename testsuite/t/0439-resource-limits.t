#!/bin/bash
# Limits of any resource: of queues, of users in a queue, of users, as amounts and as fractions; licences, too.
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

conf=$work/extra.conf
cat >"$conf" <<'EOF'
resources = ( { name = "fpga"; }, { name = "scratch"; unit = "size"; } );
floating = { matlab = 20; };
nodes = ( { name = "n1"; resources = ["fpga=8", "scratch=2T"]; } );
user_limits = { max_resources = ["fpga=6"]; };
queues = ( { name = "a"; max_resources = ["fpga=4", "matlab=3"]; user_max_resources = ["scratch=1T"];
	permissions = ["all=submit"]; }, { name = "b"; limits = { fpga = 0.25; }; permissions = ["all=submit"]; },
	{ name = "c"; permissions = ["all=submit"]; } );
EOF
test_under_armada 1 --cpus 8 --memory 4G --conf "$conf"

state_is()
{
	[ "$(aqueue --noheader --format state "$1" | tr -d ' ')" = "$2" ]
}
waits_for()
{
	[ "$(aqueue --noheader --format why "$1" | tr -d ' ')" = "$2" ]
}
refused()
{
	local words=$1

	shift
	run asubmit "$@" --wrap true
	is "$status" 1 "asubmit $* is refused"
	like "$err" "$words" 'the error has the reason'
}
sleeper()
{
	asubmit --parsable --cpus 0.1 --mem 50M "$@" --wrap 'exec sleep 1000'
}

refused "fpga: 5 at once is more than the 4 that queue 'a' may use \\(max_resources\\)" --queue a --resource fpga=5
refused "matlab: 4 at once is more than the 3 that queue 'a' may use \\(max_resources\\)" --queue a -L matlab:4
refused "scratch: 1536G at once is more than the 1T that each user in queue 'a' may use \\(user_max_resources\\)" \
	--queue a --resource scratch=1536G
refused 'fpga: 7 at once is more than the 6 that each user may use \(user_limits.max_resources\)' --queue c --resource fpga=7
refused "fpga: 3 at once is more than the 2 \\(0.25 of all\\) that queue 'b' may hold" --queue b --resource fpga=3

one=$(sleeper --queue a --resource fpga=3 -L matlab:2)
ok 'a job within the limits runs' wait_until 20 state_is "$one" RUNNING
two=$(sleeper --queue a --resource fpga=2)
ok 'one more than the queue may use waits' wait_until 20 waits_for "$two" QueueLimit
like "$(aexplain "$two")" 'queue a uses 3 of at most 4 fpga, this job asks for 2 \(limit of queue a: max_resources\)' 'aexplain has the numbers'
lic=$(sleeper --queue a -L matlab:2)
ok 'a licence has a limit, too' wait_until 20 waits_for "$lic" QueueLimit
like "$(aexplain "$lic")" 'queue a uses 2 of at most 3 matlab, this job asks for 2' 'aexplain has the numbers'
big=$(sleeper --queue a --resource scratch=1T)
ok 'a user may have as much as the limit' wait_until 20 state_is "$big" RUNNING
more=$(sleeper --queue a --resource scratch=1G)
ok 'and no more' wait_until 20 waits_for "$more" UserResourceLimit
like "$(aexplain "$more")" 'uses 1T of at most 1T scratch, this job asks for 1G .*user_max_resources' 'in the unit of the resource'
user=$(sleeper --queue c --resource fpga=4)
ok 'the limit of a user counts all queues' wait_until 20 waits_for "$user" UserResourceLimit

# at run time
run actl queue update a --max-resources fpga=5,matlab=10
is "$status" 0 'a limit is changed at run time'
ok 'the job starts' wait_until 20 state_is "$two" RUNNING
ok 'so does the other one' wait_until 20 state_is "$lic" RUNNING
is "$(actl queue list a --json | jq -c '.queues[0] | [.max_resources, .user_max_resources]')" \
	'[["fpga=5","matlab=10"],["scratch=1T"]]' 'JSON has the limits'
like "$(actl queue show a --conf)" 'max_resources = \[ ?"fpga=5", "matlab=10" ?\]' 'so has the form of armada.conf'
run actl queue update a --max-resources fpgas=5
is "$status" 2 'an unknown resource is refused'
like "$err" "did you mean 'fpga'" 'with a near name'
"$devcluster" restart "$cluster" armctld >/dev/null
three=$(sleeper --queue a --resource fpga=1)
ok 'the limits stay over a restart' wait_until 30 waits_for "$three" QueueLimit
acancel "$user" "$one" >/dev/null
ok 'a job starts when there is room below the limit' wait_until 20 state_is "$three" RUNNING

# asim
cat >s.json <<'EOF'
{"nodes": [{"name": "n", "resources": {"cpu": 8, "memory": "8G", "fpga": 8}}],
 "queues": [{"name": "a", "max_resources": {"fpga": 3}, "user_max_resources": {"fpga": 2}}],
 "rounds": [{"submit": [{"id": "x", "queue": "a", "user": "ann", "resources": {"cpu": 1, "memory": "1G", "fpga": 2}},
	{"id": "y", "queue": "a", "user": "ann", "resources": {"cpu": 1, "memory": "1G", "fpga": 1}},
	{"id": "z", "queue": "a", "user": "bob", "resources": {"cpu": 1, "memory": "1G", "fpga": 1}},
	{"id": "w", "queue": "a", "user": "eve", "resources": {"cpu": 1, "memory": "1G", "fpga": 1}}]}]}
EOF
run "$ARMADA_BUILDDIR/src/asim/asim" rounds --check --plugins "$ARMADA_BUILDDIR/plugins.d" s.json
is "$status" 0 'asim has the limits'
is "$(jq -c '.scheduled | map(.id)' <<<"$out" 2>/dev/null)" '["x","z"]' 'and starts nothing beyond them'
diag "$out"
done_testing
