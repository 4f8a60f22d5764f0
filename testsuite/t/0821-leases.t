#!/bin/bash
# Nodes are disconnected for longer than their lease. The node ends its tasks itself before the
# controller declares them lost and runs them elsewhere: two attempts never overlap (I3).
. "${ARMADA_SRCDIR:-.}/testsuite/lib/nets.sh"
nets_enter
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
[ -z "$nets_missing" ] || skip_all "$nets_missing"

leases_ended()
{
	aqueue --state all --json 2>/dev/null | grep -c lease
}

for name in n1 n2 n3 n4; do
	nets_add $name && nets_wrap $name $name || bail "the namespace $name cannot be made"
done
lasts=3500
least_faults=6
cut_ms=7000
grace=1s
drill_begin 4 "controllers = [ \"$nets_self:6870\" ];
agents = { heartbeat = \"300ms\"; node_timeout = \"1s\"; reconnect_max = \"300ms\"; lease = \"2s\";
	lease_margin = \"500ms\"; drain_after = 0; };
limits = { max_requeues = 100; };"
drill_rounds partition 120 48
diag "silent: $(grep -c 'silent for' cluster/log/armctld.log), leases over: $(grep -c 'lease' cluster/log/armctld.log)"
done_testing
