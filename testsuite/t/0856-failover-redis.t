#!/bin/bash
# Three controllers and three Redis servers with sentinels: the leader, the primary and the replicas are killed
# and stopped, while jobs are submitted and run. ARMADA_FAILOVERS sets the number of faults.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"

command -v redis-server >/dev/null && command -v redis-cli >/dev/null &&
	[ -e "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] ||
	skip_all 'redis-server, or the plugin state/redis, is not there'

# primary: prints the name of the server that takes the writes.
primary()
{
	local port first

	first=$(cat "$cluster/redis/port")
	port=$(actl ping --json | awk -F'"' '
		$2 == "copies" { in_it = 1 }
		in_it && $2 == "name" { name = $4 }
		in_it && $2 == "primary" && $0 ~ /true/ { sub(/.*:/, "", name); print name }')
	[ -n "$port" ] && echo "redis$((port - first + 1))"
}

disturb()
{
	local name

	while next_fault; do
		case $((RANDOM % 5)) in
		0) name=$(leader) && killed "$name" ;;
		1) name=$(leader) && stopped "$name" ;;
		2) name=$(primary) && killed "$name" ;;
		3) name=$(primary) && stopped "$name" ;;
		4) killed "redis$((RANDOM % 3 + 1))" ;;
		esac
		pause 2000
	done
}

rounds=1
lasts=400
drill_begin 3 'agents = { heartbeat = "500ms"; node_timeout = "120s"; reconnect_max = "300ms"; };' \
	--state redis --controllers 3
ok 'one controller leads, and two stand by' wait_until 30 all_stand
is "$(primary)" redis1 'the first server takes the writes'
name=$(leader)
"$devcluster" kill "$cluster" "$name"
run asubmit --parsable -o /dev/null --memory 32M -- true
is "$status" 0 'a submission waits for the next leader'
"$devcluster" restart "$cluster" "$name"
ok 'the killed controller stands by' wait_until 30 all_stand

# A server that starts again has what was acknowledged: its file is run with the rights of etc/redis-users.acl.
name=$(primary)
"$devcluster" kill "$cluster" "$name"
"$devcluster" restart "$cluster" "$name"
run asubmit --parsable -o /dev/null --memory 32M -- true
is "$status" 0 'a submission waits for a primary that was killed and started at once'
ok 'no controller has ended' wait_until 30 all_stand
is "$(cat "$cluster"/log/armctld?.log | grep -c 'went backwards')" 0 'and none has missed a record'
drill_rounds disturb 180 120
is "$(one_led)" '' 'no epoch had two leaders'
done_testing
