#!/bin/bash
# Daemons are killed with SIGKILL at random times while jobs are submitted and run. A release is
# tested with 20 rounds of 500 jobs; see testsuite/lib/drill.sh.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"

kill_at_random()
{
	local name names=(armctld n1 armctld n2 armctld n3 n4)

	while [ ! -e stop ]; do
		pause 250
		name=${names[RANDOM % ${#names[@]}]}
		"$devcluster" kill "$cluster" "$name" >>kills 2>&1
		echo "killed $name" >>faults
		pause 150
		"$devcluster" restart "$cluster" "$name" >>kills 2>&1
	done
}

lasts=200
least_faults=8
drill_begin 4 'agents = { heartbeat = "500ms"; node_timeout = "30s"; reconnect_max = "300ms"; };'
drill_rounds kill_at_random 60 250
done_testing
