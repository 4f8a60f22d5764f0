#!/bin/bash
# Leases with real daemons. A node's network process is stopped, so that the node is lost; its
# shepherds end their tasks when the lease ends, and only then the job runs elsewhere. An extended
# lease does not end; a job with --no-fence has none. The jobs' own journals prove that no two
# attempts of a job overlap (I3).
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >works <<'X2'
#!/bin/bash
# works NAME: write to NAME.journal until SIGTERM
log=${0%/*}/$1.journal
trap 'echo "$ARMADA_ATTEMPT end ${EPOCHREALTIME/./}" >>"$log"; exit 0' TERM
echo "$ARMADA_ATTEMPT begin ${EPOCHREALTIME/./}" >>"$log"
while :; do read -rt 0.1 <&9 || :; done 9<> <(:)
X2
chmod 755 works

cat >conf <<'X2'
agents = { heartbeat = "200ms"; node_timeout = "1s"; reconnect_max = "200ms"; lease = "4s";
	lease_margin = "1s"; };
X2
test_under_armada 2 --cpus 4 --memory 4G --conf conf

of()
{
	aqueue --state all --noheader --format "$2" "$1" | sed 's/ *$//' | tr A-Z a-z
}

runs_on()
{
	[ "$(of "$1" state) $(of "$1" nodelist)" = "running $2" ]
}

job_is()
{
	[ "$(of "$1" state)" = "$2" ]
}

state_is()
{
	[ "$(anode list --noheader --format state "$1" | sed 's/ *$//')" = "$2" ]
}

submit()
{
	local name=$1

	shift
	asubmit --parsable --output=/dev/null --memory 10M "$@" -- "$work/works" "$name"
}

# The child of armd that connects to the controller.
network_of()
{
	local pid

	for pid in $(cat "/proc/$(cat "$cluster/$1.pid")/task/"*/children); do
		[ "$(cat "/proc/$pid/comm")" = armd ] && echo "$pid" && return
	done
	return 1
}

# silence NODE stops its network process, wake continues all stopped ones
stopped=
silence()
{
	local pid

	pid=$(network_of "$1") && kill -STOP "$pid" && stopped="$stopped $pid"
	result $? "the network process of $1 is stopped"
}
wake()
{
	kill -CONT $stopped
	stopped=
}

has()
{
	grep -q "$2" "$1.journal"
}

# Each attempt ends before the next one begins.
apart()
{
	awk '$2 == "end" { ended[$1] = $3 }
	     $2 == "begin" && $1 > 1 && !(ended[$1 - 1] && ended[$1 - 1] < $3) { bad = 1 }
	     END { exit bad }' "$1.journal"
}

run asubmit --lease 1s --wrap true
is "$status" 1 'a lease no longer than node_timeout is refused'
like "$err" 'agents.node_timeout' 'the error names agents.node_timeout'
run asubmit --lease 5m --no-fence --wrap true
is "$status" 2 '--lease and --no-fence exclude one another'

# --- the lease ends

short=$(submit short --nodelist n1,n2)
ok 'a job runs' wait_until 20 job_is "$short" running
node=$(of "$short" nodelist)
other=n1
[ "$node" = n1 ] && other=n2
never=$(submit never --nodelist "$node" --no-fence)
own=$(submit own --nodelist "$node" --lease 1h)
ok 'a job with --no-fence runs on the same node' wait_until 20 job_is "$never" running
ok 'a job with a longer lease runs on the same node' wait_until 20 job_is "$own" running
ok 'its program has started' wait_until 20 has own begin
silence "$node"
ok 'the node is unknown' wait_until 20 state_is "$node" unknown
ok 'the job there is unknown' wait_until 20 job_is "$short" unknown
like "$(of "$short" reason)" "^node $node is silent for .* is started elsewhere when the lease ends in " \
	'its reason names the node and the end of the lease'
like "$(of "$never" reason)" "is started elsewhere after anode confirm-dead $node" \
	'the reason of a job without a lease names no such end'
