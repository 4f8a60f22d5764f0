#!/bin/bash
# Three controllers and three Redis servers with sentinels: the leader, the primary and the replicas are killed
# and stopped, alone and in pairs, and replicas come back emptied and damaged, while jobs are submitted and run.
# ARMADA_FAILOVERS sets the number of faults. The kinds take turns; the seed chooses the first one.
: "${ARMADA_FAILOVERS:=${ARMADA_DRILL_FAULTS:-5}}"
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

# replica: prints the name of a server that does not take the writes.
replica()
{
	local first name

	first=$(primary) || return
	until name=redis$((RANDOM % 3 + 1)) && [ "$name" != "$first" ]; do :; done
	echo "$name"
}

# both NAME NAME: two daemons are killed at once.
both()
{
	local name

	for name in "$@"; do
		"$devcluster" kill "$cluster" "$name" >>kills 2>&1
	done
	fault "killed $*"
	pause 4000
	for name in "$@"; do
		"$devcluster" restart "$cluster" "$name" >>kills 2>&1
	done
}

# emptied NAME, damaged NAME: the file of a server changes while it is down.
emptied()
{
	"$devcluster" kill "$cluster" "$1" >>kills 2>&1
	rm -rf "$cluster/redis/$1/appendonlydir"
	fault "emptied $1"
	pause 3000
	"$devcluster" restart "$cluster" "$1" >>kills 2>&1
}

damaged()
{
	local file

	"$devcluster" kill "$cluster" "$1" >>kills 2>&1
	for file in "$cluster/redis/$1"/appendonlydir/*.aof; do
		python3 - "$file" "$RANDOM" <<-'X'
		import random, sys
		random.seed(int(sys.argv[2]))
		with open(sys.argv[1], "r+b") as f:
		    data = f.read()
		    for _ in range(3 if data else 0):
		        at = random.randrange(len(data))
		        f.seek(at)
		        f.write(bytes([data[at] ^ 1]))
		X
	done
	fault "damaged $1"
	pause 3000
	"$devcluster" restart "$cluster" "$1" >>kills 2>&1
}

disturb()
{
	local kind=$RANDOM name other

	while next_fault; do
		name=$(leader) && other=$(primary) || continue
		case $((kind++ % 8)) in
		0) killed "$name" ;;
		1) damaged "$(replica)" ;;
		2) stopped "$other" ;;
		3) both "$name" "$other" ;;
		4) stopped "$name" ;;
		5) emptied "$(replica)" ;;
		6) killed "$other" ;;
		7) both "$name" "$(replica)" ;;
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
# The machine of the leader and of a copy is gone. The next controller has the lead, and leads without this copy
# when an administrator takes it out. The copy stays out until it is added.
shows()
{
	actl copies list >copies 2>/dev/null && grep -q "$1" copies
}
first_port=$(cat "$cluster/redis/port")
for gone in redis1 redis2 redis3; do
	[ "$gone" = "$(primary)" ] || break
done
copy=127.0.0.1:$((first_port + ${gone#redis} - 1))
name=$(leader)
"$devcluster" kill "$cluster" "$gone"
"$devcluster" kill "$cluster" "$name"
waits_for_copy()
{
	actl ping 2>/dev/null | grep -q '^Store: .*has the lead, and leads when its first record'
}
ok 'with a copy gone the next controller does not lead yet' wait_until 60 waits_for_copy
ok 'actl copies list shows the copy as away, and since when' wait_until 30 shows "^$copy *away .* 20[0-9][0-9]-"
# The lead may go from one controller to another meanwhile; then no controller takes the request.
removes_copy()
{
	actl copies remove "$copy" >removed 2>&1
}
ok 'the copy is taken out while no controller leads' wait_until 60 removes_copy || diag "$(cat removed)"
like "$(cat removed)" 'records have to be on 127[^ ]*, 127[^ ]* .version' 'the answer names the copies that are left'
ok 'then the controller leads' wait_until 30 has_leader
run asubmit --parsable -o /dev/null --memory 32M -- true
is "$status" 0 'and takes jobs'
"$devcluster" restart "$cluster" "$gone"
"$devcluster" restart "$cluster" "$name"
ok 'the copy that is back stays out of the set' wait_until 60 shows "^$copy *in-sync *no "
like "$(cat copies)" 'The set has version [0-9]* since .* by ' 'the log says who changed the set'
run actl copies remove "$copy"
like "$err" 'is out of the set already' 'it cannot be taken out twice'
run actl copies add "$copy"
is "$status" 0 'an administrator takes it back' || diag "$err"
ok 'and it is in the set' wait_until 30 shows "^$copy *in-sync *yes "
ok 'all controllers are back' wait_until 30 all_stand
drill_rounds disturb 180 120
is "$(one_led)" '' 'no epoch had two leaders'
done_testing
