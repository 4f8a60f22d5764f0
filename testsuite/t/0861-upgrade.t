#!/bin/bash
# A cluster of three controllers and three nodes of an older release is upgraded as armada-ha(7) says: the files of
# the release are replaced, then the controllers start again one by one, the leader last, then the nodes, while jobs
# are submitted and run. No job is lost, none runs twice, and jobs of the older release end under the newer one.
#
#	ARMADA_OLDER_BUILD	the build folder of the older release, which is made as usual; it needs state/redis
. "${ARMADA_SRCDIR:-.}/testsuite/lib/drill.sh"
. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"

[ -n "${ARMADA_OLDER_BUILD:-}" ] || skip_all 'ARMADA_OLDER_BUILD does not name the build folder of an older release'
needs redis-server redis-cli
for build in "$ARMADA_OLDER_BUILD" "$ARMADA_BUILDDIR"; do
	[ -x "$build/armctld" ] && [ -e "$build/plugins.d/state_redis.so" ] ||
		bail "$build has no armctld, or no plugin state/redis"
done

# replace FROM TO: as a package manager does it, the files get other inodes.
replace()
{
	local file

	mkdir -p "$2"
	for file in "$1"/*; do
		[ ! -f "$file" ] || { cp -p "$file" "$2/.new" && mv -f "$2/.new" "$2/${file##*/}"; } || return
	done
}

# The plugins of a cluster are copied when it starts (contrib/devcluster).
newer=$ARMADA_BUILDDIR
install_newer()
{
	replace "$newer" "$work/release" && replace "$newer/plugins.d" "$work/release/plugins.d" &&
		replace "$newer/plugins.d" "$cluster/plugins" && chmod 644 "$cluster"/plugins/*.so
}

# upgraded NAME: the daemon starts again.
upgraded()
{
	"$devcluster" restart "$cluster" "$1" >>restarts 2>&1 && fault upgraded "$1"
}

# done_within SECONDS DESCRIPTION COMMAND...: a step that fails is a line of failed_steps.
done_within()
{
	local seconds=$1 description=$2

	shift 2
	wait_until "$seconds" "$@" || echo "$description" >>failed_steps
}

is_leader()
{
	[ "$(leader)" = "$1" ]
}

# Commands of the older release, while the older and the newer controllers lead.
older_submits()
{
	local id

	id=$("$ARMADA_OLDER_BUILD/asubmit" --parsable -o /dev/null --memory 32M "$work/job.sh" 10 0.1 2>>submit.err) &&
		echo "$id" >>acked.older && "$ARMADA_OLDER_BUILD/aqueue" --state all --noheader "$id" >/dev/null
}

upgrade()
{
	local last name node heir=

	last=$(leader) || { echo 'no controller leads before the upgrade' >>failed_steps && return; }
	older_submits || echo 'an older command does not work with the older leader' >>failed_steps
	install_newer || echo 'the files of the newer release are not installed' >>failed_steps
	pause 2000
	for name in armctld1 armctld2 armctld3; do
		[ "$name" != "$last" ] || continue
		heir=$name
		upgraded "$name" || echo "$name does not start again" >>failed_steps
		done_within 60 "after the upgrade of $name not all controllers stand" all_stand
		pause 2000
	done
	done_within 30 "$last does not give up the lead" actl takeover "$heir"
	done_within 60 "$heir does not lead" is_leader "$heir"
	# The old leader may end here: its program is of the older release, and its plugins are of the newer one.
	older_submits || echo 'an older command does not work with the newer leader' >>failed_steps
	pause 2000
	upgraded "$last" || echo "$last does not start again" >>failed_steps
	done_within 60 "after the upgrade of $last not all controllers stand" all_stand
	pause 2000
	for node in n1 n2 n3; do
		sed -i "s|^--libexec=.*|--libexec=$work/release|" "$cluster/nodes/$node"
		upgraded "$node" || echo "$node does not start again" >>failed_steps
		pause 2000
	done
}

replace "$ARMADA_OLDER_BUILD" "$work/release" && replace "$ARMADA_OLDER_BUILD/plugins.d" "$work/release/plugins.d" ||
	bail 'the older release cannot be copied'
export ARMADA_BUILDDIR=$work/release
drill_begin 3 'agents = { heartbeat = "500ms"; node_timeout = "60s"; reconnect_max = "300ms"; };' \
	--state redis --controllers 3 --cpus 3
ok 'one controller of the older release leads, and two stand by' wait_until 30 all_stand

# Jobs that run during the whole upgrade, and one that waits.
for node in n1 n2 n3; do
	asubmit --parsable -o "$work/$node.out" --memory 32M --nodelist "$node" --priority-class urgent \
		--wrap "echo begins; $(until_exists "$work/go"); echo ends; exit 3" >>long || diag "no job on $node"
done
asubmit --parsable --hold -o /dev/null --memory 32M --wrap true >held
all_begun()
{
	[ "$(cat n?.out | grep -c begins)" -eq 3 ]
}
ok 'jobs run on each node' wait_until 30 all_begun
rounds=1
lasts=3000
steady=1000
least_faults=6
# The end of the round waits for the jobs of the drill, not for these.
drill_idle()
{
	local text

	text=$(aqueue --noheader --format job 2>/dev/null) && ! tr -d ' ' <<<"$text" | grep -vxFf <(cat long held; echo)
}
drill_rounds upgrade 180 40
is "$(cat failed_steps 2>/dev/null)" '' 'each step of the upgrade is done'
is "$(one_led)" '' 'no epoch had two leaders'

# ---- after the upgrade ----

is "$(aqueue --noheader --format state --job "$(paste -sd, long)" | sort -u)" RUNNING 'the first jobs still run'
touch go
for id in $(cat long); do
	wait_until 60 job_ended "$id" || diag "job $id did not end"
done
is "$(aqueue --state all --noheader --format state,exit_code "$(paste -sd, long)" | tr -s ' ' | sort -u)" 'FAILED 3' \
	'they end with their exit code'
is "$(cat n?.out | sort | uniq -c | tr -s ' \n' ' ')" ' 3 begins 3 ends ' 'and have run once'
actl release "$(cat held)"
ok 'the job that was held runs' wait_until 30 job_ended "$(cat held)"
alike()
{
	! actl ping | grep 'another one'
}
ok 'no controller has another release or configuration' wait_until 30 alike
ok 'the history has the jobs of both releases' aacct "$(cat held long | paste -sd,)"
is "$(aacct --noheader --format job "$(paste -sd, long)" | sort -u | wc -l)" 3 'each of them'
done_testing