is "$(of "$own" running) $(of "$own" unknown)" '0 1' 'its task does not count as running'
ok 'its shepherd ends the job when the lease ends' wait_until 30 has short '^1 end'
ok 'then the job runs on the other node' wait_until 30 runs_on "$short" "$other"
ok 'the attempts do not overlap' wait_until 20 apart short
like "$(of "$short" reason)$(cat "$cluster/log/armctld.log")" 'silent for longer than the lease' \
	'the log names the ended lease'
is "$(of "$never" state)" unknown 'a job without a lease is not requeued'
is "$(of "$own" state)" unknown 'a job with a longer lease is not requeued'
wake
ok 'the node is up again' wait_until 20 state_is "$node" up
ok 'the job without a lease still runs' wait_until 20 job_is "$never" running
ok 'the job with a longer lease still runs' wait_until 20 job_is "$own" running
is "$(of "$never" attempt)" 1 'it is in its first attempt'
ok 'the end of the first attempt does not end the second' runs_on "$short" "$other"
acancel "$short" "$never" "$own" >/dev/null 2>&1
ok 'all jobs end' wait_until 20 job_ended "$short" "$never" "$own"

# --- a delayed launch order

run anode drain "$other" not for this
late=$(submit late --hold)
silence "$node"
actl release "$late" >/dev/null
ordered()
{
	[ "$(of "$late" nodelist)" = "$node" ]
}
ok 'a job is ordered to a stopped node' wait_until 20 ordered
ok 'the node is unknown' wait_until 20 state_is "$node" unknown
anode resume "$other" >/dev/null
ok 'the job runs elsewhere when the lease has ended' wait_until 30 runs_on "$late" "$other"
wake
ok 'the node is up again' wait_until 20 state_is "$node" up
beats=$(anode list --noheader --format last_seen "$node")
heard_again()
{
	[ "$(anode list --noheader --format last_seen "$node")" != "$beats" ]
}
ok 'the node has received the delayed orders' wait_until 20 heard_again
is "$(grep -c begin late.journal)" 1 'the delayed order has started no task'
acancel "$late" >/dev/null 2>&1
ok 'the job ends' wait_until 20 job_ended "$late"

# --- an extended lease

run actl lease extend nowhere 1h
is "$status" 3 'an extension for an unknown node gives exit code 3'
run actl lease extend all soon
is "$status" 2 'an extension without a valid duration is refused'
run actl lease extend "$node" 1h power work
is "$status" 0 'the leases of a node are extended'
like "$(anode list --noheader --format extension,extension_reason "$node")" '[0-9].* power work' \
	'anode shows the extension with its reason'
held=$(submit held --nodelist "$node")
probe=$(submit probe --nodelist "$other")
ok 'a job runs on the node without an extension' wait_until 20 job_is "$probe" running
ok 'its program has started' wait_until 20 has probe begin
ok 'a job runs on the node with the extension' wait_until 20 job_is "$held" running
ok 'its program has started' wait_until 20 has held begin
told=$(anode list --noheader --format last_seen "$node")
heard()
{
	[ "$(anode list --noheader --format last_seen "$node")" != "$told" ]
}
ok 'the node has received the extension' wait_until 20 heard
silence "$node"
silence "$other"
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'the node is unknown, also to a restarted controller' wait_until 20 state_is "$node" unknown
ok 'a lease that was not extended ends' wait_until 30 has probe '^1 end'
ok 'the job of the ended lease is pending' wait_until 30 job_is "$probe" pending
is "$(of "$held" state)" unknown 'the job with the extended lease is not requeued'
is "$(grep -c end held.journal)" 0 'its program has not ended'
wake
ok 'the node is up again' wait_until 20 state_is "$node" up
ok 'the job still runs' wait_until 20 job_is "$held" running
is "$(of "$held" attempt)" 1 'it is in its first attempt'
acancel "$held" "$probe" >/dev/null 2>&1
ok 'both jobs end' wait_until 20 job_ended "$held" "$probe"

done_testing
