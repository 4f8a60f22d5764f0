#!/bin/bash
# K6: nodes lose their power at random instants, with everything that runs there, and come back under
# another boot id, which is the proof that their tasks are dead: these run again.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'another boot id takes a mount, and root'
unshare --mount true 2>/dev/null || skip_all 'no mount namespaces here'

new_boot()
{
	cat /proc/sys/kernel/random/uuid >"boot.$1"
}

# What armd is run through: it sees another boot id than the kernel's.
boot_wrap()
{
	printf '%s\n' unshare --mount sh -c \
		'mount --bind "$0" /proc/sys/kernel/random/boot_id && exec "$@"' "$work/boot.$1"
}

cut_power()
{
	local name

	while [ ! -e stop ]; do
		pause 900
		name=n$((1 + RANDOM % 4))
		"$devcluster" power-off "$cluster" "$name" >>power 2>&1 || continue
		echo "$name" >>faults
		new_boot "$name"
		pause 400
		"$devcluster" restart "$cluster" "$name" >>power 2>&1
	done
}

mkdir -p cluster/wrap
for node in n1 n2 n3 n4; do
	new_boot $node
	boot_wrap $node >cluster/wrap/$node
done
lasts=900
least_faults=5
drill_begin 4 'agents = { heartbeat = "500ms"; node_timeout = "30s"; reconnect_max = "300ms"; };'
is "$("$devcluster" status "$cluster" | grep -c running)" 6 'nodes that see boot ids of their own'
drill_rounds cut_power 60 120
done_testing
