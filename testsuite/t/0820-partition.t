#!/bin/bash
# Nodes are disconnected from the controller in both directions or in one, for less than their lease:
# no job runs twice, and all jobs end when the network is restored.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
. "$ARMADA_SRCDIR/testsuite/lib/nets.sh"

nets_begin
lasts=400
least_faults=6
drill_begin 4 "$nets_conf
agents = { heartbeat = \"500ms\"; node_timeout = \"1500ms\"; reconnect_max = \"300ms\"; };"
drill_rounds partition 90 150
diag "silent: $(grep -c 'silent for' cluster/log/armctld.log)"
done_testing
