# Drills with three controllers. To use it in bash, after drill.sh:
#
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"
#
# ARMADA_FAILOVERS is the number of faults in a round (default 3). After them the cluster is left alone: records
# wait for all copies, so under faults without end no job would be accepted.
least_faults=${ARMADA_FAILOVERS:-${ARMADA_DRILL_FAULTS:-3}}

# roles: prints NAME ROLE of each controller.
roles()
{
	actl ping --json 2>/dev/null | awk -F'"' '
		$2 == "controllers" { in_it = 1 }
		$2 == "copies" { in_it = 0 }
		in_it && $2 == "name" { name = $4 }
		in_it && $2 == "role" { print name, $4 }'
}

# leader: prints the name of the controller that leads, or fails.
leader()
{
	# a leader that was stopped or killed a moment ago is still shown
	roles | awk '$2 == "leader" && !found { print $1; found = 1 } END { exit !found }'
}

has_leader()
{
	leader >/dev/null
}

# all_stand: true if one of three controllers leads and two stand by.
all_stand()
{
	roles | awk '{ n[$2]++ } END { exit !(NR == 3 && n["leader"] == 1 && n["standby"] == 2) }'
}

# next_fault: waits for a leader; false if the round has had its faults.
next_fault()
{
	[ ! -e stop ] && [ "$(wc -l <faults)" -lt "$least_faults" ] || return
	wait_until 60 has_leader && return
	diag 'no controller leads after 60 s'
	touch stop
	return 1
}

fault()
{
	echo "$*" >>faults
}

# stopped NAME: SIGSTOP to a daemon for some seconds, longer than a lease.
stopped()
{
	local pid

	pid=$(cat "$cluster/$1.pid")
	kill -STOP "$pid" && fault "stopped $1"
	pause 6000
	kill -CONT "$pid"
}

killed()
{
	"$devcluster" kill "$cluster" "$1" >>kills 2>&1
	fault "killed $1"
	pause 4000
	"$devcluster" restart "$cluster" "$1" >>kills 2>&1
}

# one_led: each epoch of the logs has one leader, and the epochs of leaders rise.
one_led()
{
	cat "$cluster"/log/armctld?.log | grep -o ' leads cluster .*, epoch [0-9]*' | sort | uniq -d
}
