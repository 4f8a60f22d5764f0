#!/bin/bash
# Nodes lose their power at random times, with all their processes, and come back with another
# boot id. The new boot id proves that their tasks are dead, so the tasks run again.
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"

[ "$(id -u)" -eq 0 ] || skip_all 'a test boot id needs a mount, and root'
unshare --mount true 2>/dev/null || skip_all 'mount namespaces are not allowed here'

new_boot()
{
	cat /proc/sys/kernel/random/uuid >"boot.$1"
}

# The wrapper of armd: armd sees a boot id of the test instead of the kernel's.
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
is "$("$devcluster" status "$cluster" | grep -c running)" 6 'each node has a boot id of its own'
drill_rounds cut_power 60 120
done_testing
