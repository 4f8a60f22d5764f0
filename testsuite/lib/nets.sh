# Members of a cluster in network namespaces of their own, which can be cut off from the others and come back. The
# test runs in a private namespace: nets_enter executes it again there, before other files are sourced.
#
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/nets.sh"
#	nets_enter
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
#	[ -z "$nets_missing" ] || skip_all "$nets_missing"
#	nets_add n1 n2 && nets_wrap n1 n1 && nets_wrap n2 n2
#	drill_begin 2 "controllers = [ \"$nets_self:6870\" ];"
#
# The switch is a namespace without an address, with a port for each member and one for the test. A packet to or
# from a member that is cut off is dropped without a reply, as are those of open connections. Nothing is left when
# the test ends, also when it is killed: the names of the namespaces are in a file system of its own.
nets_self=10.99.0.1
nets_missing=
declare -A nets_address=([self]=$nets_self)
declare -a nets_members=()

# nets_enter: goes on in a private namespace, or sets nets_missing to the reason why not.
nets_enter()
{
	PATH=$PATH:/usr/sbin:/sbin
	if [ -n "${ARMADA_NETS:-}" ]; then
		unset ARMADA_NETS
		nets_switch && return
		nets_missing='the network namespaces cannot be made'
	elif [ "$(id -u)" -ne 0 ]; then
		nets_missing='network namespaces need root'
	elif ! command -v ip >/dev/null; then
		nets_missing='ip is not installed: package iproute2 (contrib/install-deps --tests)'
	elif ! unshare --net --mount ip link add name one type bridge 2>/dev/null ||
		! unshare --net --mount ip link add name one type veth peer name two 2>/dev/null; then
		nets_missing='no network namespaces can be made here'
	else
		ARMADA_NETS=1 exec unshare --net --mount --propagation slave -- bash "$0"
	fi
}

nets_switch()
{
	mkdir -p /run/netns && mount -t tmpfs -o mode=755 netns /run/netns && ip link set lo up &&
		ip netns add switch && ip -n switch link add mainland type bridge && ip -n switch link set mainland up &&
		ip -n switch link add island type bridge && ip -n switch link set island up &&
		nets_plug self
}

# nets_plug NAME [NAMESPACE]: a port of the switch, and the other end in the namespace (default: that of the test).
nets_plug()
{
	local inside=()

	[ $# -eq 1 ] || inside=(-n "$2")
	ip -n switch link add name "$1" type veth peer name "uplink-$1" && ip -n switch link set "$1" master mainland up &&
		ip -n switch link set "uplink-$1" netns "${2:-$$}" name uplink &&
		ip "${inside[@]}" addr add "${nets_address[$1]}/24" dev uplink && ip "${inside[@]}" link set uplink up
}

# nets_add NAME...
nets_add()
{
	local name

	for name in "$@"; do
		nets_address[$name]=10.99.0.$((${#nets_members[@]} + 2))
		nets_members+=("$name")
		ip netns add "$name" && ip -n "$name" link set lo up && nets_plug "$name" "$name" || return
	done
}

# nets_wrap MEMBER DAEMON...: the cluster, which is started then, runs these daemons in the member's namespace.
nets_wrap()
{
	local member=$1 name

	shift
	mkdir -p cluster/wrap cluster/address
	for name in "$@"; do
		printf '%s\n' nsenter --net=/run/netns/"$member" -- >cluster/wrap/"$name"
		echo "${nets_address[$member]}" >cluster/address/"$name"
	done
}

# misdirect FROM TO: what FROM sends to TO goes to a hardware address that no one has.
misdirect()
{
	local inside=(-n "$1")

	[ "$1" != self ] || inside=()
	ip "${inside[@]}" neigh replace "${nets_address[$2]}" lladdr 02:00:00:00:00:01 dev uplink nud permanent
}

# cut MEMBER both|out|in: cuts both directions, what the member sends, or what it receives.
cut()
{
	local other

	[ "$2" != both ] || { ip -n switch link set "$1" nomaster && return; }
	for other in self "${nets_members[@]}"; do
		[ "$other" != "$1" ] || continue
		if [ "$2" = out ]; then misdirect "$1" "$other"; else misdirect "$other" "$1"; fi || return
	done
}

# island MEMBER...: these reach each other, and nobody else.
island()
{
	local name

	for name in "$@"; do
		ip -n switch link set "$name" master island || return
	done
}

# mend MEMBER: undoes cut and island.
mend()
{
	local other

	ip -n switch link set "$1" master mainland
	ip -n "$1" neigh flush dev uplink nud permanent
	for other in self "${nets_members[@]}"; do
		[ "$other" != self ] || { ip neigh del "${nets_address[$1]}" dev uplink && continue; }
		[ "$other" = "$1" ] || ip -n "$other" neigh del "${nets_address[$1]}" dev uplink
	done 2>/dev/null
	return 0
}

# partition: the faults of a drill. ${cut_ms:-3000}: the longest time of a cut in milliseconds.
partition()
{
	local ways=(both out in) name way

	while [ ! -e stop ]; do
		pause 400
		name=${nets_members[RANDOM % ${#nets_members[@]}]}
		way=${ways[RANDOM % 3]}
		cut "$name" "$way" && echo "$name $way" >>faults
		pause "${cut_ms:-3000}"
		mend "$name"
	done
}
