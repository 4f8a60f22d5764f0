# Drills with three controllers. To use it in bash, after drill.sh:
#
#	. "${ARMADA_SRCDIR:-.}/testsuite/lib/failover.sh"
#
# ARMADA_FAILOVERS is the number of faults in a round (default 3). After them the cluster is left alone: records
# wait for all copies, so under faults without end no job would be accepted. all_faults gets a line for each fault,
# wrong_answers one for each answer that a controller gave as leader after another one had begun to lead.
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

# attended COMMAND...: starts controllers and Redis servers that have ended, as a service manager does: a controller
# ends where it does not reach its store at its start, a server where its file is damaged. Then the command decides.
attended()
{
	local name

	for name in $("$devcluster" status "$cluster" | awk '/^(armctld|redis).* not running/ { print $1 }'); do
		"$devcluster" restart "$cluster" "$name" >>kills 2>&1
	done
	"$@"
}

# next_fault: waits for a leader; false if the round has had its faults.
next_fault()
{
	[ ! -e stop ] && [ "$(wc -l <faults)" -lt "$least_faults" ] || return
	wait_until 60 attended has_leader && return
	diag 'no controller leads after 60 s'
	touch stop
	return 1
}

# fault KIND NAME...
fault()
{
	echo "$*" >>faults
	echo "$*" >>all_faults
}

# lead_lists NAME...: writes but.NAME and only.NAME, configurations of commands: all controllers but this one, or
# this one alone; and all.
lead_lists()
{
	local name list conf=$cluster/armada.conf

	cp "$conf" all
	for name in "$@"; do
		list=$(grep '^controllers = ' "$conf" | grep -o "\"$name=[^\"]*\"")
		sed "s|^controllers = .*|controllers = [ $list ];|" "$conf" >"only.$name"
		list=$(grep '^controllers = ' "$conf" | grep -o '"[^"=]*=[^"]*"' | grep -v "^\"$name=" | paste -sd,)
		sed "s|^controllers = .*|controllers = [ $list ];|" "$conf" >"but.$name"
	done
}

# leads CONF [COMMAND...]: prints NAME EPOCH of each controller that leads, as the one says that answers, and
# "answers NAME" before. "waits" means: another one has the lead, and its first record is not on all copies yet.
# The command executes another one in a namespace.
leads()
{
	local conf=$1

	shift
	ARMADA_CONF=$work/$conf "$@" timeout 20 actl ping --json 2>/dev/null | awk -F'"' '
		$2 == "answers" { print "answers", $4 }
		$2 == "store_problem" && $4 ~ /has the lead/ { print "waits" }
		$2 == "copies" { exit }
		$2 == "name" { name = $4 }
		$2 == "role" { role = $4 }
		$2 == "epoch" && role == "leader" { gsub(/[^0-9]/, "", $3); print name, $3; role = "" }'
}

# followed: another controller than $led has begun since epoch $led_epoch, as the others say.
followed()
{
	leads "but.$led" | awk -v name="$led" -v epoch="$led_epoch" '
		$1 == "waits" || ($1 != "answers" && $1 != name && $2 > epoch) { found = 1 }
		END { exit !found }'
}

# outlasts NAME...: how long a fault lasts. If the leader is among them, another controller is to begin.
outlasts()
{
	if [[ " $* " = *" $led "* ]]; then
		wait_until 20 followed
	else
		pause 4000
	fi
}

# deposed NAME...: if the leader is among them and another one has begun, it is asked on its own machine. It may
# answer as a standby, as the leader of a higher epoch, or not at all.
deposed()
{
	local wrap=()

	[[ " $* " = *" $led "* ]] && followed || return 0
	[ ! -e "$cluster/wrap/$led" ] || mapfile -t wrap <"$cluster/wrap/$led"
	leads "only.$led" "${wrap[@]}" >answer
	awk -v name="$led" -v epoch="$led_epoch" '
		$1 == "answers" { self = $2 }
		$1 == name && self == name && $2 <= epoch { print name " answered as leader of epoch " $2 ", after it" }
		' answer >>wrong_answers
	echo "$led $(head -n 1 answer)" >>deposed_asked
}

# stands: sets led and led_epoch to the controller that leads, and its epoch.
stands()
{
	read -r led led_epoch < <(leads all | grep '^armctld')
}

# stopped NAME...: SIGSTOP to daemons, longer than a lease.
stopped()
{
	local name pids=()

	for name in "$@"; do
		pids+=("$(cat "$cluster/$name.pid")")
	done
	kill -STOP "${pids[@]}" && fault stopped "$@"
	outlasts "$@"
	kill -CONT "${pids[@]}"
	deposed "$@"
}

killed()
{
	local name

	for name in "$@"; do
		"$devcluster" kill "$cluster" "$name" >>kills 2>&1
	done
	fault killed "$@"
	pause 4000
	# as a service manager does: a controller ends where its store cannot be reached at its start
	for name in "$@"; do
		wait_until 60 "$devcluster" restart "$cluster" "$name"
	done
}

# one_led: each epoch of the logs has one leader, and the epochs of leaders rise.
one_led()
{
	cat "$cluster"/log/armctld?.log | grep -o ' leads cluster .*, epoch [0-9]*' | sort | uniq -d
}
