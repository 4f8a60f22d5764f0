# Nodes in network namespaces of their own, which can be cut off from the controller and reconnected. To
# use it, source it after drill.sh; drill_begin then starts the cluster in these namespaces:
#
#	nets_begin
#	drill_begin 4 "$nets_conf agents = { ... };"
#	drill_rounds partition 90 150
#
# ${cut_ms:-3000}: the longest time of a cut in milliseconds.
[ "$(id -u)" -eq 0 ] || skip_all 'network namespaces need root'
PATH=$PATH:/usr/sbin:/sbin
needs ip
tag=arm$$
nodes=(n1 n2 n3 n4)
subnet=10.$((RANDOM % 200 + 20)).$((RANDOM % 250))

remove_nets()
{
	local n

	for n in ctl "${nodes[@]}"; do
		ip netns del "$tag$n" 2>/dev/null
	done
}

# A bridge in the controller's namespace, and a veth pair from each node's namespace to it.
make_nets()
{
	local n i=1

	for n in ctl "${nodes[@]}"; do
		ip netns add "$tag$n" && ip -n "$tag$n" link set lo up || return
	done
	ip -n ${tag}ctl link add sw type bridge && ip -n ${tag}ctl link set sw up &&
		ip -n ${tag}ctl addr add $subnet.1/24 dev sw || return
	for n in "${nodes[@]}"; do
		i=$((i + 1))
		ip link add uplink netns "$tag$n" type veth peer name "$n" netns ${tag}ctl &&
			ip -n ${tag}ctl link set "$n" master sw up &&
			ip -n "$tag$n" addr add $subnet.$i/24 dev uplink &&
			ip -n "$tag$n" link set uplink up || return
	done
}

# cut NODE both|out|in: cuts both directions, what the node sends, or what it receives. mend undoes
# it.
cut()
{
	case $2 in
	both) ip -n ${tag}ctl link set "$1" down ;;
	out) ip -n "$tag$1" route add blackhole $subnet.1/32 ;;
	in) ip -n ${tag}ctl route add blackhole "$(ip -n "$tag$1" -o -4 addr show dev uplink |
		awk '{ sub("/.*", "", $4); print $4 }')/32" ;;
	esac
}

mend()
{
	ip -n ${tag}ctl link set "$1" up
	ip -n "$tag$1" route flush type blackhole
	ip -n ${tag}ctl route flush type blackhole
}

partition()
{
	local ways=(both out in) name way

	while [ ! -e stop ]; do
		pause 400
		name=${nodes[RANDOM % 4]}
		way=${ways[RANDOM % 3]}
		cut "$name" "$way" && echo "$name $way" >>faults
		pause "${cut_ms:-3000}"
		mend "$name"
	done
}

nets_begin()
{
	local n

	at_exit=remove_nets
	make_nets 2>nets.err || {
		diag "$(cat nets.err)"
		skip_all 'no network namespaces can be made here'
	}
	mkdir -p cluster/wrap
	for n in armctld "${nodes[@]}"; do
		printf '%s\n' nsenter --net=/run/netns/"$tag${n/armctld/ctl}" -- >cluster/wrap/$n
	done
	# the daemons use the network, the commands use the socket
	nets_conf="controllers = [ \"$subnet.1:6870\" ];"
}
