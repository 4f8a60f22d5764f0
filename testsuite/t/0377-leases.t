#!/bin/bash
# Leases with real daemons: the network process of a node stands still, which is silence; its shepherds end
# what runs by themselves, and only then it runs elsewhere. An extension holds them; --no-fence has none.
# The jobs prove by their own journals that no two attempts of one overlap (I3).
. "${ARMADA_SRCDIR:-$(dirname "$0")/../..}/testsuite/lib/armada.sh"

cat >works <<'X2'
#!/bin/bash
# works NAME: write to NAME.journal, until somebody ends it
log=${0%/*}/$1.journal
trap 'echo "$ARMADA_ATTEMPT end ${EPOCHREALTIME/./}" >>"$log"; exit 0' TERM
echo "$ARMADA_ATTEMPT begin ${EPOCHREALTIME/./}" >>"$log"
while :; do read -rt 0.02 <> <(:); done
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
	[ "$(of "$1" state) $(of "$1" nodes)" = "running $2" ]
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

# The child of armd that talks to the controller.
network_of()
{
	local pid

	for pid in $(cat "/proc/$(cat "$cluster/$1.pid")/task/"*/children); do
		[ "$(cat "/proc/$pid/comm")" = armd ] && echo "$pid" && return
	done
	return 1
}

# silence NODE, wake NODE
stopped=
silence()
{
	local pid

	pid=$(network_of "$1") && kill -STOP "$pid" && stopped="$stopped $pid"
	result $? "$1 stands still"
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

# The end of one attempt is before the beginning of the next.
apart()
{
	awk '$2 == "end" { ended[$1] = $3 }
	     $2 == "begin" && $1 > 1 && !(ended[$1 - 1] && ended[$1 - 1] < $3) { bad = 1 }
	     END { exit bad }' "$1.journal"
}

run asubmit --lease 1s --wrap true
is "$status" 1 'a lease no longer than node_timeout is refused'
like "$err" 'agents.node_timeout' 'with what is accepted'
run asubmit --lease 5m --no-fence --wrap true
is "$status" 2 '--lease and --no-fence exclude one another'

# --- the lease ends

short=$(submit short --nodelist n1,n2)
ok 'a job runs' wait_until 20 job_is "$short" running
node=$(of "$short" nodes)
other=n1
[ "$node" = n1 ] && other=n2
never=$(submit never --nodelist "$node" --no-fence)
own=$(submit own --nodelist "$node" --lease 1h)
ok 'so does one without a lease end' wait_until 20 job_is "$never" running
ok 'and one with a lease of its own' wait_until 20 job_is "$own" running
ok 'each has begun' wait_until 20 has own begin
silence "$node"
ok 'it is unknown' wait_until 20 state_is "$node" unknown
ok 'and what runs there' wait_until 20 job_is "$short" unknown
ok 'its shepherd ends it by itself' wait_until 30 has short '^1 end'
ok 'then it runs elsewhere' wait_until 30 runs_on "$short" "$other"
ok 'in that order' wait_until 20 apart short
like "$(of "$short" reason)$(cat "$cluster/log/armctld.log")" 'silent for longer than the lease' \
	'the log says why'
is "$(of "$never" state)" unknown 'what has no lease end is not given up'
is "$(of "$own" state)" unknown 'nor what has a longer one'
wake
ok 'the node is back' wait_until 20 state_is "$node" up
ok 'and what runs there still' wait_until 20 job_is "$never" running
ok 'both' wait_until 20 job_is "$own" running
is "$(of "$never" attempt)" 1 'it never stopped'
ok 'the end of the first attempt is not taken for the second' runs_on "$short" "$other"
acancel "$short" "$never" "$own" >/dev/null 2>&1
ok 'all end' wait_until 20 job_ended "$short" "$never" "$own"

# --- an order that is late

run anode drain "$other" not for this
late=$(submit late --hold)
silence "$node"
actl release "$late" >/dev/null
ordered()
{
	[ "$(of "$late" nodes)" = "$node" ]
}
ok 'a job is ordered to a node that does not hear of it' wait_until 20 ordered
ok 'the node is unknown' wait_until 20 state_is "$node" unknown
anode resume "$other" >/dev/null
ok 'it runs elsewhere when the lease is over' wait_until 30 runs_on "$late" "$other"
wake
ok 'the node is back' wait_until 20 state_is "$node" up
beats=$(anode list --noheader --format last_seen "$node")
heard_again()
{
	[ "$(anode list --noheader --format last_seen "$node")" != "$beats" ]
}
ok 'and has heard all that was said' wait_until 20 heard_again
is "$(grep -c begin late.journal)" 1 'but the order that was late has begun nothing'
acancel "$late" >/dev/null 2>&1
ok 'it ends' wait_until 20 job_ended "$late"

# --- an extension

run actl lease extend nowhere 1h
is "$status" 3 'an extension for a node that is not known'
run actl lease extend all soon
is "$status" 2 'one of no length'
run actl lease extend "$node" 1h power work
is "$status" 0 'leases of a node are extended'
like "$(anode list --noheader --format extension,extension_reason "$node")" '[0-9].* power work' \
	'which is shown, with the reason'
held=$(submit held --nodelist "$node")
probe=$(submit probe --nodelist "$other")
ok 'another runs where nothing was extended' wait_until 20 job_is "$probe" running
ok 'and has begun too' wait_until 20 has probe begin
ok 'a job runs there' wait_until 20 job_is "$held" running
ok 'and has begun' wait_until 20 has held begin
told=$(anode list --noheader --format last_seen "$node")
heard()
{
	[ "$(anode list --noheader --format last_seen "$node")" != "$told" ]
}
ok 'the node has been told' wait_until 20 heard
silence "$node"
silence "$other"
"$devcluster" kill "$cluster" armctld
"$devcluster" restart "$cluster" armctld
ok 'it is unknown, also to a controller that was killed' wait_until 20 state_is "$node" unknown
ok 'leases that were not extended come to their end' wait_until 30 has probe '^1 end'
ok 'for the controller too' wait_until 30 job_is "$probe" pending
is "$(of "$held" state)" unknown 'what runs there is not given up'
is "$(grep -c end held.journal)" 0 'nor ended'
wake
ok 'the node is back' wait_until 20 state_is "$node" up
ok 'and it still runs' wait_until 20 job_is "$held" running
is "$(of "$held" attempt)" 1 'as it did'
acancel "$held" "$probe" >/dev/null 2>&1
ok 'both end' wait_until 20 job_ended "$held" "$probe"

done_testing
