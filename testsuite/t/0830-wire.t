#!/bin/bash
# Nodes and commands reach the controller over a proxy that drops, doubles, swaps, delays and
# corrupts data, passes single bytes, and resets connections within messages. Sessions break, but no
# job is lost and none runs twice.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"

proxy=$ARMADA_BUILDDIR/testsuite/drill/proxy
[ -x "$proxy" ] || skip_all 'the proxy is not built'
# One round changes the profile about a hundred times, and most of it is waiting.
rounds=${ARMADA_DRILL_ROUNDS:-1}
profiles=(bytes delay drop double swap flip reset stall 'bytes delay' 'drop double swap flip reset stall')

# Commands must use the proxy: a session over the socket would look the same.
take_wire()
{
	mkdir -p wire
	sed "s|^run_dir.*|run_dir = \"$work/wire\";|" cluster/armada.conf >wire/armada.conf
	sed -i "s|^--config=.*|--config=$work/wire/armada.conf|" cluster/nodes/*
	for node in n1 n2 n3 n4; do
		"$devcluster" restart "$cluster" $node
	done
	ARMADA_CONF=$work/wire/armada.conf
}

misbehave()
{
	local i=$RANDOM

	while [ ! -e stop ]; do
		echo "${profiles[i++ % ${#profiles[@]}]}" >&7
		pause 1200
	done
	echo clean >&7
}

mkfifo profile
"$proxy" "$ARMADA_DRILL_SEED" "$work/cluster/run/armctld.sock" "$work/faults" <profile >port &
wire=$!
exec 7>profile
at_exit='kill $wire'
wait_until 10 test -s port || bail 'the proxy does not print its port'
# a corrupted handshake looks like a wrong key or another release
refusals=yes
lasts=300
least_faults=20
drill_begin 4 "controllers = [ \"127.0.0.1:$(cat port)\" ]; listen = \"$work/cluster/run/armctld.sock\";
agents = { heartbeat = \"500ms\"; node_timeout = \"5s\"; reconnect_max = \"300ms\"; };"
take_wire
drill_rounds misbehave 120 60
ok 'the proxy still runs' kill -0 $wire
diag "$(sort faults | uniq -c | tr -s '\n ' ' ')"
done_testing
