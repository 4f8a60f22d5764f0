#!/bin/bash
# Three controllers and three Redis servers with sentinels: the leader, the primary and a replica are killed, stopped
# and cut off from the network, alone and in pairs, and replicas come back emptied and damaged, while jobs are
# submitted and run. Each controller, and each server with its sentinel, has a network namespace of its own. Where
# none can be made, the faults of the network are left out.
# ARMADA_FAILOVERS=200 makes 200 faults, in rounds of 20 at most. The kinds take turns; the seed chooses the first.
: "${ARMADA_FAILOVERS:=${ARMADA_DRILL_FAULTS:-7}}"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/nets.sh"
nets_enter
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"

command -v redis-server >/dev/null && command -v redis-cli >/dev/null &&
	[ -e "$ARMADA_BUILDDIR/plugins.d/state_redis.so" ] ||
	skip_all 'redis-server, or the plugin state/redis, is not there'

if [ -z "$nets_missing" ]; then
	for i in 1 2 3; do
		nets_add c$i r$i && nets_wrap c$i armctld$i && nets_wrap r$i redis$i sentinel$i ||
			bail "the namespaces c$i and r$i cannot be made"
	done
fi

# member NAME: the namespace of a daemon.
member()
{
	case $1 in
	armctld?) echo "c${1#armctld}" ;;
	redis?) echo "r${1#redis}" ;;
	esac
}

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

# replica PRIMARY: prints the name of another server.
replica()
{
	local name

	until name=redis$((RANDOM % 3 + 1)) && [ "$name" != "$1" ]; do :; done
	echo "$name"
}

# place_of NAME: HOST:PORT of a server.
place_of()
{
	grep -o 'servers = \[[^]]*\]' "$cluster/armada.conf" | grep -o '"[^"]*"' | sed -n "${1#redis}{s/\"//g;p}"
}

