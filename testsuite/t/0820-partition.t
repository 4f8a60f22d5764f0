#!/bin/bash
# Nodes are disconnected from the controller in both directions or in one, for less than their lease:
# no job runs twice, and all jobs end when the network is restored.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/nets.sh"
nets_enter
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
[ -z "$nets_missing" ] || skip_all "$nets_missing"

for name in n1 n2 n3 n4; do
	nets_add $name && nets_wrap $name $name || bail "the namespace $name cannot be made"
done
lasts=400
least_faults=6
drill_begin 4 "controllers = [ \"$nets_self:6870\" ];
agents = { heartbeat = \"500ms\"; node_timeout = \"1500ms\"; reconnect_max = \"300ms\"; };"
drill_rounds partition 90 150
diag "silent: $(grep -c 'silent for' cluster/log/armctld.log)"
done_testing