# serves NAME: the server answers, and has loaded its file.
serves()
{
	local place

	place=$(place_of "$1")
	[ "$(REDISCLI_AUTH=$(cat "$cluster/redis/password") timeout 5 redis-cli -h "${place%:*}" -p "${place##*:}" \
		--user armada --no-auth-warning ping 2>/dev/null)" = PONG ]
}

# comes_back NAME: a server whose file does not load starts twice.
comes_back()
{
	"$devcluster" restart "$cluster" "$1" >>kills 2>&1
	wait_until 60 attended serves "$1"
}

# emptied NAME, damaged NAME: the file of a server changes while it is down.
emptied()
{
	"$devcluster" kill "$cluster" "$1" >>kills 2>&1
	rm -rf "$cluster/redis/$1/appendonlydir"
	fault "emptied $1"
	pause 3000
	comes_back "$1"
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
	comes_back "$1"
}

# split off NAME...: the daemons are cut from all others, and reach each other.
# apart NAME...: each is cut from all others.
# deaf NAME, mute NAME: nothing reaches it, or nothing that it sends arrives.
split_off()
{
	cut_off split_off island "$@"
}
apart()
{
	cut_off apart 'cut_each both' "$@"
}
deaf()
{
	cut_off deaf 'cut_each in' "$@"
}
mute()
{
	cut_off mute 'cut_each out' "$@"
}

cut_each()
{
	local way=$1 name

	shift
	for name in "$@"; do
		cut "$name" "$way" || return
	done
}

# cut_off KIND COMMAND NAME...
cut_off()
{
	local kind=$1 command=$2 name members=()

	shift 2
	for name in "$@"; do
		members+=("$(member "$name")")
	done
	$command "${members[@]}" && fault "$kind" "$@"
	outlasts "$@"
	deposed "$@"
	for name in "${members[@]}"; do
		mend "$name"
	done
}

# The faults of processes and of the network take turns.
processes=('killed leader' 'damaged replica' 'stopped primary' 'killed leader primary' 'stopped leader'
	'emptied replica' 'killed primary' 'killed leader replica' 'stopped leader primary' 'killed replica'
	'stopped replica' 'killed primary replica' 'stopped leader replica' 'stopped primary replica')
cuts=('split_off leader' 'split_off primary' 'split_off leader primary' 'split_off replica' 'split_off leader replica'
	'mute leader' 'split_off primary replica' 'apart leader primary' 'deaf primary' 'mute replica'
	'apart primary replica' 'deaf leader')

# The names of the targets are found before the fault begins.
disturb()
{
	local number kind targets target names first

	while next_fault; do
		stands && first=$(primary) || continue
		number=$((start + $(wc -l <all_faults)))
		if [ -n "$nets_missing" ]; then
			kind=${processes[number % ${#processes[@]}]}
		elif [ $((number % 2)) -eq 0 ]; then
			kind=${processes[number / 2 % ${#processes[@]}]}
		else
			kind=${cuts[number / 2 % ${#cuts[@]}]}
		fi
		read -ra targets <<<"$kind"
		names=()
		for target in "${targets[@]:1}"; do
			case $target in
			leader) names+=("$led") ;;
			primary) names+=("$first") ;;
			replica) names+=("$(replica "$first")") ;;
			esac
		done
		"${targets[0]}" "${names[@]}"
		pause 2000
	done
}

# late_writers: prints the records of the log that have a lower epoch than an earlier record.
late_writers()
{
	local place

	place=$(place_of "$(primary)")
	redis-cli -h "${place%:*}" -p "${place##*:}" --user armada --pass "$(cat "$cluster/redis/password")" \
		--no-auth-warning eval '
		local at, last, late, seen = "-", 0, {}, 0
		while true do
			local page = redis.call("XRANGE", KEYS[1], at, "+", "COUNT", 500)
			if #page == 0 then break end
			for _, entry in ipairs(page) do
				local e = tonumber(entry[2][2])
				if e < last then late[#late + 1] = entry[1] end
				last, at, seen = e, "(" .. entry[1], seen + 1
			end
		end
		return seen .. " records, late: " .. table.concat(late, " ")' 1 armada:log
}

rounds=$(((ARMADA_FAILOVERS + 19) / 20))
least_faults=$(((ARMADA_FAILOVERS + rounds - 1) / rounds))
lasts=3000
steady=2000
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
# A command in the file of a replica is no command any more: all its data comes from the primary.
all_copies()
{
	actl copies list >copies 2>/dev/null && [ "$(grep -c in-sync copies)" -eq 3 ]
}
asubmit --parsable -o /dev/null --memory 32M -- true >/dev/null
name=$(replica "$(primary)")
"$devcluster" kill "$cluster" "$name"
sed -i 's/XADD/XBDD/' "$cluster/redis/$name"/appendonlydir/*.incr.aof
ok 'a replica with a file that does not load comes back' comes_back "$name"
ok '... and has set the file aside' grep -qa XBDD "$cluster/redis/$name"/appendonlydir.damaged/*.incr.aof
ok '... and is a copy again' wait_until 60 all_copies
# The machine of the leader and of a copy is gone. The next controller has the lead, and leads without this copy
# when an administrator takes it out. The copy stays out until it is added.
shows()
{
	actl copies list >copies 2>/dev/null && grep -q "$1" copies
}
for gone in redis1 redis2 redis3; do
	[ "$gone" = "$(primary)" ] || break
done
copy=$(place_of "$gone")
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
	actl copies remove "$copy" >removed 2>removed.err
}
ok 'the copy is taken out while no controller leads' wait_until 60 removes_copy || diag "$(cat removed.err)"
like "$(cat removed)" 'records have to be on [0-9.:]*, [0-9.:]* .version' 'the answer names the copies that are left'
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
lead_lists armctld1 armctld2 armctld3
# the question that a leader is asked when it is cut off
stands && read -ra wrap < <(paste -sd' ' "$cluster/wrap/$led" 2>/dev/null)
like "$(leads "only.$led" "${wrap[@]}" | paste -sd' ')" "^answers $led $led [0-9]+\$" 'on its own machine the leader answers as leader'
: >all_faults
start=$((RANDOM | 1))
drill_rounds disturb 180 40
ok 'after the faults one controller leads, and two stand by' wait_until 60 attended all_stand
[ -z "$nets_missing" ] || skip "faults of the network: $nets_missing"
is "$(one_led)" '' 'no epoch had two leaders'
is "$(cat wrong_answers 2>/dev/null)" '' 'no leader that was cut off or stopped answered as leader after another one had begun'
like "$(late_writers)" '^[1-9][0-9]* records, late: $' 'no record of a lower epoch follows one of a higher epoch'
diag "asked: $(sort deposed_asked 2>/dev/null | uniq -c | tr -s ' \n' ' ')"
diag "faults: $(sed 's/armctld./controller/g; s/redis./server/g' all_faults | sort | uniq -c | tr -s ' ' | paste -sd,)"
done_testing
